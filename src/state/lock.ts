/**
 * One process at a time. The lock is SQLite's exclusive lock on an empty database file: the kernel holds
 * it, so it ends with its process, even a killed one, and never goes stale. A file beside it may name the
 * holder; that file informs people and decides nothing.
 */
import { accessSync, closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { refuseLink } from '../files/refuse-link.ts';
import type { DatabaseSync as Sqlite } from '../files/sqlite.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

const busy = 5;
/** Milliseconds. */
const patience = 30_000;

type Open = { close(): void };

/**
 * Runs `act` while no other process holds the lock at `path`. Waits for it as long as `patience`, then throws `output_failed`,
 * which names the file.
 */
export async function withLock<T>(host: Pick<Host, 'sleep' | 'random'>, path: string, act: () => T | Promise<T>): Promise<T> {
  let lock = await tryLock(path);
  for (let waited = 0; !lock; lock = await tryLock(path)) {
    if (waited >= patience) {
      throw new CliError('output_failed', sentence`Another proctor-cli has held the lock file ${path} for ${patience / 1000} s.`, {
        hint: 'Wait until it ends, or stop it; this releases the lock. Nothing was changed.',
      });
    }
    const pause = 5 + host.random() * 25;
    await host.sleep(pause);
    waited += pause;
  }
  try {
    return await act();
  } finally {
    lock.close();
  }
}

/** The holder of a lock, as shown to another process. */
export type Holder = {
  pid: number;
  /** The machine's name: several machines may use a shared folder. */
  machine: string;
  /** Milliseconds since 1970. */
  since: number;
  command: string;
  run?: string;
  /** Who it works for, where a team shares the lock. */
  who?: string;
};

export type HeldLock = { release(): void };

/**
 * Takes the lock at `path` until it is released or the process ends. Does not wait for a working holder: if another
 * process holds it, throws `already_running`, which names the holder, and since when, as `inWords` shows it. Throws
 * `output_failed` if the lock cannot be used. Its file is there only while it is held, because there are many names: it is
 * opened and removed only under one guard for the whole folder, so that nobody holds a file that has been removed.
 */
export async function holdLock(
  host: Pick<Host, 'sleep' | 'random'> & { inWords(instant: number): string },
  path: string,
  holder: Holder,
): Promise<HeldLock> {
  const { DatabaseSync } = await import('../files/sqlite.ts');
  const [guard, beside] = [guardOf(path), `${path}.json`];
  const take = () => withLock(host, guard, () => openLocked(DatabaseSync, path));
  let lock = await take();
  for (let look = 1; !lock; look++) {
    // The holder writes its name right after taking the lock. Give it time for that before the first read
    // too: an earlier text may be from a process that was killed.
    await host.sleep(untilLook);
    lock = await take();
    if (lock) break;
    const by = readHolder(beside);
    if (by || look >= looksAtMost) {
      const name = by ? inFull(by, host.inWords) : 'Another proctor-cli';
      throw new CliError('already_running', sentence`${name} holds the lock file ${path}.`);
    }
  }
  const own = lock;
  attempt(() => writeFileSync(beside, `${JSON.stringify(holder)}\n`, { mode: 0o600 }));
  return {
    release() {
      attempt(() => rmSync(beside, { force: true }));
      // Where another process is at the guard, the file stays, which does no harm.
      let guarding: Open | undefined;
      attempt(() => {
        guarding = openLocked(DatabaseSync, guard);
      });
      own.close();
      if (guarding) attempt(() => rmSync(path, { force: true }));
      guarding?.close();
    },
  };
}

/** Who holds such a lock: undefined for nobody, and no name where it cannot be read. Removes what a killed process has left. */
export async function holderOf(host: Pick<Host, 'sleep' | 'random'>, path: string): Promise<{ holder?: Holder } | undefined> {
  const { DatabaseSync } = await import('../files/sqlite.ts');
  return withLock(host, guardOf(path), () => {
    const holder = readHolder(`${path}.json`);
    const lock = openLocked(DatabaseSync, path);
    if (!lock) return holder === undefined ? {} : { holder };
    lock.close();
    for (const left of [path, `${path}.json`]) rmSync(left, { force: true });
    return undefined;
  });
}

function guardOf(path: string): string {
  return join(dirname(path), 'guard.lock');
}

const looksAtMost = 10;
/** Milliseconds before each read. */
const untilLook = 100;

function inFull({ pid, machine, since, command, run }: Holder, inWords: (instant: number) => string): string {
  const known = `process ${pid} on ${machine}, since ${inWords(since)}, ${command}`;
  return `Another proctor-cli (${known}${run === undefined ? '' : `, run ${run}`})`;
}

function readHolder(path: string): Holder | undefined {
  try {
    const { pid, machine, since, command, run } = JSON.parse(readFileSync(path, 'utf8')) as Holder;
    return { pid, machine, since, command, ...(run === undefined ? {} : { run }) };
  } catch {
    return undefined;
  }
}

function attempt(act: () => void) {
  try {
    act();
  } catch {}
}

/** The lock, held until it is closed; undefined if another process holds it. Throws `output_failed`. */
async function tryLock(path: string): Promise<Open | undefined> {
  const { DatabaseSync } = await import('../files/sqlite.ts');
  return openLocked(DatabaseSync, path);
}

function openLocked(DatabaseSync: typeof Sqlite, path: string): Open | undefined {
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    createPrivately(path);
    database = new DatabaseSync(path);
    // With its journal in memory, taking the lock writes nothing, so it works on a full disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === busy) return undefined;
    throw new CliError('output_failed', sentence`Could not use the lock file ${path}: ${(error as Error).message}.`, {
      hint: 'Check that its folder is writable and that the file is empty. Nothing was changed.',
      cause: error,
    });
  }
}

/** Only ever creates: opening and closing an existing file would drop this process's own lock on it (POSIX). */
function createPrivately(path: string) {
  makePrivateFolder(dirname(path));
  // The work under the lock writes to this folder too.
  accessSync(dirname(path), constants.W_OK);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // SQLite would create the file that a link leads to, with the rights of any other file.
    refuseLink(path);
  }
}
