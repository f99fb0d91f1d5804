/**
 * Connections for reads, which are kept and used again: a read that is lost is sent again. Where the service cannot take so
 * many connections, reads keep none, and those of writes that rest are closed first.
 */
import type { Dispatcher, Pool } from 'undici';

export class ReadConnections {
  readonly #open: () => Pool;
  readonly #yields: () => void;
  #pool: Pool;
  #scarce = false;

  /** `yields`: closes connections of writes that are at rest. */
  constructor(open: () => Pool, yields: () => void) {
    this.#open = open;
    this.#yields = yields;
    this.#pool = open();
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    if (this.#scarce) this.#yields();
    return this.#pool.dispatch(this.#scarce ? { ...request, reset: true } : request, handler);
  }

  /** The service may limit connections: none is kept from now on. */
  scarce() {
    if (this.#scarce) return;
    this.#scarce = true;
    this.rest();
  }

  /** Closes the connections at rest; those in use once their reads have ended. */
  rest() {
    void this.#pool.close().catch(() => {});
    this.#pool = this.#open();
  }

  async destroy() {
    // Node writes down the stack of what ends a connection, for which it would read the functions on it once more.
    const ended = Object.assign(new Error('the connections are no longer needed'), { code: 'UND_ERR_DESTROYED', stack: '' });
    await this.#pool.destroy(ended);
  }
}
