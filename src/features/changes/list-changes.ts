/** The changes recorded on this machine, as their journals tell. Reading changes nothing. */
import type { CliError } from '../../errors.ts';
import { type JournalFiles, realFiles } from '../../state/journal/files.ts';
import { findJournal, readJournals } from '../../state/journal/folder.ts';
import { readLog } from '../../state/journal/log.ts';
import { advised, lookAtService } from './journal.ts';
import { foldedMoves, type Moves } from './moves.ts';
import { type ChangeHeader, changeFormat } from './records.ts';

export type RecordedChange = {
  path: string;
  header: ChangeHeader;
  moves: Moves;
  /** Milliseconds since 1970. */
  startedAt: number;
  lastAt: number;
};

/** The change with this name; undefined if there is none. Throws `journal_damaged`, `journal_failed`. */
export async function findChange(folder: string, change: string, files: JournalFiles = realFiles): Promise<RecordedChange | undefined> {
  const path = await findJournal(folder, change, files);
  return path === undefined ? undefined : readChange(path, files);
}

/** All changes of this machine, the latest first, and the errors of those that cannot be read. */
export async function listChanges(
  folder: string,
  files: JournalFiles = realFiles,
): Promise<{ changes: RecordedChange[]; unreadable: CliError[] }> {
  const { journals, unreadable } = await readJournals(folder, (path) => readChange(path, files), files);
  return { changes: journals, unreadable };
}

/** Undefined if its process ended before the change was begun. */
async function readChange(path: string, files: JournalFiles): Promise<RecordedChange | undefined> {
  const moves = foldedMoves();
  try {
    const found = await readLog(path, changeFormat, moves.apply, files);
    return found && { path, header: found.header, moves, startedAt: found.startedAt, lastAt: found.lastAt };
  } catch (error) {
    throw advised(error, lookAtService);
  }
}
