/**
 * How many reads may be in flight at once, for all that share these slots: first come, first served, at a pace that finds its
 * level. A read holds its slot until its answer has arrived, not until it has been parsed. Nothing is lost with a read, so each is a
 * trial of its own: where the service fails, refuses or ignores those beyond a number, fewer are sent, and these again.
 */
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import type { Concurrency } from './concurrency.ts';
import { Pace, type PaceHost, type PaceOptions, type Turn, timeLimit } from './pace.ts';
import { lateAfter } from './trial-reads.ts';

/** The turns of the event loop after which a request that got a free slot has left: undici takes two of them. */
const turnsToLeave = 3;

/** How many answers may wait to be parsed before no further request leaves: they are in memory. */
const heldAtMost = 16;

/** How a request ended that held a slot: answered, refused because there were too many, or without a clear answer. */
export type SlotEnd = 'answered' | 'limited' | 'failed';

export type Slot = {
  /** Aborted where others are answered, and this request is not: the service may ignore some of so many. */
  readonly late: AbortSignal;
  /** Its answer has begun to arrive. */
  heard(): void;
  /** True if the failure may come from the number of requests: fewer are in flight from now on. `wait`: so long the service asked to wait, in milliseconds. */
  give(end?: SlotEnd, wait?: number): boolean;
};

/** Where a read was one of several and none is answered any more, it is late after so many times as long. */
const silentPeriods = 4;

type Waiting = { go(slot: Slot): void; stop(reason: unknown): void };

export class Slots {
  readonly #pace: Pace;
  readonly #limit: NonNullable<PaceOptions['limit']>;
  readonly #waiting = new Set<Waiting>();
  #stopped: { by: unknown } | undefined;
  #leaving = 0;
  /** Answers that wait to be parsed. */
  #held = 0;
  #parsed: (() => void)[] = [];
  #next: Promise<void> = Promise.resolve();
  /** The longest that an answer took, in milliseconds, and how many there were. */
  #slowest = 0;
  #answers = 0;
  /** Reads whose answer has not begun to arrive. */
  readonly #unheard = new Set<Turn>();

  constructor(host: PaceHost, concurrency: Concurrency, { limit = timeLimit }: Pick<PaceOptions, 'limit'> = {}) {
    this.#pace = new Pace(host, { concurrency, rate: undefined, isHarmless: true });
    this.#limit = limit;
  }

  /** `late`: how often the same read was given up before. Rejects with the reason of `stop`, or of an interruption. */
  take(late = 0): Promise<Slot> {
    if (this.#stopped) return Promise.reject(this.#stopped.by);
    return new Promise((go, stop) => {
      const waiting = { go, stop };
      this.#waiting.add(waiting);
      this.#turn(waiting, late).catch((error: unknown) => {
        this.#waiting.delete(waiting);
        stop(error);
      });
    });
  }

  #turn(waiting: Waiting, late: number): Promise<unknown> {
    const begin = (turn: Turn) =>
      new Promise<void>((free) => {
        this.#waiting.delete(waiting);
        this.#leaving += 1;
        void this.#left();
        waiting.go(this.#slot(turn, free, late));
      });
    return this.#pace.turn(begin, () => this.#mayBegin());
  }

  async #mayBegin(): Promise<boolean> {
    while (this.#held >= heldAtMost && !this.#stopped) await new Promise<void>((resolve) => this.#parsed.push(resolve));
    return !this.#stopped;
  }

  #slot(turn: Turn, free: () => void, before: number): Slot {
    const late = new AbortController();
    const heard = new AbortController();
    this.#unheard.add(turn);
    heard.signal.addEventListener('abort', () => this.#unheard.delete(turn), { once: true });
    void this.#awaited(late, heard.signal, before);
    return {
      late: late.signal,
      heard: () => heard.abort(),
      give: (end = 'answered', wait) => {
        const isExcused = this.#ended(turn, end, { wait, isLate: late.signal.aborted });
        heard.abort();
        free();
        return isExcused;
      },
    };
  }

  #ended(turn: Turn, end: SlotEnd, { wait, isLate }: { wait: number | undefined; isLate: boolean }): boolean {
    if (end === 'failed') return this.#pace.failed(turn, isLate ? this.#answering : undefined) || isLate;
    if (end === 'limited') {
      this.#pace.slowDown(turn, wait);
      return !this.#pace.closed;
    }
    this.#pace.went(turn);
    this.#answers += 1;
    this.#slowest = Math.max(this.#slowest, this.#pace.sinceBegan(turn));
    return false;
  }

  /** How many reads are in flight that are not about to be late. */
  get #answering(): number {
    const soonLate = lateAfter(this.#slowest) / 2;
    const late = [...this.#unheard].filter((turn) => this.#pace.sinceBegan(turn) >= soonLate);
    return Math.max(1, this.#pace.inFlight - late.length);
  }

  /** Gives up a read that is late where others were answered meanwhile, or before: twice as late as the time before. */
  async #awaited(late: AbortController, heard: AbortSignal, before: number) {
    const answers = this.#answers;
    const isOneOfMany = this.#pace.inFlight > 1;
    for (let periods = 1; !heard.aborted; periods += 1) {
      await this.#limit(lateAfter(this.#slowest) * 2 ** before, heard).catch(() => {});
      const isSilent = periods >= silentPeriods && isOneOfMany && answers > 0;
      if (!heard.aborted && (this.#answers > answers || isSilent)) return late.abort('late');
    }
  }

  /** No further request may begin; those that wait are rejected. */
  stop(by: unknown): void {
    this.#stopped ??= { by };
    for (const { stop } of this.#waiting) stop(by);
    this.#waiting.clear();
    this.#wake();
  }

  /**
   * Resolves once the requests that got free slots have left, for one caller per turn of the event loop: an answer is
   * better parsed and judged while the next ones are on their way, and those that arrive meanwhile free their slots.
   */
  whenSent(): Promise<void> {
    this.#held += 1;
    this.#next = this.#next.then(async () => {
      await this.#allLeft();
      this.#held -= 1;
      this.#wake();
    });
    return this.#next;
  }

  #wake() {
    for (const wake of this.#parsed.splice(0)) wake();
  }

  async #allLeft() {
    do await afterThisTurn();
    while (this.#leaving > 0);
  }

  async #left() {
    for (let turn = 0; turn < turnsToLeave; turn += 1) await afterThisTurn();
    this.#leaving -= 1;
  }
}
