/**
 * The embedded service: the specification's API on a loopback port. Several processes may serve the
 * data of one folder at once. A file of another program is left as it is, and no mail is sent.
 */
import { once } from 'node:events';
import { closeSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { CliError, systemReason } from '../errors.ts';
import { closeState, filePlace, folderPlace, makePrivateFolder, type PrivatePlace, refuseLink } from '../files/private-files.ts';
import { databaseFiles, sqliteCode } from '../files/sqlite.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { type SeedCounts, type Seeding, seedData, seedInstitute } from './seed.ts';
import { type Behaviour, basePath, createService, type Service } from './service.ts';
import { applicationId, type OutboxMail, Store } from './store.ts';

/** `within`: a folder that is judged, too. `onClosed`: of what was open to others. */
type Keeping = { within?: PrivatePlace | undefined; onClosed?: (paths: readonly string[]) => void };
/** `port`: 0 picks a free one. `closed`: aborted when the service ends. */
type Placement = Keeping & {
  folder: string;
  port?: number;
  inFront?: ((service: Service, closed: AbortSignal) => Service) | undefined;
};
export type SandboxOptions = Behaviour & Seeding & Placement;

const host = '127.0.0.1';

/** Throws `CliError` if the store cannot be opened or the port is taken. */
export async function startSandbox(options: SandboxOptions) {
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
    throw new CliError('invalid_input', sentence`The sandbox cannot listen on ${host}:${port}: ${systemReason(error)}.`, {
      hint: 'Choose another port; 0 picks a free one.',
      cause: error,
    });
  }
  let closing: Promise<void> | undefined;
  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}${basePath}`,
    token: store.token(),
    institute: seedInstitute,
    /** The data was there before. */
    keptData,
    close(): Promise<void> {
      end.abort();
      closing ??= stop(server, store);
      return closing;
    },
  };
}

async function stop(server: Server, store: Store): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  store.close();
}

/** Replaces all data; the token stays. A damaged store is made anew. Throws `unavailable`. */
export function resetSandbox(folder: string, options: Seeding & Keeping = {}): SeedCounts {
  const refilled = () => inStore(folder, options, (store) => store.refill((empty) => seedData(empty, options)));
  try {
    return refilled();
  } catch (error) {
    if (!isDamage((error as CliError).cause)) throw error;
    orUnusable(folder, (file) => {
      for (const path of databaseFiles(file)) rmSync(path, { force: true });
    });
    return refilled();
  }
}

export function outbox(folder: string, { exam, ...options }: { exam?: string | undefined } & Keeping = {}): OutboxMail[] {
  return inStore(folder, options, (store) => store.mails(exam));
}

/** A store that is missing or empty is filled first. Throws `unavailable`. */
function openStore(folder: string, { within, onClosed, ...seeding }: Seeding & Keeping): { store: Store; keptData: boolean } {
  return orUnusable(folder, (file) => {
    makePrivateFolder(folder);
    const files = databaseFiles(file);
    files.forEach(refuseLink);
    const own = [folderPlace(folder, { isChosen: true }), ...files.map(filePlace)];
    onClosed?.(within ? closeState([within, ...own]) : closeState(own, sentence`Name a folder of your own: --folder FOLDER`));
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

function inStore<T>(folder: string, options: Seeding & Keeping, work: (store: Store) => T): T {
  const { store } = openStore(folder, options);
  try {
    return orUnusable(folder, () => work(store));
  } finally {
    store.close();
  }
}

/** Throws what the system or SQLite refuses as `unavailable`. */
function orUnusable<T>(folder: string, work: (file: string) => T): T {
  const file = join(folder, 'sandbox.db');
  try {
    return work(file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reset = typedCommand('sandbox reset', [], typedOption('--folder', folder));
    throw new CliError('unavailable', sentence`The sandbox cannot use its database ${file}: ${systemReason(error)}.`, {
      hint: isDamage(error)
        ? sentence`To make it anew, with the first data: proctor-cli ${reset}`
        : 'Move the file away, or choose another folder with PROCTOR_STATE_DIR.',
      cause: error,
    });
  }
}

/** Any error of SQLite but SQLITE_BUSY and SQLITE_LOCKED. */
function isDamage(error: unknown): boolean {
  return ![-1, 5, 6].includes(sqliteCode(error));
}

/** Whether a file is empty, or has our mark in its header. A missing file is made. */
function isOurs(file: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return false;
  const header = Buffer.alloc(72);
  // Closing a file drops the locks of this process on it (POSIX): it has none yet.
  const descriptor = openSync(file, 'a+', 0o600);
  const length = readSync(descriptor, header, { position: 0 });
  closeSync(descriptor);
  const isSqlite = header.toString('latin1', 0, 15) === 'SQLite format 3';
  return length === 0 || (isSqlite && header.readUInt32BE(68) === applicationId);
}
