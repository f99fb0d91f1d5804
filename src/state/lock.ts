/**
 * One process at a time. The lock is SQLite's exclusive lock on an empty database file: the kernel holds
 * it, so it ends with its process, even a killed one, and never goes stale. A file beside it may name the
 * holder; that file informs people and decides nothing.
 */
import { accessSync, closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type Said, sentence } from '../text/sentence.ts';
import { makePrivateFolder } from './private-folder.ts';
import { refuseLink } from './refuse-link.ts';
import type { DatabaseSync as Sqlite } from './sqlite.ts';

const busy = 5;

type Open = { close(): void };

/**
 * Runs `act` while no other process holds the lock at `path`. Waits at most `wait` milliseconds for it,
 * then throws `output_failed`, which names the file.
 */
export async function withLock<T>(
  host: Pick<Host, 'sleep' | 'random'>,
  path: string,
  act: () => T | Promise<T>,
  { wait = 30_000 }: { wait?: number } = {},
): Promise<T> {
  let lock = await tryLock(path);
  for (let waited = 0; !lock; lock = await tryLock(path)) {
    if (waited >= wait) {
      throw new CliError('output_failed', sentence`Another proctor-cli has held the lock file ${path} for ${wait / 1000} s.`, {
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

/** One of the parts of a whole, each with a lock of its own. Texts of letters, digits, `-` and `_`. */
export type LockPart = {
  /** How the whole is divided. */
  of: string;
  part: string;
};

/** Whether who has the one keeps others from the other: parts of the same division leave each other alone. */
export function refuses(one: LockPart | undefined, other: LockPart | undefined): boolean {
  return one === undefined || other === undefined || one.of !== other.of || one.part === other.part;
}

/** Another process has the lock. */
export class LockHeld<const Message extends string = string, const Hint extends string = string> extends CliError<Message, Hint> {
  readonly holder: Holder | undefined;

  constructor(message: Message & Said<Message>, details: { holder: Holder | undefined; hint?: Hint & Said<Hint> }) {
    super('already_running', message, details);
    this.holder = details.holder;
  }
}

/**
 * Takes the lock at `path` until it is released or the process ends. Does not wait for a working holder: if another
 * process holds it, or one of the `others` that refuse it, throws `LockHeld`, which names the holder, and since when, as
 * `inWords` shows it. Throws `output_failed` if the lock cannot be used. Its file is there only while it is held, because
 * there are many names: it is opened and removed only under one guard for the whole folder, so that nobody holds a file
 * that has been removed.
 */
export async function holdLock(
  host: Pick<Host, 'sleep' | 'random'> & { inWords(instant: number): string },
  path: string,
  holder: Holder,
  others: () => readonly string[] = () => [],
): Promise<HeldLock> {
  const { DatabaseSync } = await import('./sqlite.ts');
  const [guard, beside] = [guardOf(path), `${path}.json`];
  const take = () =>
    withLock(host, guard, () => {
      const held = others().find((other) => isHeld(DatabaseSync, other));
      return held ?? openLocked(DatabaseSync, path) ?? path;
    });
  let lock = await take();
  for (let look = 1; typeof lock === 'string'; look++) {
    // The holder writes its name right after taking the lock. Give it time for that before the first read
    // too: an earlier text may be from a process that was killed.
    await host.sleep(untilLook);
    lock = await take();
    if (typeof lock !== 'string') break;
    const by = readHolder(`${lock}.json`);
    if (by || look >= looksAtMost) {
      const name = by ? inFull(by, host.inWords) : 'Another proctor-cli';
      throw new LockHeld(sentence`${name} holds the lock file ${lock}.`, { holder: by });
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
  const { DatabaseSync } = await import('./sqlite.ts');
  return withLock(host, guardOf(path), () => {
    const holder = readHolder(`${path}.json`);
    if (!isHeld(DatabaseSync, path)) return undefined;
    return holder === undefined ? {} : { holder };
  });
}

/** Removes what a killed process has left. */
function isHeld(DatabaseSync: typeof Sqlite, path: string): boolean {
  const lock = openLocked(DatabaseSync, path);
  if (!lock) return true;
  lock.close();
  for (const left of [path, `${path}.json`]) rmSync(left, { force: true });
  return false;
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
  const { DatabaseSync } = await import('./sqlite.ts');
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
