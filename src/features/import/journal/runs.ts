/**
 * The runs that this machine knows of: one file each, in a folder for each origin and exam. Reading
 * changes nothing, so it may happen while an import writes.
 */
import { join } from 'node:path';
import type { CliError } from '../../../errors.ts';
import type { RowCounts } from '../../../model/row-states.ts';
import { type JournalFiles, realFiles } from '../../../state/journal/files.ts';
import { findJournal, latestFirst, readJournals } from '../../../state/journal/folder.ts';
import { orFailed } from '../../../state/journal/journal-failure.ts';
import { readLog } from '../../../state/journal/log.ts';
import { originName } from '../../../state/journal/origin-name.ts';
import { importFormat, type RunHeader } from './records.ts';
import { FoldedRows, type Rows, type RunState } from './rows.ts';

export type Run = {
  path: string;
  header: RunHeader;
  /** The states of all rows of the input; they add up to `header.rows`. */
  counts: RowCounts;
  /** Anything but `finished` can be resumed. */
  state: RunState;
  /** An undo of it was begun. */
  undone: boolean;
  /** Students deleted because the file lacks them. */
  removed: number;
  startedAt: number;
  lastAt: number;
  /** Bytes of a last line that was cut short. */
  torn: number;
};

/** `unreadable`: journals that cannot be read; an import into the same exam has to stop for them. */
export type Runs = { runs: Run[]; unreadable: CliError[] };

/** The folder of everything that concerns one exam of one service, below the folder of all imports. */
export function targetFolder(folder: string, { origin, exam }: Pick<RunHeader, 'origin' | 'exam'>): string {
  return join(folder, originName(origin, exam));
}

/** All runs below the folder of all imports, the latest first. */
export async function listRuns(folder: string, files: JournalFiles = realFiles): Promise<Runs> {
  const runs: Run[] = [];
  const unreadable: CliError[] = [];
  for (const target of await targetsIn(folder, files)) {
    const found = await listRunsOf(target, files);
    runs.push(...found.runs);
    unreadable.push(...found.unreadable);
  }
  return { runs: latestFirst(runs), unreadable };
}

/** The runs of one origin and exam, the latest first. `folder` is its `targetFolder`. */
export async function listRunsOf(folder: string, files: JournalFiles = realFiles): Promise<Runs> {
  const { journals, unreadable } = await readJournals(folder, async (path) => (await readRun(path, files))?.run, files);
  return { runs: journals, unreadable };
}

/**
 * Gives each run of one origin and exam, with its rows, to `take`: one at a time, in no order. `folder` is its
 * `targetFolder`. Journals that cannot be read are passed over. Throws `journal_failed`.
 */
export async function eachRun(
  folder: string,
  take: (read: { run: Run; rows: Rows }) => void,
  files: JournalFiles = realFiles,
): Promise<void> {
  const given = async (path: string) => {
    const read = await readRun(path, files);
    if (read) take(read);
    return read?.run;
  };
  await readJournals(folder, given, files);
}

/** The journal of a run below the folder of all imports; undefined where there is none. */
export async function findRun(folder: string, id: string, files: JournalFiles = realFiles): Promise<string | undefined> {
  for (const target of await targetsIn(folder, files)) {
    const path = await findJournal(target, id, files);
    if (path !== undefined) return path;
  }
  return undefined;
}

async function targetsIn(folder: string, files: JournalFiles): Promise<string[]> {
  const names = await orFailed(folder, () => files.list(folder, 'folders'));
  return names.map((name) => join(folder, name));
}

/** A run and the states of its rows; undefined where its process ended before it was begun. Throws `journal_damaged`, `journal_failed`. */
export async function readRun(path: string, files: JournalFiles = realFiles): Promise<{ run: Run; rows: Rows } | undefined> {
  const rows = new FoldedRows();
  const found = await readLog(path, importFormat, (record) => rows.apply(record), files);
  if (!found) return undefined;
  const { header, startedAt, lastAt, torn } = found;
  const counts = rows.countsOf(header.rows);
  const removed = [...rows.removals().values()].filter(({ is }) => is === 'deleted').length;
  return { run: { path, header, counts, state: rows.run(), undone: rows.undone(), removed, startedAt, lastAt, torn }, rows };
}
