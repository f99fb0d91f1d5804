/**
 * The embedded service: the specification's API on a loopback port. Its data are in one folder, which
 * outlives the process and which several processes may serve at once. No mail and no request ever leaves
 * the machine.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { defaultDialect } from '../api/dialect.ts';
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Database, openDatabase, orUnusable } from './database.ts';
import { type Behaviour, basePath, createService } from './embedded-service.ts';
import type { FaultPlan } from './faults/draw.ts';
import type { Fetch } from './faults/layer.ts';
import { listMails, type OutboxMail } from './mails.ts';
import { clearData, type SeedCounts, seedData, seedInstitute } from './seed.ts';

export type { OutboxMail } from './mails.ts';
export type { SeedCounts } from './seed.ts';

type SeedOptions = {
  /** The clock, in milliseconds since 1970. */
  now?: () => number;
  /** Seed of the invented data of a new database. */
  seed?: string;
};

export type SandboxOptions = SeedOptions &
  Behaviour & {
    /** The folder of the database; created if missing. */
    folder: string;
    /** 0, the default, picks a free port. */
    port?: number;
    /** The faults to inject; none if omitted. */
    faults?: FaultPlan;
    /** Called for each request that meets faults, before it is answered. */
    onFault?: (line: Sentence) => void;
  };

export type Sandbox = {
  baseUrl: string;
  token: string;
  institute: string;
  /** How many requests have come, and how many of them met faults; counts nothing without `faults`. */
  tally(): { requests: number; faulty: number };
  /** Data that were there before: no seed has made them. */
  keptData: boolean;
  close(): Promise<void>;
};

const host = '127.0.0.1';

/** Serves the folder's data. Throws `CliError` if the database cannot be opened or the port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { folder, port = 0, faults, now = Date.now, dialect = defaultDialect, onFault } = options;
  let keptData = true;
  const database = openDatabase(folder, (empty) => {
    keptData = false;
    return seedData(empty, settled(options));
  });
  const { fetch } = createService(database, options);
  const layer = faults && (await import('./faults/layer.ts')).withFaults(fetch, { ...faults, now, dialect, onFault });
  const server = createAdaptorServer({ fetch: layer?.fetch ?? (fetch as Fetch) }) as Server;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    database.close();
    throw new CliError('invalid_input', sentence`The sandbox cannot listen on ${host}:${port}: ${(error as Error).message}.`, {
      hint: 'Choose another port; 0 picks a free one.',
      cause: error,
    });
  }
  let closing: Promise<void> | undefined;
  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}${basePath}`,
    token: database.token(),
    institute: seedInstitute,
    keptData,
    tally: () => layer?.tally() ?? { requests: 0, faulty: 0 },
    close() {
      layer?.close();
      closing ??= stop(server, database);
      return closing;
    },
  };
}

/** Stops at once: open connections are cut off. */
async function stop(server: Server, database: Database): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  database.close();
}

/** Replaces all data with new data atomically; the token stays. */
export function resetSandbox(folder: string, options: SeedOptions = {}): SeedCounts {
  return using(folder, options, (database) =>
    database.transaction('write', () => {
      clearData(database);
      return seedData(database, settled(options));
    }),
  );
}

/** The mails that send_emails has sent: all of them, or those of one exam. */
export function outbox(folder: string, filter: { exam?: string } = {}): OutboxMail[] {
  return using(folder, {}, (database) => listMails(database, filter.exam));
}

function settled({ now = Date.now, seed = 'proctor' }: SeedOptions): { now: number; seed: string } {
  return { now: now(), seed };
}

function using<T>(folder: string, options: SeedOptions, work: (database: Database) => T): T {
  const database = openDatabase(folder, (empty) => seedData(empty, settled(options)));
  try {
    return orUnusable(folder, () => work(database));
  } finally {
    database.close();
  }
}
