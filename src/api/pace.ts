/**
 * The pace of requests: a number in flight, a rate per second, and none while the service asks to wait. A burst of
 * 429s counts once: afterwards the number is halved, and `LearnedRate` takes the rate from it. A higher number is tried
 * with reads first, so that no write is lost to a service that it overloads.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { Host } from '../host/host.ts';
import { type Concurrency, firstLevel, mostInFlight } from './concurrency.ts';
import { ConcurrencyLevel } from './concurrency-level.ts';
import { LearnedRate } from './learned-rate.ts';
import { untilNoticed } from './retry.ts';
import { steadyClock } from './steady-clock.ts';
import { fewerThan, shortestTrial, type Trial, type TrialOptions, type TrialResult, type TriedRead, tryReads } from './trial-reads.ts';

/** Waits in a row without an accepted request, after which the import gives up. */
const waitsAtMost = 10;
/** Milliseconds to wait after a burst that names no time; doubled with each further one in a row. */
const firstWait = 500;
const longestWait = 30_000;

/**
 * Before the first of so many requests, one read for every few of them is tried, up to so many, and at least one more than are in
 * flight at first. Before many, one is tried alone.
 */
const explored = { forEvery: 8, most: 64, many: 20 };
/** Writes are answered about as soon as reads if they take at most so many times as long. */
const asSoon = 2;
/** After a failure, so many more reads are tried than requests may be in flight: connections rest, too. */
const besideLevel = 8;

/** The turn of a request. `began`: when it took its place, in milliseconds; `paced`: it waited for the rate or a pause. */
export type Turn = { readonly number: number; readonly began: number; readonly paced: boolean };

export type PaceHost = Pick<Host, 'now' | 'sleep'> & Partial<Pick<Host, 'log'>>;

export type PaceOptions = {
  concurrency: Concurrency;
  /** Requests a second at the most; undefined: as fast as answers come. */
  rate: number | undefined;
  /** A harmless read: a higher level is tried with as many of them, before so many writes are in flight. */
  trial?: Trial;
  /** A time limit, which `over` ends. Milliseconds. */
  limit?: TrialOptions['limit'];
  /** Nothing is lost with a request that fails: the first ones already show how many the service can take. */
  isHarmless?: boolean;
  /** How long an answer may be expected to take for more requests to be in flight. Milliseconds. */
  patience?: number | undefined;
};

export const timeLimit = (milliseconds: number, signal: AbortSignal) => after(milliseconds, undefined, { signal });

export class Pace {
  readonly #host: PaceHost;
  readonly #now: () => number;
  readonly #level: ConcurrencyLevel;
  readonly #most: number;
  readonly #rate: LearnedRate;
  readonly #try: Trial | undefined;
  readonly #limit: TrialOptions['limit'];
  #active = 0;
  /** The level that the log has last. */
  #logged: number;
  /** The highest level that the service was seen to take. */
  #borne: number;
  #trying = false;
  /** How long the reads before the first write took, until the first step up. Milliseconds. */
  #readsTook = 0;
  #isExplored = false;
  /** The turns before the last failure was known, and whether it came from the number of requests. */
  #failedUntil = 0;
  #excused = false;
  /** A request was carried out since the last failure. */
  #carriedOut: boolean;
  /** The service could not take as many requests, or connections, as were tried first. */
  #isScarce = false;
  /** Reads have to show again what the service can take. */
  #doubted = false;
  /** Told when no turn is in flight any more, during a trial. */
  #idle: () => void = () => {};
  /** The last turn while more were in flight than at first. */
  #lastRaised = 0;
  #nextAt = 0;
  #notBefore = 0;
  #waiting: (() => void)[] = [];
  /** How many requests were sent, and how many of them before the last burst was known. */
  #turns = 0;
  #burst = 0;
  #waits = 0;

