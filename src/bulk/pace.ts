/**
 * How fast requests may leave: so many at once, so many a second, and none while the service asks to
 * wait. A burst of refusals for too many requests counts once, however many answers it has: half as many
 * leave at once after it, and the rate is learned from what the service took before it. Both grow again,
 * the rate the more slowly the surer it is.
 */
import type { Host } from '../host.ts';

/** Waits in a row without an accepted request, after which the service is held to be closed. */
const waitsAtMost = 10;
/** Milliseconds to wait after a burst that names no time; doubled with each further one in a row. */
const firstWait = 500;
const longestWait = 30_000;
/** Milliseconds of waiting after which the service counts anew. */
const anew = 500;

export class Pace {
  readonly #host: Host;
  readonly #most: number;
  readonly #mostRate: number;
  #allowed: number;
  #active = 0;
  #calm = 0;
  #nextAt = 0;
  #notBefore = 0;
  #waiting: (() => void)[] = [];
  /** How many requests left, and how many of them before the last burst was known. */
  #turns = 0;
  #burst = 0;
  #waits = 0;
  /** When the first request after the last long wait left; when requests were accepted in the last second. */
  #since: number | undefined;
  #accepted: number[] = [];
  /** The rate that a burst has taught, when that was, and how many seconds it is kept. */
  #learned = Number.POSITIVE_INFINITY;
  #learnedAt = 0;
  #keep = 1;

  /** `rate`: requests a second at the most; undefined: as fast as answers come. */
  constructor(host: Host, { concurrency, rate }: { concurrency: number; rate: number | undefined }) {
    this.#host = host;
    this.#most = concurrency;
    this.#allowed = concurrency;
    this.#mostRate = rate ?? Number.POSITIVE_INFINITY;
  }

  /** Runs `act` when it is its turn, and tells it which one. Rejects if the command is interrupted while it waits. */
  async turn<T>(act: (turn: number) => Promise<T>): Promise<T> {
    while (this.#active >= this.#allowed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#active += 1;
    try {
      await this.#moment();
      this.#since ??= this.#host.now();
      this.#turns += 1;
      return await act(this.#turns);
    } finally {
      this.#active -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** How many rows to have ready ahead of their turn: what is ready and has not left is unknown after a kill. */
  get ahead(): number {
    return this.#mostRate < Number.POSITIVE_INFINITY ? 1 : this.#allowed;
  }

  /** Whether the service accepted nothing after as many waits as it is given. */
  get closed(): boolean {
    return this.#waits >= waitsAtMost;
  }

  /** The service refused the request of a turn, or failed under it: it `asked` to wait so many milliseconds, or named no time. */
  slowDown(turn: number, asked: number | undefined) {
    const now = this.#host.now();
    const sameBurst = turn <= this.#burst;
    if (!sameBurst) {
      this.#burst = this.#turns;
      this.#waits += 1;
      this.#calm = 0;
      this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    }
    const wait = asked ?? (sameBurst ? 0 : Math.min(firstWait * 2 ** (this.#waits - 1), longestWait));
    this.#notBefore = Math.max(this.#notBefore, now + wait);
    if (!sameBurst) this.#learn(now, wait);
  }

  /** An answer came without a complaint. */
  went() {
    const now = this.#host.now();
    this.#waits = 0;
    this.#accepted.push(now);
    if (this.#accepted.length > 4096) this.#accepted = this.#lastSecond(now);
    this.#calm += 1;
    if (this.#allowed === this.#most || this.#calm < this.#allowed) return;
    this.#calm = 0;
    this.#allowed += 1;
    this.#waiting.shift()?.();
  }

  #lastSecond(now: number): number[] {
    return this.#accepted.filter((at) => at > now - 1000);
  }

  /** Most limits are per second: what was accepted in the last one is the rate, if requests left for that long; a part of it is too low a guess. */
  #learn(now: number, wait: number) {
    const seconds = (now - (this.#since ?? now)) / 1000;
    this.#accepted = this.#lastSecond(now);
    const accepted = this.#accepted.length;
    const before = this.#rate(now);
    if (before < Number.POSITIVE_INFINITY && before > 1.3 * accepted) {
      // Fewer were accepted than were meant to leave: that says little of what the service takes.
      this.#learned = 0.8 * before;
      this.#keep = 3;
    } else if (accepted > 0 && seconds > 0) {
      const rate = seconds < 1 ? Math.min(Math.max((0.4 * accepted) / seconds, accepted), 2 * accepted) : accepted;
      this.#learned = Math.min(rate, before) * (seconds < 1 ? 0.97 : seconds < 3 ? 0.93 : 0.99);
      this.#keep = Math.min(Math.max(15 * seconds, 1), 60);
    }
    this.#learnedAt = now + wait;
    if (wait >= anew) this.#since = undefined;
  }

  /** A twentieth more after the time for which it is kept, a fifth after twice that, and ever faster. */
  #rate(now: number): number {
    return Math.min(this.#learned * Math.exp(0.05 * (Math.max(0, now - this.#learnedAt) / 1000 / this.#keep) ** 2), this.#mostRate);
  }

  /** Each waits for a moment of its own; where the service asks to wait meanwhile, for one after that. */
  async #moment() {
    let notBefore: number;
    do {
      notBefore = this.#notBefore;
      const now = this.#host.now();
      const at = Math.max(now, this.#nextAt, notBefore);
      const interval = 1000 / this.#rate(at);
      // Of a rate of our own, a moment that was missed by little is made up for.
      const credit = this.#learned < this.#mostRate ? 2 * interval : 0;
      this.#nextAt = Math.max(this.#nextAt, notBefore, now - credit) + interval;
      if (at > now) await this.#host.sleep(at - now);
    } while (this.#notBefore !== notBefore);
  }
}
