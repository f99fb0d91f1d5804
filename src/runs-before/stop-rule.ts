/**
 * The one stop rule: three unclear answers in a row, where a burst of requests that were in flight together counts once; more unclear
 * ones than 5 % of those sent, and than three; a refused token; an exam that is gone; an interruption. What stopped a run is kept.
 */
import type { Pacer } from '../api/pacer.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

const inARowAtMost = 3;
const shareAtMost = 0.05;

/** Too many answers were unclear. `fewer`: the value of --concurrency to propose, where several requests were in flight. */
export class TooManyUnclear extends CliError<Sentence, Sentence> {
  readonly fewer: number | undefined;

  constructor(number: number, last: CliError, fewer: number | undefined) {
    super(last.code, sentence`${number} requests had no clear answer; the last one: ${last.message}`, {
      hint: last.hint,
      ...(last.status === undefined ? {} : { status: last.status }),
    });
    this.fewer = fewer;
  }
}

export class StopRule {
  readonly #pacer: Pick<Pacer, 'window'>;
  readonly #host: Pick<Host, 'interrupted'>;
  #why: CliError | undefined;
  #begun = 0;
  #inARow = 0;
  #unclear = 0;
  /** Requests up to this number were in flight when an unclear one was counted. */
  #countedUpTo = 0;
  /** An answer was unclear while later requests were in flight. */
  #wide = false;

  constructor(host: Pick<Host, 'interrupted'>, pacer: Pick<Pacer, 'window'>) {
    this.#host = host;
    this.#pacer = pacer;
  }

  /** Why nothing more is sent; undefined while the run goes on. */
  get why(): CliError | undefined {
    const { interrupted } = this.#host;
    if (interrupted.aborted) this.stop(interrupted.reason as CliError);
    return this.#why;
  }

  stop(error: CliError): void {
    this.#why ??= error;
  }

  /** A request leaves; resolves to its number. */
  begin(): number {
    this.#begun += 1;
    return this.#begun;
  }

  clear(): void {
    this.#inARow = 0;
  }

  unclear(request: number, error: CliError): void {
    this.#unclear += 1;
    this.#wide ||= request < this.#begun;
    if (request > this.#countedUpTo) {
      this.#inARow += 1;
      this.#countedUpTo = this.#begun;
    }
    const many = Math.max(inARowAtMost, Math.ceil(shareAtMost * this.#begun));
    if (this.#inARow < inARowAtMost && this.#unclear <= many) return;
    // The pacer has halved its window by now.
    const fewer = this.#wide ? this.#pacer.window : undefined;
    this.stop(this.#unclear === 1 ? error : new TooManyUnclear(this.#unclear, error, fewer));
  }
}
