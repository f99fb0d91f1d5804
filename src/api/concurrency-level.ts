/**
 * How many requests may be in flight: a number that a user has set, or one that finds its level. It goes up while
 * each step brings a tenth more answers a second, and back when a step does not, or when answers get slower. Too
 * many requests halve it, and it remembers where that was. It knows no clock: times come with the answers.
 */

/** Each step up has to bring so many times the answers a second; a step down may cost as much. */
const worthwhile = 1.1;
/** Answers are slower when they take so many times as long as at the best time. */
const slower = 1.5;
/** A queue forms where answers take so many times as long as before a step up. */
const queued = 1.25;
/** What is in flight beside what the service works on at its best, as a share. */
const reserve = 1.25;
/** A level is judged after at least so many milliseconds, and after two answers for each request in flight; the first, large steps after one. */
const judgedAfter = 50;
/** No level is judged by fewer answers. */
const fewest = 4;
/** Between a level that is good and one that is not, levels are tried while they are so many times the good one. */
const finest = 1.2;
/** The step up once a level has held for a while. */
const cautious = 1.25;
/** How long a level holds before a higher one is tried again; doubled each time that brought nothing. Milliseconds. */
const firstHold = 1_000;
const longestHold = 60_000;
/** The same after too many requests. */
const holdAfterBreak = 10_000;
/** The share of the level that broke, up to which it grows again. */
const belowBreak = 0.85;

/** An answer: when its request took its place and when it arrived, in milliseconds. `wanted`: the place was waited for. */
export type AnswerTimes = { began: number; ended: number; wanted: boolean };

export type LevelOptions = {
  /** The level to begin with, and the highest one. A fixed level has the same for both. */
  start: number;
  most: number;
  /** How long an answer may be expected to take for the level to go up. Milliseconds. */
  patience?: number | undefined;
};

/** The answers to requests that were sent since the present level was reached. `times`: what each took, in milliseconds. */
type Judged = { opened: number | undefined; wanted: number; times: number[] };

/** A level on trial: the one before, with its answers a millisecond and its milliseconds an answer. */
type Trial = { from: number; rate: number; latency: number };

export class ConcurrencyLevel {
  #start: number;
  readonly #patience: number;
  #most: number;
  #now: number;
  /** Grows by one at a time up to here after it was halved. */
  #ceiling: number;
  #recovering = false;
  #calm = 0;
  #judged: Judged;
  #trial: Trial | undefined;
  /** The level that last brought nothing, and until when none is tried. */
  #vain: number | undefined;
  #hold = firstHold;
  #holdsUntil = 0;
  #held = false;
  #best = Number.POSITIVE_INFINITY;
  #next: { level: number; trial: Trial } | undefined;

  constructor({ start, most, patience = Number.POSITIVE_INFINITY }: LevelOptions) {
    this.#start = start;
    this.#most = most;
    this.#patience = patience;
    this.#now = start;
    this.#ceiling = most;
    this.#judged = judgedFrom(undefined);
  }

  /** How many requests may be in flight. */
  get now(): number {
    return this.#now;
  }

  /** Whether more are in flight than at the start: a failure may then come from their number. */
  get raised(): boolean {
    return this.#now > this.#start;
  }

  /** The level to try, and how long an answer takes now: `rise` goes there, `dismiss` gives it up. Undefined while there is none. */
  get next(): { level: number; latency: number } | undefined {
    return this.#next && { level: this.#next.level, latency: this.#next.trial.latency };
  }

