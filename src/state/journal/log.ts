/**
 * A journal as a file, whatever its records mean: a header, then records, each with its number and its
 * checksum. Invariants: nothing is appended to a file that could not be read to its end; everything read
 * or given before a `sync` is durable after it; after a failure every call fails.
 */
import { CliError } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import { Appender } from './appender.ts';
import type { JournalFile, JournalFiles } from './files.ts';
import { journalPath } from './folder.ts';
import { orFailed } from './journal-failure.ts';
import type { Format } from './journal-format.ts';
import { encodeLine } from './line.ts';
import { type Scanned, scan } from './scan.ts';

export type Log<R> = Pick<Appender, 'check' | 'sync' | 'close'> & {
  readonly path: string;
  /** Queues the record, in order. Durable only after a later `sync`. */
  append(record: R): void;
};

type World = {
  /** Milliseconds since 1970. */
  now(): number;
  files: JournalFiles;
};

/** Creates the journal with this name in a folder; resolves when its header is durable. Throws `journal_failed`. */
export async function createLog<R extends object>(
  folder: string,
  { name, header, at }: { name: string; header: object; at: number },
  { now, files }: World,
): Promise<Log<R>> {
  const path = journalPath(folder, name);
  const { text, sum } = encodeLine({ n: 1, at, ...header }, 0);
  const file = await orFailed(path, async () => {
    await files.makeFolder(folder);
    return files.create(path);
  });
  const appender = new Appender(path, file, 0);
  try {
    appender.append(text);
    await appender.sync();
    await orFailed(path, () => files.syncFolder(folder));
  } catch (error) {
    await appender.close().catch(() => {});
    throw error;
  }
  return logOf(path, appender, { lines: 1, seed: sum }, now);
}

/**
 * Opens a file to append to it: passes its records to `take`, and cuts off a torn last line; `torn` is
 * its length in bytes. Throws `journal_damaged`, `journal_failed`.
 */
export async function openLog<H extends Json, R extends Json & object>(
  path: string,
  format: Format<H, R>,
  take: (record: R) => void,
  { now, files }: World,
): Promise<{ log: Log<R>; header: H; torn: number }> {
  const file = await orFailed(path, () => files.open(path, 'write'));
  try {
    const found = await orFailed(path, () => scan(path, file, format, take));
    if (!found)
      throw new CliError('journal_damaged', sentence`The journal ${path} ends within its first line, before anything was started.`);
    const { header, end, torn } = found;
    if (torn > 0) await orFailed(path, () => cut(file, end));
    return { log: logOf(path, new Appender(path, file, end), found, now), header, torn };
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

/** Reads a file, even while it is being written. Undefined if its header is incomplete. Throws as `openLog` does. */
export async function readLog<H extends Json, R extends Json>(
  path: string,
  format: Format<H, R>,
  take: (record: R) => void,
  files: JournalFiles,
): Promise<Scanned<H> | undefined> {
  const file = await orFailed(path, () => files.open(path, 'read'));
  try {
    return await orFailed(path, () => scan(path, file, format, take));
  } finally {
    await file.close();
  }
}

async function cut(file: JournalFile, end: number) {
  await file.truncate(end);
  await file.sync();
}

function logOf<R extends object>(
  path: string,
  appender: Appender,
  { lines, seed }: Pick<Scanned<Json>, 'lines' | 'seed'>,
  now: () => number,
): Log<R> {
  let last = lines;
  return {
    path,
    check: () => appender.check(),
    sync: () => appender.sync(),
    close: () => appender.close(),
    append: (record) => appender.append(encodeLine({ n: ++last, at: now(), ...record }, seed).text),
  };
}
