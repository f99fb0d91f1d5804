/**
 * Connections for reads, which are kept and used again: a read that is lost is sent again. Once it matters how many connections
 * are open, reads share those of writes, where each is counted.
 */
import type { Dispatcher, Pool } from 'undici';

export class ReadConnections {
  readonly #open: () => Pool;
  readonly #writes: { dispatch: ReadConnections['dispatch'] };
  #pool: Pool;
  #isShared = false;

  constructor(open: () => Pool, writes: { dispatch: ReadConnections['dispatch'] }) {
    this.#open = open;
    this.#writes = writes;
    this.#pool = open();
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#isShared) this.#writes.dispatch(request, handler);
    else this.#pool.dispatch(request, handler);
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  /** Reads go on the connections of writes from now on. */
  share() {
    if (this.#isShared) return;
    this.#isShared = true;
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
