/**
 * The wait between two polls: the interval; longer and longer while the service asks to slow
 * down, and back again step by step; shorter than the interval while it cannot be reached.
 */
import { waitAsked } from '../../api/retry.ts';
import type { CliError } from '../../errors.ts';

const longestWait = 3_600_000;
const firstRetry = 2000;

export class Rhythm {
  readonly #interval: number;
  /** The factor on the interval: 1 while the service does not complain. */
  #factor = 1;
  #failures = 0;

  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Milliseconds to wait after a successful poll. */
  went(): number {
    this.#failures = 0;
    this.#factor = Math.max(1, this.#factor / 2);
    return this.#wait();
  }

  /** Milliseconds to wait after a failed poll. */
  failed({ code, retryAfter }: CliError, now: number): number {
    const asked = waitAsked(retryAfter, now, longestWait);
    if (code === 'rate_limited' || asked !== undefined) {
      this.#factor *= 2;
      return Math.max(asked ?? 0, this.#wait());
    }
    this.#failures += 1;
    return Math.min(this.#interval, firstRetry * 2 ** (this.#failures - 1));
  }

  #wait(): number {
    return Math.min(this.#interval * this.#factor, Math.max(longestWait, this.#interval));
  }
}
