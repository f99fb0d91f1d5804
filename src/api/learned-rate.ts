/**
 * The rate of requests that a service accepts, as its refusals show it. After a burst of them it is slightly below what the
 * service accepted before, and grows again, the more slowly the more certain it is. It knows no clock: times come with the
 * requests.
 */
import { fixedWindow } from './fixed-window.ts';

/** A wait after which the service is assumed to count anew. Milliseconds. */
const anew = 500;
/** Answers that are remembered. */
const rememberedAtMost = 4096;
/** Bursts that are remembered. */
const burstsAtMost = 4;
/** The share of what a service was seen to take that it is sent: a burst costs more than a little less a second. */
const margin = 0.98;

export class LearnedRate {
  /** Requests a second at the most, whatever was learned. */
  readonly most: number;
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

  /** `most`: undefined if there is no limit. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.most = most;
  }

  /** Whether the rate is one that a burst has taught. */
  get isLearned(): boolean {
    return this.#learned < this.most;
  }

  /** A request is sent. */
  begin(now: number) {
    this.#since ??= now;
  }

  /** The service is assumed to count anew after a long wait. Milliseconds. */
  paused(wait: number) {
    if (wait < anew) return;
    this.#since = undefined;
    this.#waited = wait / 1000;
  }

  /** A request was accepted: that of a turn, or a read of a trial. */
  accepted(now: number, turn = 0) {
    this.#accepted.push(now);
    if (this.#accepted.length > rememberedAtMost) this.#accepted = this.#accepted.slice(-rememberedAtMost / 2);
    if (turn > this.#refused && turn <= (this.#first?.turns ?? 0)) this.#refilled();
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

  /** A burst of refusals began: `turn` was refused first, of so many `turns`. `wait`: until the next request, in milliseconds. */
  refused(now: number, { wait, turn, turns }: { wait: number; turn: number; turns: number }) {
    this.#refused = turn;
    const seconds = (now - (this.#since ?? now)) / 1000;
    const accepted = this.#accepted.filter((at) => at >= (this.#since ?? now));
    const inLastSecond = accepted.filter((at) => at > now - 1000).length;
    const before = this.at(now);
    const quickly = this.#keep < 1;
    this.#bursts = [...this.#bursts.filter((at) => at >= (this.#accepted[0] ?? now)), now].slice(-burstsAtMost);
    // A window that ends while refusals arrive looks like a refill; a service that refills asks for short waits.
    const window = this.#refills && wait < anew ? undefined : fixedWindow(this.#accepted, this.#bursts);
    if (window !== undefined) {
      this.#learned = Math.min(window, before) * margin;
      this.#keep = 60;
    } else if (!this.#first) {
      this.#first = { accepted: accepted.length, seconds, turns };
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

  /** Requests a second that may be sent: a twentieth more after the time for which it is kept, a fifth after twice that, and ever faster. */
  at(now: number): number {
    return Math.min(this.#learned * Math.exp(0.05 * (Math.max(0, now - this.#learnedAt) / 1000 / this.#keep) ** 2), this.most);
  }
}
