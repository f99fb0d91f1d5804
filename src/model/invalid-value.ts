/** A value that the model refuses; the message names the value and why, the hint what would do. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
