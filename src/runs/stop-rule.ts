/**
 * The one stop rule: three unclear answers in a row, where a burst of requests that were in flight together counts once; more unclear
 * ones than 5 % of those sent, and than three; a refused token; an exam that is gone; an interruption. What stopped a run is kept.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

const inARowAtMost = 3;
const shareAtMost = 0.05;

export class StopRule {
  readonly #host: Pick<Host, 'interrupted'> & Partial<Pick<Host, 'log'>>;
  #why: CliError | undefined;
  #begun = 0;
  #inARow = 0;
  #unclear = 0;
  /** Requests up to this number were in flight when an unclear one was counted. */
  #countedUpTo = 0;

  constructor(host: Pick<Host, 'interrupted'> & Partial<Pick<Host, 'log'>>) {
    this.#host = host;
  }

  /** Why nothing more is sent; undefined while the run goes on. */
  get why(): CliError | undefined {
    const { interrupted } = this.#host;
    if (interrupted.aborted) this.stop(interrupted.reason as CliError);
    return this.#why;
  }

  stop(error: CliError): void {
    if (this.#why) return;
    this.#why = error;
    this.#host.log?.({ event: 'stop', reason: error.code, status: error.status ?? null });
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
    if (request > this.#countedUpTo) {
      this.#inARow += 1;
      this.#countedUpTo = this.#begun;
    }
    const many = Math.max(inARowAtMost, Math.ceil(shareAtMost * this.#begun));
    if (this.#inARow < inARowAtMost && this.#unclear <= many) return;
    this.stop(
      this.#unclear === 1
        ? error
        : new CliError(error.code, sentence`${this.#unclear} requests had no clear answer; the last one: ${error.message}`, {
            hint: error.hint,
            ...(error.status === undefined ? {} : { status: error.status }),
          }),
    );
  }
}
