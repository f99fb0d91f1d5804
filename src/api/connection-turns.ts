/**
 * When a read may have the connection of one that has just ended. undici keeps it for a turn of the event loop, and
 * would open another for a request that comes sooner.
 */
import { setImmediate as afterThisTurn } from 'node:timers/promises';

export class ConnectionTurns {
  #kept = 0;

  /** A read has ended. */
  ended(): void {
    this.#kept += 1;
    const free = () => {
      this.#kept -= 1;
    };
    // undici begins its turn after this call: a microtask later comes behind it.
    queueMicrotask(() => setImmediate(free));
  }

  /** Resolves once the connections of reads that have ended are free. */
  async free(): Promise<void> {
    if (this.#kept > 0) await afterThisTurn();
  }
}
