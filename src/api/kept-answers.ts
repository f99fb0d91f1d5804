/**
 * Copies from a cache that ignores that each read demands a new answer. A write that relies on an old copy could undo another
 * client's change, so it is not sent. An old copy after a write proves nothing about it, so that read fails.
 */
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { ageOf } from './answer.ts';
import { badAnswer, failsForNow } from './answer-errors.ts';
import { TransportFailure } from './transport-failure.ts';

export class KeptAnswers {
  readonly #hint: Sentence;
  /** The first such answer, in words. */
  #first: Sentence | undefined;
  #hasWritten = false;

  constructor(baseUrl: string) {
    this.#hint = sentence`Ask the administrator of the proxy or cache not to cache ${baseUrl}.`;
  }

  /** Notes the answer to a read, unless it is a failure that passes. Throws `bad_answer` for a copy after a write. */
  see(does: string, { status, headers }: { status: number; headers: Readonly<Record<string, string>> }) {
    const age = ageOf(headers);
    if (age === 0 || failsForNow(status)) return;
    const copy = sentence`a copy that was in a cache for ${age} s (Age: ${age}), although a new answer was requested`;
    if (this.#hasWritten) throw badAnswer(does, status, copy, { hint: this.#hint });
    this.#first ??= sentence`the request to ${does} was answered with ${copy}`;
  }

  /** To be called before a write leaves. Throws `bad_answer` if an earlier answer was a copy. */
  refuseWrite(does: string) {
    if (this.#first === undefined) return;
    const message = sentence`The request to ${does} was not sent: ${this.#first}.`;
    throw new CliError('bad_answer', message, { hint: this.#hint, cause: new TransportFailure('broken', message, false) });
  }

  /** To be called when a write has left. */
  wrote() {
    this.#hasWritten = true;
  }
}
