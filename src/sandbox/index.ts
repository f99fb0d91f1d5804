/**
 * The embedded service: the specification's API on a loopback port. Its data are in one folder, which outlives the process and
 * which several processes may serve at once, intact when one of them is killed. A file of another program is left as it is. No mail and no
 * request ever leaves the machine.
 */
import { once } from 'node:events';
import { closeSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { CliError } from '../errors.ts';
import { makePrivateFolder } from '../files/private-files.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { type SeedCounts, type Seeding, seedData, seedInstitute } from './seed.ts';
import { type Behaviour, basePath, createService, type Service } from './service.ts';
import { applicationId, type OutboxMail, Store } from './store.ts';

/**
 * `folder`: of the store; created if missing. `port`: 0, the default, picks a free one. `inFront`: what stands in front of the service;
 * `closed` is aborted when it ends.
 */
type Place = { folder: string; port?: number; inFront?: ((service: Service, closed: AbortSignal) => Service) | undefined };
export type SandboxOptions = Behaviour & Seeding & Place;

export type Sandbox = {
  baseUrl: string;
  token: string;
  institute: string;
  /** Data that were there before: no seed has made them. */
  keptData: boolean;
  close(): Promise<void>;
};

const host = '127.0.0.1';

/** Serves the folder's data. Throws `CliError` if the store cannot be opened or the port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { folder, port = 0, inFront = (service) => service } = options;
  const { store, keptData } = openStore(folder, options);
  const end = new AbortController();
  const fetch = inFront(createService(store, options), end.signal);
  const server = createAdaptorServer({ fetch: (request, env) => fetch(request, env as HttpBindings) }) as Server;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    store.close();
    throw new CliError('invalid_input', sentence`The sandbox cannot listen on ${host}:${port}: ${(error as Error).message}.`, {
      hint: 'Choose another port; 0 picks a free one.',
      cause: error,
    });
  }
  let closing: Promise<void> | undefined;
  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}${basePath}`,
    token: store.token(),
    institute: seedInstitute,
    keptData,
    close() {
      end.abort();
      closing ??= stop(server, store);
      return closing;
    },
  };
}

/** Stops at once: open connections are cut off. */
async function stop(server: Server, store: Store): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  store.close();
}

/** Replaces all data with new data, in one transaction; the token stays. A store that is damaged is made anew. Throws `unavailable`. */
export function resetSandbox(folder: string, options: Seeding = {}): SeedCounts {
  const refilled = () => inStore(folder, options, (store) => store.refill((empty) => seedData(empty, options)));
  try {
    return refilled();
  } catch (error) {
    if (!isDamage((error as CliError).cause)) throw error;
    orUnusable(folder, (file) => {
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
    });
    return refilled();
  }
}

/** The mails that send_emails has sent, in their order: all of them, or those of one exam. */
export function outbox(folder: string, { exam }: { exam?: string } = {}): OutboxMail[] {
  const [filter, given] = exam === undefined ? ['', []] : ['WHERE exam_id = ?', [exam]];
  return inStore(folder, {}, (store) => store.sql(`SELECT * FROM outbox ${filter} ORDER BY id`).all(...given) as OutboxMail[]);
}

/** Opens the folder's store; one that is missing or empty is filled first. Throws `unavailable`. */
function openStore(folder: string, seeding: Seeding): { store: Store; keptData: boolean } {
  return orUnusable(folder, (file) => {
    makePrivateFolder(folder);
    if (!isOurs(file)) throw new Error('it is not a file of the sandbox');
    const store = new Store(file);
    try {
      return { store, keptData: !store.create((empty) => seedData(empty, seeding)) };
    } catch (error) {
      store.close();
      throw error;
    }
  });
}

/** Does some work on the folder's store. Throws `unavailable`. */
function inStore<T>(folder: string, seeding: Seeding, work: (store: Store) => T): T {
  const { store } = openStore(folder, seeding);
  try {
    return orUnusable(folder, () => work(store));
  } finally {
    store.close();
  }
}

/** What the system or SQLite refuses is thrown as `unavailable`. */
function orUnusable<T>(folder: string, work: (file: string) => T): T {
  const file = join(folder, 'sandbox.db');
  try {
    return work(file);
  } catch (error) {
    throw new CliError('unavailable', sentence`The sandbox cannot use its database ${file}: ${(error as Error).message}.`, {
      hint: isDamage(error)
        ? sentence`To make it anew, with the first data: proctor-cli ${typedCommand('sandbox reset', [], typedOption('--folder', folder))}`
        : 'Move the file away, or choose another folder with PROCTOR_STATE_DIR.',
      cause: error,
    });
  }
}

/** Whatever SQLite finds wrong with a file of ours, and not SQLITE_BUSY or SQLITE_LOCKED: another process has it for a while. */
function isDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && ![5, 6].includes(errcode & 0xff);
}

/** Whether a file is empty, or has our mark where SQLite keeps it: damage further on leaves it there. A missing one is made. */
function isOurs(file: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return false;
  const header = Buffer.alloc(72);
  // Before this process has it open: closing a file drops the locks of its process on it (POSIX).
  const descriptor = openSync(file, 'a+', 0o600);
  const length = readSync(descriptor, header, { position: 0 });
  closeSync(descriptor);
  return length === 0 || (header.toString('latin1', 0, 15) === 'SQLite format 3' && header.readUInt32BE(68) === applicationId);
}
