/**
 * The runs that this machine knows of: one file each, in a folder for each origin and exam. Reading
 * changes nothing, so it may happen while an import writes.
 */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { CliError } from '../../errors.ts';
import { orFailed } from './appender.ts';
import { type JournalFiles, realFiles } from './files.ts';
import { readLog } from './log.ts';
import { type Header, importFormat } from './records.ts';
import { foldedRows, type Rows } from './rows.ts';

export type Run = {
  path: string;
  header: Header;
  counts: ReturnType<Rows['counts']>;
  /** Rows of which no request ever left. */
  untouched: number;
  /** Anything but `finished` can be gone on with. */
  state: ReturnType<Rows['run']>;
  /** It was taken back, or that was begun. */
  undone: boolean;
  startedAt: number;
  lastAt: number;
  /** Bytes of a last line that was cut short. */
  torn: number;
};

/** `unreadable`: journals of which nobody can tell what they hold; an import into the same exam has to stop for them. */
export type Runs = { runs: Run[]; unreadable: { path: string; problem: CliError }[] };

const extension = '.ndjson';

/** The folder of everything that concerns one exam of one service, below the folder of all imports. */
export function targetFolder(folder: string, { origin, exam }: Pick<Header, 'origin' | 'exam'>): string {
  const readable = `${URL.parse(origin)?.hostname ?? 'service'}-${exam}`.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  const digest = createHash('sha256')
    .update(JSON.stringify([origin, exam]))
    .digest('hex');
  return join(folder, `${readable.slice(0, 60)}-${digest.slice(0, 16)}`);
}

/** All runs below the folder of all imports, the latest first. */
export async function listRuns(folder: string, files: JournalFiles = realFiles): Promise<Runs> {
  const all: Runs = { runs: [], unreadable: [] };
  for (const target of await orFailed(folder, () => files.list(folder, 'folders'))) {
    const { runs, unreadable } = await listRunsOf(join(folder, target), files);
    all.runs.push(...runs);
    all.unreadable.push(...unreadable);
  }
  return { ...all, runs: latestFirst(all.runs) };
}

/** The runs of one origin and exam, the latest first. `folder` is its `targetFolder`. */
export async function listRunsOf(folder: string, files: JournalFiles = realFiles): Promise<Runs> {
  const found: Runs = { runs: [], unreadable: [] };
  for (const name of await orFailed(folder, () => files.list(folder, 'files'))) {
    if (!name.endsWith(extension)) continue;
    const path = join(folder, name);
    try {
      const read = await readRun(path, files);
      if (read) found.runs.push(read.run);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      found.unreadable.push({ path, problem: error });
    }
  }
  return { ...found, runs: latestFirst(found.runs) };
}

/** The journal of a run below the folder of all imports; undefined where there is none. */
export async function findRun(folder: string, id: string, files: JournalFiles = realFiles): Promise<string | undefined> {
  for (const target of await orFailed(folder, () => files.list(folder, 'folders'))) {
    const names = await orFailed(folder, () => files.list(join(folder, target), 'files'));
    if (names.includes(`${id}${extension}`)) return join(folder, target, `${id}${extension}`);
  }
  return undefined;
}

/** A run and the states of its rows; undefined where its process ended before it was begun. Throws `journal_damaged`, `journal_failed`. */
export async function readRun(path: string, files: JournalFiles = realFiles): Promise<{ run: Run; rows: Rows } | undefined> {
  const rows = foldedRows();
  const found = await readLog(path, importFormat, rows.apply, files);
  if (!found) return undefined;
  const { header, startedAt, lastAt, torn } = found;
  const counts = rows.counts();
  const touched = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const untouched = Math.max(0, header.rows - touched);
  return { run: { path, header, counts, untouched, state: rows.run(), undone: rows.undone(), startedAt, lastAt, torn }, rows };
}

function latestFirst(runs: Run[]): Run[] {
  return runs.sort((a, b) => b.startedAt - a.startedAt || (basename(a.path) < basename(b.path) ? 1 : -1));
}
