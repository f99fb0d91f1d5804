/** The failure of a child process; in a file of its own, so that importing the class loads nothing else. */

/** The reason why a program failed, without its output. */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure';
  readonly how: 'missing' | 'forbidden' | 'unstartable' | 'late' | 'verbose' | 'status' | 'signal';
  /** The exit status or the signal. */
  readonly detail: string;

  constructor(how: ProgramFailure['how'], detail: string | number = '') {
    super(`${how} ${detail}`);
    this.how = how;
    this.detail = String(detail);
  }
}
