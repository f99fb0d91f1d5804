/**
 * How many requests may be in flight at once, for all that share these slots: first come, first served. A request
 * holds its slot until its answer has arrived, not until it has been read through.
 */
import { setImmediate as afterThisTurn } from 'node:timers/promises';

/** The turns of the event loop after which a request that got a free slot has left: undici takes two of them. */
const turnsToLeave = 3;

export class Slots {
  #free: number;
  readonly #waiting: { go(): void; stop(reason: unknown): void }[] = [];
  #stopped: { by: unknown } | undefined;
  #leaving = 0;
  #next: Promise<void> = Promise.resolve();

  constructor(free: number) {
    this.#free = free;
  }

  /** Rejects with the reason of `stop`. */
  async take(): Promise<void> {
    if (this.#stopped) throw this.#stopped.by;
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((go, stop) => this.#waiting.push({ go, stop }));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#leaving += 1;
    next.go();
    void this.#left();
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
    this.#next = this.#next.then(() => this.#allLeft());
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
