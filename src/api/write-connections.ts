/**
 * Connections for writes. A service may close an idle connection without notice; a request in flight at that
 * moment is lost, and its outcome is unknown. So a write uses a new connection, or one that has just answered,
 * of a service that is known to keep its connections. One that closes without notice is never trusted again.
 */
import type { Client, Dispatcher } from 'undici';

/** A connection that is still open this long after its answer shows that the service keeps connections. Milliseconds. */
const proof = 250;
/** How long a connection rests before the next write, so that a close right after the answer is noticed. Milliseconds. */
const rest = 5;
/** The oldest answer that still proves that the connection is open. Milliseconds. */
const justNow = 1_000;
/** The error codes of a connection closed by the service; closing it ourselves gives other codes. */
const closedByService = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

type Keeps = 'unknown' | 'yes' | 'no';
type Resting = { client: Client; since: number };

export class WriteConnections {
  readonly #open: () => Client;
  readonly #now: () => number;
  readonly #all = new Set<Client>();
  #resting: Resting[] = [];
  #inFlight = 0;
  #mostInFlight = 0;
  /** How often requests failed, perhaps because of too many connections. */
  #crowds = 0;
  #keeps: Keeps = 'unknown';

  /** `open` makes a client that has no connection yet and sends one request at a time. */
  constructor(open: () => Client, now = () => performance.now()) {
    this.#open = open;
    this.#now = now;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    const rested = this.#rested();
    this.#inFlight += 1;
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight);
    if (!rested && this.#crowds > 0 && this.#inFlight + this.#resting.length > this.#mostInFlight)
      this.#drop(this.#resting.shift()?.client);
    const client = rested ?? this.#opened();
    const crowds = this.#crowds;
    // One from before the service was crowded is not counted any more.
    client.once('drain', () => (crowds === this.#crowds ? this.#answered(client) : this.#drop(client)));
    // undici reads before it writes; if the service has closed the connection, it opens a new one.
    client.dispatch({ ...request, reset: this.#keeps === 'no' }, handler);
  }

  /**
   * A request failed, perhaps because the service cannot take so many connections: those that rest are closed, and from
   * now on no more are open than requests are in flight at once.
   */
  crowded() {
    this.#crowds += 1;
    this.#inFlight = 0;
    this.#mostInFlight = 0;
    for (const { client } of this.#resting.splice(0)) this.#drop(client);
  }

  /** How many requests wait for their answers. */
  get inFlight(): number {
    return this.#inFlight;
  }

  async close() {
    await Promise.all([...this.#all].map((client) => client.destroy()));
  }

  #answered(client: Client) {
    this.#inFlight -= 1;
    const most = this.#crowds > 0 ? this.#mostInFlight - this.#inFlight : 2 * this.#mostInFlight;
    if (this.#keeps === 'no' || this.#resting.length >= most) this.#drop(client);
    else this.#resting.push({ client, since: this.#now() });
  }

  /** The connection that has rested longest, if it has rested long enough and not too long. */
  #rested(): Client | undefined {
    const now = this.#now();
    while (this.#resting[0] && now - this.#resting[0].since > justNow) this.#drop(this.#resting.shift()?.client);
    const [longest] = this.#resting;
    if (!longest) return undefined;
    const rested = now - longest.since;
    if (rested >= proof && longest.client.stats.connected && this.#keeps === 'unknown') this.#keeps = 'yes';
    if (this.#keeps !== 'yes' || rested < rest) return undefined;
    this.#resting.shift();
    return longest.client;
  }

  #opened(): Client {
    const client = this.#open();
    this.#all.add(client);
    client.on('disconnect', (_origin, _targets, error) => {
      if (!closedByService.has((error as NodeJS.ErrnoException).code ?? '')) return;
      this.#keeps = 'no';
      for (const resting of this.#resting) this.#drop(resting.client);
      this.#resting = [];
    });
    return client;
  }

  #drop(client: Client | undefined) {
    if (!client) return;
    this.#all.delete(client);
    void client.destroy();
  }
}
