/**
 * The connections of reads, which are kept for the next ones. A service that takes few connections may have no room for that of a write
 * beside those that wait for a read, so a write that has failed gives them up.
 */
import type { Dispatcher } from 'undici';

export class KeptConnections {
  readonly #open: () => Dispatcher;
  #current: Dispatcher;
  #isUsed = false;
  /** Given up, with requests that have not ended. */
  readonly #ending = new Set<Dispatcher>();

  constructor(open: () => Dispatcher) {
    this.#open = open;
    this.#current = open();
  }

  readonly dispatch: Dispatcher['dispatch'] = (options, handler) => {
    this.#isUsed = true;
    return this.#current.dispatch(options, handler);
  };

  /** Closes the connections at rest, and each of the others once its request has ended. */
  giveUp() {
    if (!this.#isUsed) return;
    const given = this.#current;
    this.#current = this.#open();
    this.#isUsed = false;
    this.#ending.add(given);
    given.close().then(
      () => this.#ending.delete(given),
      () => {},
    );
  }

  async destroy(why: Error) {
    await Promise.all([this.#current, ...this.#ending].map((each) => each.destroy(why)));
  }
}
