/**
 * Answers that a cache has kept and gives although each read demands a new one. A write that rests on one could set back what
 * somebody has changed since, and none is proven by one: the first is not sent, the second read fails.
 */
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { ageOf } from './answer.ts';
import { badAnswer, failsForNow } from './errors.ts';
import { TransportFailure } from './transport-failure.ts';

export class KeptAnswers {
  readonly #hint: Sentence;
  /** What the first of them was about. */
  #first: Sentence | undefined;
  #hasWritten = false;

  constructor(baseUrl: string) {
    this.#hint = sentence`Ask the administrator of the proxy or cache not to cache ${baseUrl}. To check it: proctor-cli doctor`;
  }

  /** Takes note of the answer to a read, unless it shows nothing on which a write could rest. Throws `bad_answer` for an old one after a write. */
  see(does: string, { status, headers }: { status: number; headers: Readonly<Record<string, string>> }) {
    const age = ageOf(headers);
    if (age === 0 || failsForNow(status)) return;
    const copy = sentence`a copy that a cache had kept for ${age} s (Age: ${age}), although a new answer was requested`;
    if (this.#hasWritten) throw badAnswer(does, status, copy, { hint: this.#hint });
    this.#first ??= sentence`the request to ${does} was answered with ${copy}`;
  }

  /** Before a write leaves. Throws `bad_answer` where an answer before it was old. */
  refuseWrite(does: string) {
    if (this.#first === undefined) return;
    const message = sentence`The request to ${does} was not sent: ${this.#first}.`;
    throw new CliError('bad_answer', message, { hint: this.#hint, cause: new TransportFailure('broken', message, false) });
  }

  /** A write has left. */
  wrote() {
    this.#hasWritten = true;
  }
}
