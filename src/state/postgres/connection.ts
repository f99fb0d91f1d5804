/**
 * One connection to a team's database. Queries are sent without waiting for the answers of those before (pipelining), and
 * answered in their order. A connection that is lost, or silent for too long, stays lost: whoever has it makes another one.
 */
import { Socket } from 'node:net';
import type { TeamPlace } from '../../model/team-place.ts';

export type Answer = { rows: unknown[][]; command: string };

export type Connection = {
  /**
   * Resolves to the answer of the server. Rejects with the server's error, or with that of the connection: also once
   * nothing has come or gone for `silence` milliseconds.
   */
  query(text: string, values?: readonly unknown[], silence?: number): Promise<Answer>;
  readonly isLost: boolean;
  /** Says goodbye to the server, and waits for the answers to what was sent before: `within` milliseconds at most. */
  close(within?: number): Promise<void>;
};

export type Access = {
  /** Asked if the server asks. */
  password(): Promise<string>;
  /** PEM text of the certificate authorities to trust instead of the usual ones. */
  authorities?: string | undefined;
};

/** The code of the error where another kind of server answers. */
export const noPostgres = 'NO_POSTGRES';

/** Milliseconds. */
const toConnect = 10_000;
/** How long the network may be silent while an answer is waited for: longer than the server waits for a lock that others hold. Milliseconds. */
const usualSilence = 15_000;
/** Milliseconds. */
const toClose = 3_000;

export async function connect(place: TeamPlace, access: Access): Promise<Connection> {
  const { Client } = await import('./client.ts');
  const { authorities } = access;
  const socket = new Socket();
  if (!place.isRemote)
    socket.once('data', (first: Buffer) => isPostgres(first) || socket.destroy(lost(noPostgres, 'No PostgreSQL answers.')));
  const client = new Client({
    ...{ host: place.host, port: place.port, user: place.user, database: place.database },
    password: access.password,
    ssl: place.isRemote ? { rejectUnauthorized: true, ...(authorities === undefined ? {} : { ca: authorities }) } : false,
    stream: () => socket,
    pipeline: true,
    application_name: 'proctor-cli',
    connectionTimeoutMillis: toConnect,
    keepAlive: true,
  });
  /** What is not answered yet. */
  const refusals = new Set<(error: Error) => void>();
  let isLost = false;
  const lose = (error: Error) => {
    isLost = true;
    socket.destroy();
    for (const refuse of refusals) refuse(error);
  };
  client.on('error', lose);
  client.on('end', () => lose(cut()));
  socket.on('timeout', () => {
    if (refusals.size > 0) lose(lost('ETIMEDOUT', 'The server does not answer.'));
  });
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    query(text, values = [], silence = usualSilence) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      if (isLost) reject(cut());
      else {
        socket.setTimeout(silence);
        refusals.add(reject);
        client
          .query({ text, values: [...values], rowMode: 'array' })
          .then(({ rows, command }) => resolve({ rows: rows as unknown[][], command }), reject)
          .finally(() => refusals.delete(reject));
      }
      return promise;
    },
    get isLost() {
      return isLost;
    },
    async close(within = toClose) {
      isLost = true;
      const timer = setTimeout(() => socket.destroy(), within);
      await client.end().catch(() => {});
      clearTimeout(timer);
    },
  };
}

/** Whether the first bytes are those of a message that a server begins with: authentication, an error, a notice, or its version. */
function isPostgres(first: Buffer): boolean {
  return 'RENv'.includes(String.fromCharCode(first[0] ?? 0));
}

function cut(): Error {
  return lost('ECONNRESET', 'The connection has ended.');
}

function lost(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
