/** How a program that this one ran has failed; apart from `child-processes`, so that naming it loads nothing. */

/** Why a program gave no answer. Says nothing of what it printed. */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure';
  readonly how: 'missing' | 'forbidden' | 'unstartable' | 'late' | 'verbose' | 'status' | 'signal';
  /** For `status` and `signal`: which one. */
  readonly detail: string;

  constructor(how: ProgramFailure['how'], detail: string | number = '') {
    super(`${how} ${detail}`);
    this.how = how;
    this.detail = String(detail);
  }
}