  /** Goes to the next level, or to a higher one that is known to be borne. `now`: in milliseconds. */
  rise(now: number, level = this.#next?.level ?? this.#now) {
    if (!this.#next) return;
    const { trial } = this.#next;
    this.#next = undefined;
    this.#trial = trial;
    this.#goTo(level, now);
  }

  /** A request was carried out. */
  answered(answer: AnswerTimes) {
    if (this.#recovering) this.#recover(answer.ended);
    if (this.#start === this.#most || this.#recovering || this.#next) return;
    const judged = this.#judged;
    judged.opened ??= answer.began;
    if (answer.began < judged.opened) return;
    judged.times.push(answer.ended - answer.began);
    if (answer.wanted) judged.wanted += 1;
    const { length } = judged.times;
    const growing = !this.#held && this.#vain === undefined;
    if (length < Math.max(fewest, growing ? this.#now : 2 * this.#now) || answer.ended - judged.opened < judgedAfter) return;
    // A queue that forms is not full yet, and would make the step look better than it is.
    if (growing && this.#trial && length < 2 * this.#now && mean(judged.times) > queued * this.#trial.latency) return;
    this.#judged = judgedFrom(answer.ended);
    // Where places were free, or a rate decides, the answers say nothing about the level.
    if (judged.wanted < 0.9 * length) return;
    // The first ones after a step find a queue that is not full yet.
    this.#judge(mean(judged.times.slice(length >> 1)), answer.ended);
  }

  /** The service had too many requests: once for each burst. `least`: the level that it reaches again in any case. */
  halve(now: number, { least = this.#start } = {}) {
    const broke = this.#now;
    this.#giveUp();
    this.#ceiling = Math.min(this.#most, Math.max(least, Math.floor(broke * belowBreak)));
    this.#recovering = true;
    this.#calm = 0;
    this.#hold = Math.max(this.#hold, holdAfterBreak);
    this.#keepFor(now);
    this.#goTo(Math.max(1, Math.floor(broke / 2)), now);
  }

  /** Begins with fewer than it was made with: more overload the service. */
  begin(level: number, now: number) {
    this.#start = level;
    this.#goTo(level, now);
  }

  /** The next level was tried, and overloaded the service: a higher one is tried again once this one has held. */
  dismiss(now: number) {
    this.#giveUp();
    this.#keepFor(now);
  }

  /** Requests failed while the level was raised: it is not raised any more. */
  fail(now: number) {
    this.#giveUp();
    this.#most = this.#start;
    this.#ceiling = Math.min(this.#ceiling, this.#most);
    if (this.#now > this.#start) this.#goTo(this.#start, now);
  }

  #giveUp() {
    this.#next = undefined;
    this.#trial = undefined;
    this.#vain = undefined;
  }

  #goTo(level: number, now: number) {
    this.#now = level;
    this.#judged = judgedFrom(now);
  }

  #keepFor(now: number) {
    this.#held = true;
    this.#holdsUntil = now + this.#hold;
    this.#hold = Math.min(2 * this.#hold, longestHold);
  }

  #recover(now: number) {
    this.#calm += 1;
    if (this.#calm < this.#now && this.#now < this.#ceiling) return;
    this.#calm = 0;
    if (this.#now < this.#ceiling) this.#goTo(this.#now + 1, now);
    if (this.#now >= this.#ceiling) this.#recovering = false;
  }

  /** `latency`: how long a request has kept its place, in milliseconds. With all places taken, this says how many end in a time. */
  #judge(latency: number, now: number) {
    const rate = this.#now / latency;
    const trial = this.#trial;
    this.#trial = undefined;
    if (trial && this.#now > trial.from && rate < worthwhile * trial.rate) return this.#backFrom(trial, now);
    if (trial && this.#now < trial.from && rate * worthwhile < trial.rate) {
      // They take longer wherever they come from: that is how it is now.
      this.#best = trial.latency;
      this.#goTo(trial.from, now);
      return;
    }
    if (trial && this.#now > trial.from) this.#hold = firstHold;
    this.#best = Math.min(this.#best, latency);
    const enough = Math.max(this.#start, Math.ceil(rate * this.#best * reserve));
    if (latency > slower * this.#best && enough < this.#now) {
      this.#trial = { from: this.#now, rate, latency };
      this.#vain = this.#now;
      this.#keepFor(now);
      return this.#goTo(enough, now);
    }
    const level = this.#levelAfter(now);
    if (level > this.#now && (latency * level) / this.#now <= this.#patience)
      this.#next = { level, trial: { from: this.#now, rate, latency } };
  }

  #backFrom({ from }: Trial, now: number) {
    this.#vain = this.#now;
    this.#goTo(from, now);
  }

  /** The level to try after the present one has proved good. */
  #levelAfter(now: number): number {
    if (this.#held) {
      if (now < this.#holdsUntil) return this.#now;
      this.#held = false;
      this.#vain = undefined;
      return Math.min(this.#most, Math.ceil(this.#now * cautious));
    }
    if (this.#vain === undefined) return Math.min(this.#most, 2 * this.#now);
    const between = Math.floor((this.#now + this.#vain) / 2);
    if (between >= finest * this.#now) return between;
    this.#keepFor(now);
    return this.#now;
  }
}

function judgedFrom(opened: number | undefined): Judged {
  return { opened, wanted: 0, times: [] };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
