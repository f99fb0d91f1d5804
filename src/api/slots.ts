/**
 * How many requests may be in flight at once, for all that share these slots: first come, first served. Their number is
 * fixed, or finds its level. A request holds its slot until its answer has arrived, not until it has been read through.
 */
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import type { Host } from '../host/host.ts';
import { type Concurrency, firstLevel, mostInFlight } from './concurrency.ts';
import { ConcurrencyLevel } from './concurrency-level.ts';

/** The turns of the event loop after which a request that got a free slot has left: undici takes two of them. */
const turnsToLeave = 3;

/** How many answers may wait to be parsed before no further request leaves: they are in memory. */
const heldAtMost = 16;

/** How a request ended that held a slot: answered, refused because there were too many, or without a clear answer. */
export type SlotEnd = 'answered' | 'limited' | 'failed';

export class Slots {
  readonly #level: ConcurrencyLevel;
  readonly #now: () => number;
  #host: Pick<Host, 'log'> = {};
  #taken = 0;
  /** When the last burst of refusals or failures began to arrive. */
  #burst = Number.NEGATIVE_INFINITY;
  readonly #waiting: { go(): void; stop(reason: unknown): void }[] = [];
  #stopped: { by: unknown } | undefined;
  #leaving = 0;
  /** Answers that wait to be parsed. */
  #held = 0;
  #next: Promise<void> = Promise.resolve();

  constructor(concurrency: Concurrency, now = () => performance.now()) {
    const most = mostInFlight(concurrency);
    this.#level = new ConcurrencyLevel({ start: firstLevel(concurrency), most });
    this.#now = now;
  }

  /** Each change of their number is recorded there. */
  logTo(host: Pick<Host, 'log'>): void {
    this.#host = host;
  }

  /** Resolves to when the slot was taken, in milliseconds. Rejects with the reason of `stop`. */
  async take(): Promise<number> {
    if (this.#stopped) throw this.#stopped.by;
    if (this.#isFree) this.#taken += 1;
    else await new Promise<void>((go, stop) => this.#waiting.push({ go, stop }));
    return this.#now();
  }

  /** `began`: when it was taken. */
  give(began: number, end: SlotEnd = 'answered'): void {
    const now = this.#now();
    const from = this.#level.now;
    if (end === 'answered') {
      this.#level.answered({ began, ended: now, wanted: this.#waiting.length > 0 });
      this.#level.rise(now);
    } else if (began >= this.#burst) {
      // A read that fails three times ends the command.
      if (end === 'limited') this.#level.halve(now);
      else if (this.#level.raised) this.#level.fail(now);
      else this.#level.halve(now, { least: 1 });
      this.#burst = now;
    }
    const to = this.#level.now;
    if (to !== from) this.#host.log?.({ event: 'concurrency', from, to });
    this.#taken -= 1;
    this.#admit();
  }

  get #isFree(): boolean {
    return this.#taken < this.#level.now && this.#held < heldAtMost;
  }

  #admit() {
    while (this.#isFree) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#taken += 1;
      this.#leaving += 1;
      next.go();
      void this.#left();
    }
  }

  /** No further request may begin; those that wait are rejected. */
  stop(by: unknown): void {
    this.#stopped ??= { by };
    for (const { stop } of this.#waiting.splice(0)) stop(by);
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
      this.#admit();
    });
    return this.#next;
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
