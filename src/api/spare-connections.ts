/**
 * New connections for writes. The next ones are opened in advance, as far as the service has been shown to bear more, so that
 * many writes in a row do not wait for a handshake each.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { WriteConnections } from './write-connections.ts';

/** The longest rest of a spare connection; after that the service may be closing it. Milliseconds. */
const freshFor = 2_000;
/** Writes before the first spare is opened: a command that writes once or twice needs none. */
const fewWrites = 4;
/** The most spares. */
const mostSpares = 32;
/** The spares where connections are used many times. */
const spareOfMany = 2;

/** How soon spares are opened for which there is no place yet. Milliseconds. */
const soon = 10;

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
  readonly #writes: () => Pick<WriteConnections, 'inFlight' | 'room' | 'life'>;
  #asked = 0;
  #opening = 0;
  #spares: Spare[] = [];
  /** Writes that take a spare as soon as it is open. */
  #waiting: { take(socket: Socket): void; fail(): void }[] = [];
  #closes = 0;
  #fills: NodeJS.Timeout | undefined;
  /** How long a handshake takes, the last one. Milliseconds. */
  handshake = 0;

  /** `writes`: there are as many spares, open or opening, as there is room for. */
  constructor(connect: Connector, writes: () => Pick<WriteConnections, 'inFlight' | 'room' | 'life'>) {
    this.#connect = connect;
    this.#writes = writes;
  }

  /** How many are open or opening, and not taken. */
  get open(): number {
    return this.#opening - this.#waiting.length + this.#spares.filter(({ socket }) => !socket.destroyed).length;
  }

  /** A connection for one write, in the form in which undici asks for one. */
  readonly connector: Connector = (options, callback) => {
    this.#asked += 1;
    const spare = this.#spare();
    if (spare) queueMicrotask(() => callback(null, spare));
    else if (this.#opening > this.#waiting.length)
      this.#waiting.push({ take: (socket) => callback(null, socket), fail: () => this.#timed(options, callback) });
    else this.#timed(options, callback);
    this.#fill(options);
  };

  #fill(options: buildConnector.Options) {
    const { inFlight, room, life } = this.#writes();
    const wanted = Math.min(life.isKnown ? spareOfMany : mostSpares, this.#asked < fewWrites ? 0 : this.#asked);
    const most = Math.min(wanted, this.open + room);
    while (this.open < most) this.#open(options);
    if (most >= wanted || inFlight === 0 || this.#fills) return;
    // The place of a connection that was closed just now is free soon.
    this.#fills = setTimeout(() => {
      this.#fills = undefined;
      this.#fill(options);
    }, soon).unref();
  }

  /** No spare connection is open now. */
  close() {
    for (const { socket } of this.#spares) socket.destroy();
    this.#spares = [];
    this.#closes += 1;
    clearTimeout(this.#fills);
    this.#fills = undefined;
  }

  #spare(): Socket | undefined {
    for (let spare = this.#spares.shift(); spare; spare = this.#spares.shift()) {
      const { socket, opened } = spare;
      const age = performance.now() - opened;
      if (socket.destroyed || age > freshFor || !this.#writes().life.isFresh(age)) socket.destroy();
      else return handedOut(socket);
    }
    return undefined;
  }

  readonly #timed: Connector = (options, callback) => {
    const began = performance.now();
    this.#connect(options, (...done) => {
      this.handshake = performance.now() - began;
      callback(...done);
    });
  };

  #open(options: buildConnector.Options) {
    const closes = this.#closes;
    this.#opening += 1;
    this.#timed(options, (error, socket) => {
      this.#opening -= 1;
      const waiting = this.#opening < this.#waiting.length ? this.#waiting.shift() : undefined;
      if (!socket || error) return waiting?.fail();
      if (waiting) return waiting.take(socket);
      if (closes !== this.#closes) return void socket.destroy();
      for (const event of ends) socket.on(event, discard);
      socket.unref();
      this.#spares.push({ socket, opened: performance.now() });
    });
  }
}
