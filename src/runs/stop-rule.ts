/**
 * The one stop rule: three unclear answers in a row, where requests that were in flight together count once; a refused token; an interruption.
 */
import { CliError, isInterruption, stateErrors } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

const inARowAtMost = 3;

export class StopRule {
  readonly #host: Pick<Host, 'interrupted'>;
  #why: CliError | undefined;
  #begun = 0;
  #inARow = 0;
  /** Requests up to this number were in flight when an unclear one was counted. */
  #countedUpTo = 0;

  constructor(host: Pick<Host, 'interrupted'>) {
    this.#host = host;
  }

  /** Why nothing more is sent; undefined while the run goes on. */
  get why(): CliError | undefined {
    const { interrupted } = this.#host;
    if (interrupted.aborted) this.stop(interrupted.reason as CliError);
    return this.#why;
  }

  /** Whether nothing more is read either: looking needs the token, and the time of whoever has interrupted. */
  get endsLooking(): boolean {
    const { why } = this;
    return (
      why !== undefined && (isInterruption(why) || ['token_refused', 'not_logged_in', 'already_running', ...stateErrors].includes(why.code))
    );
  }

  stop(error: CliError): void {
    this.#why ??= error;
  }

  /** A request leaves; its number. */
  begin(): number {
    this.#begun += 1;
    return this.#begun;
  }

  clear(): void {
    this.#inARow = 0;
  }

  unclear(request: number, error: CliError): void {
    if (request > this.#countedUpTo) {
      this.#inARow += 1;
      this.#countedUpTo = this.#begun;
    }
    if (this.#inARow < inARowAtMost) return;
    const why = sentence`${inARowAtMost} requests in a row had no clear answer; the last one: ${error.message}`;
    // What became of them, the looks say.
    const code = error.code === 'outcome_unknown' ? 'unavailable' : error.code;
    this.stop(new CliError(code, why, { hint: error.hint, status: error.status }));
  }
}
