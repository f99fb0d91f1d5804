/** The failure of a program that was updated or removed while it ran; in a file of its own, as program and start-up share it. */

export class ReplacedProgram extends Error {
  /** The program knows it by this name: start-up has a class of its own. */
  override readonly name = 'ReplacedProgram';

  constructor(file: string) {
    super(`proctor-cli was updated or removed while it ran: ${file} is not of the version that was started.`);
  }
}

export const isReplacedProgram = (error: unknown): boolean => error instanceof Error && error.name === 'ReplacedProgram';
