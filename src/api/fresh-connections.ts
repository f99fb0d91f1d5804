/**
 * A new connection for each write. A service may close a kept connection without notice, and a write that is in flight then has an
 * unknown outcome. The next connection is opened during the write before it, so that writes in a row need not wait for handshakes.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** A connection that waits longer for its write is closed: some services close a silent connection soon after. Milliseconds. */
const readyFor = 2_000;

type Connector = buildConnector.connector;
/** `drop`: closes it, unless a write has taken it. */
type Prepared = { socket: Promise<Socket>; isTaken: boolean; timer?: NodeJS.Timeout; drop(): void };

/** What ends a connection before its write: data that come without a request are no answer. */
const ends = ['readable', 'close', 'error'] as const;

export class FreshConnections {
  readonly #connect: Connector;
  readonly #inFlight: () => number;
  #prepared: Prepared[] = [];
  #asked = 0;

  /** `inFlight`: how many writes are; as many connections are prepared at most. */
  constructor(connect: Connector, inFlight: () => number) {
    this.#connect = connect;
    this.#inFlight = inFlight;
  }

  /** In the form in which undici asks for a connection. Nothing is prepared for the first write, which may be the only one. */
  readonly connector: Connector = (options, callback) => {
    this.#asked += 1;
    this.#taken(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
    if (this.#asked > 1) while (this.#prepared.length < this.#inFlight()) this.#prepare(options);
  };

  close() {
    for (const { drop } of [...this.#prepared]) drop();
  }

  /** The connection that was prepared first, even if it is still opening; a new one if none is prepared, or the service has closed it. */
  async #taken(options: buildConnector.Options): Promise<Socket> {
    const prepared = this.#prepared.shift();
    if (!prepared) return this.#open(options);
    prepared.isTaken = true;
    clearTimeout(prepared.timer);
    const socket = await prepared.socket.catch(() => undefined);
    if (!socket || socket.destroyed) return this.#open(options);
    for (const event of ends) socket.off(event, prepared.drop);
    return socket.ref();
  }

  #prepare(options: buildConnector.Options) {
    const drop = () => {
      if (prepared.isTaken) return;
      clearTimeout(prepared.timer);
      this.#prepared = this.#prepared.filter((other) => other !== prepared);
      prepared.socket.then((socket) => socket.destroy()).catch(() => {});
    };
    const prepared: Prepared = { socket: this.#open(options), isTaken: false, drop };
    this.#prepared.push(prepared);
    prepared.socket.then((socket) => {
      if (prepared.isTaken) return;
      for (const event of ends) socket.on(event, drop);
      prepared.timer = setTimeout(drop, readyFor).unref();
      socket.unref();
    }, drop);
  }

  #open(options: buildConnector.Options): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    this.#connect(options, (...[error, socket]) => (socket ? resolve(socket) : reject(error)));
    return promise;
  }
}
