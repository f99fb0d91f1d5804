/**
 * The pace of requests: a number at a time, a rate per second, and none while the service asks to wait. A burst of
 * 429s counts once: afterwards the number is halved, and the rate is set slightly below what the service accepted
 * before. Both grow again, the rate more slowly the more certain it is.
 */
import type { Host } from '../../host/host.ts';
import { fixedWindow } from './fixed-window.ts';

/** Waits in a row without an accepted request, after which the import gives up. */
const waitsAtMost = 10;
/** Milliseconds to wait after a burst that names no time; doubled with each further one in a row. */
const firstWait = 500;
const longestWait = 30_000;
/** A wait after which the service is assumed to count anew. Milliseconds. */
const anew = 500;
/** Answers that are remembered. */
const rememberedAtMost = 4096;
/** Bursts that are remembered. */
const burstsAtMost = 4;
/** The share of what a service was seen to take that it is sent: a burst costs more than a little less a second. */
const margin = 0.98;

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
  /** How many requests were sent, and how many of them before the last burst was known. */
  #turns = 0;
  #burst = 0;
  #waits = 0;
  /** The turn that was refused first in the last burst. */
  #refused = 0;
  /** When the first request after the last long wait was sent, and how long that wait was, in seconds. */
  #since: number | undefined;
  #waited = 0;
  /** When requests were accepted, the latest last. */
  #accepted: number[] = [];
  /** The rate that a burst has taught, when that was, and how many seconds it is kept. */
  #learned = Number.POSITIVE_INFINITY;
  #learnedAt = 0;
  #keep = 1;
  /** What was accepted before the first burst, and in how many seconds and turns: the rate for so long, and what the service had in reserve. */
  #first: { accepted: number; seconds: number; turns: number } | undefined;
  #refills = false;
  /** When each burst of refusals began. */
  #bursts: number[] = [];

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

  /** How many rows to have ready ahead of their turn: the outcome of a row that is ready but not sent is unknown after a kill. */
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
      this.#refused = turn;
      this.#waits += 1;
      this.#calm = 0;
      this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    }
    const wait = asked ?? (sameBurst ? 0 : Math.min(firstWait * 2 ** (this.#waits - 1), longestWait));
    this.#notBefore = Math.max(this.#notBefore, now + wait);
    if (sameBurst) return;
    this.#learn(now, wait);
    const rate = this.#rate(now);
    this.#host.log?.({
      event: 'slow_down',
      wait: Math.round(wait),
      concurrency: this.#allowed,
      rate: Number.isFinite(rate) ? Math.round(rate * 10) / 10 : null,
    });
  }

  /** The request of a turn was accepted. */
  went(turn: number) {
    const now = this.#host.now();
    this.#waits = 0;
    this.#accepted.push(now);
    if (this.#accepted.length > rememberedAtMost) this.#accepted = this.#accepted.slice(-rememberedAtMost / 2);
    if (turn > this.#refused && turn <= (this.#first?.turns ?? 0)) this.#refilled();
    this.#calm += 1;
    if (this.#allowed === this.#most || this.#calm < this.#allowed) return;
    this.#calm = 0;
    this.#allowed += 1;
    this.#waiting.shift()?.();
  }

  /**
   * A service that accepts a request after it has refused one before has no window that has to end: it
   * refills all the time. So few were accepted before the first burst that its rate is quickly tried out.
   */
  #refilled() {
    if (this.#refills || !this.#first) return;
    this.#refills = true;
    const { accepted, seconds } = this.#first;
    this.#learned = Math.max(this.#learned, Math.min(0.5 / seconds, 4) * accepted);
    this.#keep = 0.7;
  }

  /** What the last burst tells of the rate. */
  #learn(now: number, wait: number) {
    const seconds = (now - (this.#since ?? now)) / 1000;
    const accepted = this.#accepted.filter((at) => at >= (this.#since ?? now));
    const inLastSecond = accepted.filter((at) => at > now - 1000).length;
    const before = this.#rate(now);
    const quickly = this.#keep < 1;
    this.#bursts = [...this.#bursts.filter((at) => at >= (this.#accepted[0] ?? now)), now].slice(-burstsAtMost);
    // A window that ends while refusals arrive looks like a refill; a service that refills asks for short waits.
    const window = this.#refills && wait < anew ? undefined : fixedWindow(this.#accepted, this.#bursts);
    if (window !== undefined) {
      this.#learned = Math.min(window, before) * margin;
      this.#keep = 60;
    } else if (!this.#first) {
      this.#first = { accepted: accepted.length, seconds, turns: this.#turns };
      this.#learned = Math.min(before, accepted.length / Math.max(seconds, 1)) * margin;
      this.#keep = Math.min(Math.max(0.4 * accepted.length, 0.7), 20);
    } else if (seconds < 0.5 || (!quickly && before > 1.3 * inLastSecond)) {
      // Fewer were accepted than were meant to be sent: that says little about the limit of the service.
      this.#learned = 0.8 * before;
      this.#keep = 3;
    } else {
      this.#learned = Math.min(this.#estimate(now, accepted, inLastSecond, seconds), before) * margin;
      // What was tried out quickly is checked soon: a machine that was busy then makes it too low.
      this.#keep = quickly ? 5 : Math.min(Math.max(15 * seconds, 1), 60);
    }
    this.#learned = Math.max(this.#learned, 1);
    this.#learnedAt = now + wait;
    if (wait < anew) return;
    this.#since = undefined;
    this.#waited = wait / 1000;
  }

  /**
   * Requests a second that the service takes in the long run. Most limits are per second, so what was
   * accepted in the last one is the rate. A service with a small reserve accepted that much more: without
   * it, the rate is what the best time since the last wait comes to. A burst soon after a wait has seen too
   * little: the requests of two windows may stand in one second, so the wait counts as well.
   */
  #estimate(now: number, accepted: readonly number[], inLastSecond: number, seconds: number): number {
    let rate = inLastSecond / Math.min(1, seconds);
    const reserve = this.#first ?? { accepted: 0, seconds: 0 };
    if (reserve.accepted < 0.8 * inLastSecond) {
      const rates = accepted.flatMap((at, index) => {
        const time = (now - at) / 1000;
        return time < 1 || time <= reserve.seconds ? [] : (accepted.length - index - reserve.accepted) / (time - reserve.seconds);
      });
      rate = Math.min(
        rate,
        rates.reduce((best, one) => Math.max(best, one), 0.7 * inLastSecond),
      );
    }
    if (seconds >= 1.5) return rate;
    return Math.min(rate, Math.max(0.85 * rate, Math.sqrt((rate * accepted.length) / (seconds + this.#waited))));
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