  constructor(host: PaceHost, { concurrency, rate, trial, patience, limit = timeLimit, isHarmless = false }: PaceOptions) {
    this.#host = host;
    this.#now = steadyClock(host);
    const most = mostInFlight(concurrency);
    const start = firstLevel(concurrency);
    this.#level = new ConcurrencyLevel({ start, most, patience });
    this.#borne = start;
    this.#logged = start;
    this.#isExplored = trial === undefined;
    this.#carriedOut = isHarmless;
    this.#most = most;
    this.#rate = new LearnedRate(rate);
    this.#try = trial;
    this.#limit = limit;
  }

  /**
   * Before the first of many requests: tries with reads how many the service can take at once, requests and connections. Where it
   * cannot take as many as are in flight at first, fewer are. Where `rate` leaves no time for so many reads, the number stays as
   * it is for a while.
   */
  async explore(requests: number): Promise<void> {
    const share = Math.min(explored.most, Math.floor(requests / explored.forEvery));
    const reads = Math.min(requests, this.#atLeast(share));
    if (this.#try && requests > 1 && this.#hasTimeFor(reads)) await this.#explored(reads, this.#try);
    this.#isExplored = true;
  }

  /** A connection that rests shows how long the service keeps them, and needs a place of its own beside those in use. */
  #atLeast(reads: number): number {
    return Math.max(Math.min(this.#most, reads), this.#level.now + 1);
  }

  /** Whether `rate` leaves a second for so many reads. */
  #hasTimeFor(reads: number): boolean {
    return reads <= (this.#rate.most * shortestTrial) / 1000;
  }

  /** Tries so many reads, and fewer where these fail; then the level is one that was borne. */
  async #explored(reads: number, attempt: Trial) {
    this.#trying = true;
    if (this.#active > 0) await this.#whenIdle();
    const alone = reads > explored.many ? await this.#tried(1, attempt) : undefined;
    const began = this.#now();
    const trial = alone && alone.end !== 'answered' ? alone : await this.#tried(reads, attempt);
    if (trial.end === 'answered') {
      this.#borne = Math.max(this.#borne, reads);
      this.#readsTook = this.#now() - began;
    } else {
      this.#level.dismiss(this.#now());
      if (trial.end !== 'limited') await this.#lower(fewerThan(reads, trial), attempt);
    }
    this.#trying = false;
  }

  /** Begins with as many as reads show that the service can take; as before, where it answers not even one alone. */
  async #lower(most: number, attempt: Trial) {
    for (let reads = most; reads > 0; ) {
      const isInterrupted = await this.#host.sleep(untilNoticed).then(
        () => false,
        () => true,
      );
      if (isInterrupted) return;
      const trial = await this.#tried(reads, attempt);
      if (trial.end === 'limited') return;
      if (trial.end === 'answered') return this.#beginWith(reads);
      reads = fewerThan(reads, trial);
    }
  }

  /** `reads`: so many were borne. */
  #beginWith(reads: number) {
    this.#borne = reads;
    this.#isScarce = true;
    const level = Math.max(1, reads - 1);
    if (level < this.#level.now) this.#level.begin(level, this.#now());
    this.#logLevel();
  }

  /** How many requests may be in flight at the moment. */
  get level(): number {
    return this.#level.now;
  }

  /**
   * Runs `act` when it is its turn, and tells it which one. `prepare` is awaited right before, once the request has its
   * place: what resolves to false gives the turn up. Rejects if the command is interrupted while it waits.
   */
  async turn<T>(act: (turn: Turn) => Promise<T>, prepare?: () => Promise<boolean>): Promise<T | undefined> {
    while (this.#trying || this.#active >= this.#level.now) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#active += 1;
    const began = this.#now();
    try {
      let paced = await this.#moment();
      if (prepare) {
        if (!(await prepare())) return undefined;
        // Meanwhile the service may have asked to wait.
        if (this.#notBefore > this.#now()) paced = await this.#moment();
      }
      return await act(this.#begin(began, paced));
    } finally {
      this.#active -= 1;
      if (!this.#trying) this.#waiting.shift()?.();
      else if (this.#active === 0) this.#idle();
    }
  }

  /** How long ago a turn took its place. Milliseconds. */
  sinceBegan({ began }: Turn): number {
    return this.#now() - began;
  }

  #begin(began: number, paced: boolean): Turn {
    this.#rate.begin(this.#now());
    this.#turns += 1;
    if (this.#level.raised) this.#lastRaised = this.#turns;
    return { number: this.#turns, began, paced };
  }

  /** How many requests are in flight. */
  get inFlight(): number {
    return this.#active;
  }

  /** Whether the service accepted nothing after as many waits as it is given. */
  get closed(): boolean {
    return this.#waits >= waitsAtMost;
  }

  /** The service refused the request of a turn, or failed under it: it `asked` to wait so many milliseconds, or named no time. */
  slowDown({ number }: Turn, asked: number | undefined) {
    const now = this.#now();
    const sameBurst = number <= this.#burst;
    if (!sameBurst) {
      this.#burst = this.#turns;
      this.#waits += 1;
      this.#level.halve(now);
    }
    const wait = asked ?? (sameBurst ? 0 : Math.min(firstWait * 2 ** (this.#waits - 1), longestWait));
    this.#notBefore = Math.max(this.#notBefore, now + wait);
    if (sameBurst) return;
    this.#rate.refused(now, { wait, turn: number, turns: this.#turns });
    const rate = this.#rate.at(now);
    this.#host.log?.({
      event: 'slow_down',
      wait: Math.round(wait),
      concurrency: this.#level.now,
      rate: Number.isFinite(rate) ? Math.round(rate * 10) / 10 : null,
    });
    this.#logged = this.#level.now;
    this.#rate.paused(wait);
  }

  #logLevel() {
    const { now: to } = this.#level;
    if (to === this.#logged) return;
    this.#host.log?.({ event: 'concurrency', from: this.#logged, to });
    this.#logged = to;
  }

  /** The request of a turn was accepted. */
  went({ number: turn, began, paced }: Turn) {
    const now = this.#now();
    this.#waits = 0;
    this.#carriedOut = true;
    this.#rate.accepted(now, turn);
    this.#level.answered({ began, ended: now, wanted: !paced && this.#waiting.length > 0 });
    this.#logLevel();
    this.#grow();
  }

  /**
   * The request of a turn failed without a clear answer. True if fewer requests at a time may be carried out: more were in flight
   * than at first, or than now, or some were carried out since the last failure. From then on there are no more than at first, or
   * half as many, and reads show how many the service can take. `borne`: so many were answered meanwhile, and no more will be in flight.
   */
  failed({ number }: Turn, borne = Number.POSITIVE_INFINITY): boolean {
    if (number <= this.#failedUntil) return this.#excused;
    const raised = this.#level.raised || number <= this.#lastRaised;
    const more = this.#active > this.#level.now;
    this.#excused = raised || more || (this.#carriedOut && this.#level.now > 1);
    this.#failedUntil = this.#turns;
    this.#carriedOut = false;
    if (raised) this.#level.fail(this.#now());
    const fewer = this.#excused && !raised && !more ? this.#level.now >> 1 : this.#level.now;
    if (Math.min(fewer, borne) < this.#level.now) this.#level.begin(Math.min(fewer, borne), this.#now());
    this.#logLevel();
    // Where one is sent at a time, no fewer can be.
    this.#doubted = this.#try !== undefined && this.#most > 1;
    void this.#reassured();
    return this.#excused;
  }

  /** After a failure, reads show what the service can take, before the next write. */
  async #reassured() {
    if (this.#trying || !this.#doubted || !this.#try || !this.#isExplored) return;
    this.#doubted = false;
    const reads = this.#atLeast(this.#level.now + besideLevel);
    if (this.#hasTimeFor(reads)) await this.#explored(reads, this.#try);
    this.#wake();
  }

  #grow() {
    const step = this.#level.next;
    const { now } = this.#level;
    if (step === undefined || this.#trying || !this.#isExplored) return this.#wake();
    const next = this.#leap(step);
    // Too few requests are left for a higher level.
    if (this.#waiting.length < next.level - now) return;
    if (!this.#try || next.level <= this.#borne) return this.#rise(next.level);
    this.#trying = true;
    // Where connections are scarce, one that is closed and one that is opened may overlap.
    const reads = next.level + (this.#isScarce ? 1 : 0);
    void this.#tried(reads, this.#try, next.latency).then(({ end }) => {
      this.#trying = false;
      if (end === 'answered') this.#rise(next.level);
      else this.#level.dismiss(this.#now());
      void this.#reassured();
      this.#wake();
    });
  }

  /** The first step goes as far as reads have shown before the first write, if writes are answered about as soon as they were. */
  #leap(step: { level: number; latency: number }): { level: number; latency: number } {
    const took = this.#readsTook;
    this.#readsTook = 0;
    return this.#level.raised || step.level > this.#borne || step.latency > asSoon * took ? step : { ...step, level: this.#borne };
  }

  #rise(level: number) {
    this.#borne = Math.max(this.#borne, level);
    this.#level.rise(this.#now(), level);
    this.#logLevel();
    this.#wake();
  }

  /** Sends so many reads at once, while no other request is in flight. `latency`: how long an answer takes, if known. */
  async #tried(reads: number, attempt: Trial, latency?: number): Promise<TrialResult> {
    const result = await tryReads({
      reads,
      latency,
      begins: () => this.#whenIdle().then(() => latency === undefined || this.#level.next !== undefined),
      read: (over) => this.#attempted(attempt, over),
      now: this.#now,
      limit: this.#limit,
    });
    if (result.end === 'limited') this.#limitedTrial(reads, result);
    return result;
  }

  /** Where many reads were sent and most were accepted, they tell as much about the limit as writes would. */
  #limitedTrial(reads: number, { answered, wait }: TrialResult) {
    if (reads > explored.many && answered > reads / 2) this.#rate.refused(this.#now(), { wait, turn: this.#turns, turns: this.#turns });
    this.#rate.paused(wait);
  }

  #whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle = resolve;
      if (this.#active === 0) resolve();
    });
  }

  async #attempted(attempt: Trial, over: AbortSignal): Promise<TriedRead> {
    try {
      await this.#moment();
      if (over.aborted) return { end: 'failed', wait: 0 };
      this.#rate.begin(this.#now());
      const end = await attempt(over);
      if (end === 'answered') this.#rate.accepted(this.#now());
      if (typeof end !== 'object') return { end, wait: 0 };
      const wait = end.wait ?? firstWait;
      this.#notBefore = Math.max(this.#notBefore, this.#now() + wait);
      return { end: 'limited', wait };
    } catch {
      // The command is interrupted, or the trial has ended.
      return { end: 'failed', wait: 0 };
    }
  }

  #wake() {
    for (let free = this.#level.now - this.#active; free > 0 && this.#waiting.length > 0; free -= 1) this.#waiting.shift()?.();
  }

  /** Each waits for a moment of its own; where the service asks to wait meanwhile, for one after that. True if it had to wait. */
  async #moment(): Promise<boolean> {
    let notBefore: number;
    let waited = false;
    do {
      notBefore = this.#notBefore;
      const now = this.#now();
      const at = Math.max(now, this.#nextAt, notBefore);
      const interval = 1000 / this.#rate.at(at);
      // Of a rate of our own, a moment that was missed by little is made up for.
      const credit = this.#rate.isLearned ? 2 * interval : 0;
      this.#nextAt = Math.max(this.#nextAt, notBefore, now - credit) + interval;
      if (at > now) {
        waited = true;
        await this.#host.sleep(at - now);
      }
    } while (this.#notBefore !== notBefore);
    return waited;
  }
}
