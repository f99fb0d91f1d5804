/**
 * Connections for writes: each write gets one that has not been used before. A service may close an idle
 * connection without notice; a request in flight at that moment is lost, and its outcome is unknown. The next
 * connections are opened in advance, so that many writes in a row do not wait for a handshake each.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The longest rest of a spare connection; after that the service may be closing it. Milliseconds. */
const freshFor = 2_000;
/** Writes before the first spare is opened: a command that writes once or twice needs none. */
const fewWrites = 4;
/** The spares for few requests in flight. */
const fewSpares = 8;

type Connector = buildConnector.connector;
type Spare = { socket: Socket; opened: number };

/** The events that end a spare connection before it is used; data that arrives before a request is not an answer. */
const ends = ['readable', 'close', 'error'] as const;

function discard(this: Socket) {
  this.destroy();
}

function handedOut(socket: Socket): Socket {
  for (const event of ends) socket.off(event, discard);
  return socket.ref();
}

export class SpareConnections {
  readonly #connect: Connector;
  readonly #inFlight: () => number;
  #asked = 0;
  #opening = 0;
  #spares: Spare[] = [];
  #closed = false;

  /** `inFlight`: how many requests are; there are as many spares, open or opening, and at least a few. */
  constructor(connect: Connector, inFlight: () => number) {
    this.#connect = connect;
    this.#inFlight = inFlight;
  }

  /** A connection for one write, in the form in which undici asks for one. */
  readonly connector: Connector = (options, callback) => {
    this.#asked += 1;
    const spare = this.#spare();
    if (spare) queueMicrotask(() => callback(null, spare));
    else this.#connect(options, callback);
    const wanted = this.#asked < fewWrites ? 0 : Math.max(fewSpares, this.#inFlight());
    while (!this.#closed && this.#opening + this.#spares.length < Math.min(wanted, this.#asked)) this.#open(options);
  };

  /** No spare connection is open from now on; a write opens its own. */
  close() {
    this.#closed = true;
    for (const { socket } of this.#spares) socket.destroy();
    this.#spares = [];
  }

  #spare(): Socket | undefined {
    for (let spare = this.#spares.shift(); spare; spare = this.#spares.shift()) {
      const { socket, opened } = spare;
      if (socket.destroyed || performance.now() - opened > freshFor) socket.destroy();
      else return handedOut(socket);
    }
    return undefined;
  }

  #open(options: buildConnector.Options) {
    this.#opening += 1;
    this.#connect(options, (error, socket) => {
      this.#opening -= 1;
      if (!socket || error) return;
      if (this.#closed) return void socket.destroy();
      for (const event of ends) socket.on(event, discard);
      socket.unref();
      this.#spares.push({ socket, opened: performance.now() });
    });
  }
}
