/**
 * One connection to a team's database. Queries are sent without waiting for the answers of those before (pipelining), and
 * answered in their order. A connection that is lost stays lost: whoever has it makes another one.
 */
import type { Client } from 'pg';
import type { TeamPlace } from '../../model/team-place.ts';

export type Answer = { rows: unknown[][]; command: string };

export type Connection = {
  /** Resolves to the answer of the server. Rejects with the server's error, or with that of the connection. */
  query(text: string, values?: readonly unknown[]): Promise<Answer>;
  readonly isLost: boolean;
  close(): Promise<void>;
};

export type Access = {
  /** undefined: no password is sent. */
  password(): Promise<string | undefined>;
  /** PEM text of the certificate authorities to trust instead of the usual ones. */
  authorities?: string | undefined;
};

/** Milliseconds. */
const toConnect = 10_000;
/** How long an answer may take; a lock that others hold is waited for not nearly as long. Milliseconds. */
const toAnswer = 30_000;

export async function connect(place: TeamPlace, access: Access): Promise<Connection> {
  const { Client: PgClient } = (await import('pg')).default;
  const { authorities } = access;
  const client: Client = new PgClient({
    ...{ host: place.host, port: place.port, user: place.user, database: place.database },
    // An empty one is refused by the server, in its words.
    password: async () => (await access.password()) ?? '',
    ssl: place.isRemote ? { rejectUnauthorized: true, ...(authorities === undefined ? {} : { ca: authorities }) } : false,
    pipeline: true,
    application_name: 'proctor-cli',
    connectionTimeoutMillis: toConnect,
    query_timeout: toAnswer,
    keepAlive: true,
  });
  let isLost = false;
  client.on('error', () => {
    isLost = true;
  });
  client.on('end', () => {
    isLost = true;
  });
  try {
    await client.connect();
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  return {
    async query(text, values = []) {
      const { rows, command } = await client.query({ text, values: [...values], rowMode: 'array' });
      return { rows: rows as unknown[][], command };
    },
    get isLost() {
      return isLost;
    },
    async close() {
      isLost = true;
      await client.end().catch(() => {});
    },
  };
}
