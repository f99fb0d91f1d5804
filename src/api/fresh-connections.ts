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

/** `inFlight`: how many writes are; as many connections are opened ahead at most. */
export function freshConnections(connect: Connector, inFlight: () => number) {
  let ready: Promise<Socket>[] = [];
  let asked = 0;
  const open = (options: buildConnector.Options) => {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    connect(options, (...[error, socket]) => (socket ? resolve(socket) : reject(error)));
    return promise;
  };
  /** Closes a connection that no write has taken. */
  const drop = (one: Promise<Socket>) => {
    if (!ready.includes(one)) return;
    ready = ready.filter((other) => other !== one);
    one.then((socket) => socket.destroy()).catch(() => {});
  };
  const openAhead = (options: buildConnector.Options) => {
    const one = open(options);
    const dropIt = () => drop(one);
    ready.push(one);
    one.then((socket) => {
      for (const event of ends) socket.once(event, dropIt);
      setTimeout(dropIt, readyFor).unref();
    }, dropIt);
  };
  /** The connection that was opened first, even if it is still opening; a new one if there is none, or the service has closed it. */
  const taken = async (options: buildConnector.Options) => {
    const first = ready.shift();
    const socket = first && (await first.catch(() => undefined));
    return socket && !socket.destroyed ? socket : open(options);
  };
  /** In the form in which undici asks for a connection. Nothing is opened ahead of the second write: the first may be the only one. */
  const connector: Connector = (options, callback) => {
    asked += 1;
    taken(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
    while (asked > 1 && ready.length < inFlight()) openAhead(options);
  };
  return { connector, close: () => ready.forEach(drop) };
}
