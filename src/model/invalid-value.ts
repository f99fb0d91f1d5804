import type { Said, Sentence } from '../text/sentence.ts';

/** A value that the model refuses; the message has the value and the reason, the hint a valid form. */
export class InvalidValue<const Message extends string = string, const Hint extends string = string> extends Error {
  override readonly name = 'InvalidValue';
  declare readonly message: Sentence;
  readonly hint: Sentence | undefined;

  constructor(message: Message & Said<Message>, hint?: Hint & Said<Hint>) {
    super(message);
    this.hint = hint as string | undefined as Sentence | undefined;
  }
}

/** The typed time needs a time zone, and none is set. */
export class ZoneMissing extends InvalidValue<Sentence, Sentence> {}

export function orNone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
