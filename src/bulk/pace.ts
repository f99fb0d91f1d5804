/**
 * How fast requests may leave: at most so many a second, fewer at once after the service has asked to
 * slow down, and none while it asks to wait. Speeds up again by itself, one at a time.
 */
import type { Host } from '../host.ts';

/** Requests in a row without a complaint after which one more may be under way. */
const calm = 50;

export class Pace {
  readonly #host: Host;
  readonly #most: number;
  readonly #interval: number;
  #allowed: number;
  #active = 0;
  #calm = 0;
  #nextAt = 0;
  #notBefore = 0;
  #waiting: (() => void)[] = [];

  /** `rate`: requests a second at the most; undefined: as fast as answers come. */
  constructor(host: Host, { concurrency, rate }: { concurrency: number; rate: number | undefined }) {
    this.#host = host;
    this.#most = concurrency;
    this.#allowed = concurrency;
    this.#interval = rate === undefined ? 0 : 1000 / rate;
  }

  /** Runs `act` when it is its turn. Rejects if the command is interrupted while it waits. */
  async turn<T>(act: () => Promise<T>): Promise<T> {
    while (this.#active >= this.#allowed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#active += 1;
    try {
      await this.#moment();
      return await act();
    } finally {
      this.#active -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Whether requests leave one at a time already. */
  get slowest(): boolean {
    return this.#allowed === 1;
  }

  /** How many rows to have ready ahead of their turn: what is ready and has not left is in doubt after a kill. */
  get ahead(): number {
    return this.#interval > 0 ? 1 : this.#allowed;
  }

  /** The service asks to slow down: half as many at once, and none for so many milliseconds. */
  slowDown(wait: number) {
    this.#calm = 0;
    this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#notBefore = Math.max(this.#notBefore, this.#host.now() + wait);
  }

  /** An answer came without a complaint. */
  went() {
    this.#calm += 1;
    if (this.#calm < calm || this.#allowed === this.#most) return;
    this.#calm = 0;
    this.#allowed += 1;
    this.#waiting.shift()?.();
  }

  /** Each waits for a moment of its own; where the service asks to wait meanwhile, for one after that. */
  async #moment() {
    let notBefore: number;
    do {
      notBefore = this.#notBefore;
      const now = this.#host.now();
      const at = Math.max(now, this.#nextAt, notBefore);
      this.#nextAt = at + this.#interval;
      if (at > now) await this.#host.sleep(at - now);
    } while (this.#notBefore !== notBefore);
  }
}
