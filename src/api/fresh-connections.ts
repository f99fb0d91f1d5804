/**
 * A new connection for each write: a service may close a kept one without notice, and a write that is in flight then has an unknown
 * outcome. The next connection is opened during the write before it, so that writes in a row need not wait for handshakes.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

type Connector = buildConnector.connector;

/** A connection that waits longer for its write is closed: some services close a silent connection soon after. Milliseconds. */
const readyFor = 2_000;
/** What ends a connection before its write: data that come without a request are no answer. */
const ends = ['readable', 'close', 'error'] as const;

export class FreshConnections {
  readonly #connect: Connector;
  readonly #inFlight: () => number;
  #ready: Promise<Socket>[] = [];
  #asked = 0;

  /** `inFlight`: how many writes are; as many connections are opened ahead at most. */
  constructor(connect: Connector, inFlight: () => number) {
    this.#connect = connect;
    this.#inFlight = inFlight;
  }

  /** In the form in which undici asks for a connection. Nothing is opened ahead of the second write: the first may be the only one. */
  readonly connector: Connector = (options, callback) => {
    this.#asked += 1;
    this.#taken(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
    while (this.#asked > 1 && this.#ready.length < this.#inFlight()) this.#openAhead(options);
  };

  close() {
    for (const ready of [...this.#ready]) this.#drop(ready);
  }

  /** The connection that was opened first, even if it is still opening; a new one if there is none, or the service has closed it. */
  async #taken(options: buildConnector.Options): Promise<Socket> {
    const ready = this.#ready.shift();
    const socket = ready && (await ready.catch(() => undefined));
    return socket && !socket.destroyed ? socket : this.#open(options);
  }

  #openAhead(options: buildConnector.Options) {
    const ready = this.#open(options);
    const drop = () => this.#drop(ready);
    this.#ready.push(ready);
    ready.then((socket) => {
      for (const event of ends) socket.once(event, drop);
      setTimeout(drop, readyFor).unref();
    }, drop);
  }

  /** Closes a connection that no write has taken. */
  #drop(ready: Promise<Socket>) {
    if (!this.#ready.includes(ready)) return;
    this.#ready = this.#ready.filter((other) => other !== ready);
    ready.then((socket) => socket.destroy()).catch(() => {});
  }

  #open(options: buildConnector.Options): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    this.#connect(options, (...[error, socket]) => (socket ? resolve(socket) : reject(error)));
    return promise;
  }
}
