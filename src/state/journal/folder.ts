/**
 * The journals in a folder: their names, lookup and order. Reading changes nothing, so it is safe while
 * one is being written; an unreadable journal never hides the others.
 */
import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { CliError } from '../../errors.ts';
import type { JournalFiles } from './files.ts';
import { orFailed } from './journal-failure.ts';

const extension = '.ndjson';

/** A name that people can type, for the subject of a journal and for its file. `at`: milliseconds since 1970. */
export function timedName(at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

export function journalPath(folder: string, name: string): string {
  return join(folder, `${name}${extension}`);
}

/** The file of the journal with this name; undefined if there is none. Throws `journal_failed`. */
export async function findJournal(folder: string, name: string, files: JournalFiles): Promise<string | undefined> {
  // Compared with the existing names: typed text can never be a path out of the folder.
  const names = await orFailed(folder, () => files.list(folder, 'files'));
  return names.includes(`${name}${extension}`) ? journalPath(folder, name) : undefined;
}

/**
 * The contents of each journal in the folder, the latest first, and the errors of unreadable ones. Throws
 * `journal_failed`.
 */
export async function readJournals<T extends Begun>(
  folder: string,
  read: (path: string) => Promise<T | undefined>,
  files: JournalFiles,
): Promise<{ journals: T[]; unreadable: CliError[] }> {
  const journals: T[] = [];
  const unreadable: CliError[] = [];
  for (const name of await orFailed(folder, () => files.list(folder, 'files'))) {
    if (!name.endsWith(extension)) continue;
    try {
      const journal = await read(join(folder, name));
      if (journal) journals.push(journal);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      unreadable.push(error);
    }
  }
  return { journals: latestFirst(journals), unreadable };
}

/** When a journal was begun: milliseconds since 1970. */
type Begun = { path: string; startedAt: number };

/** Sorts by start, which a name gives only to the second, then by name. */
export function latestFirst<T extends Begun>(journals: readonly T[]): T[] {
  return journals.toSorted((a, b) => b.startedAt - a.startedAt || (basename(a.path) < basename(b.path) ? 1 : -1));
}
