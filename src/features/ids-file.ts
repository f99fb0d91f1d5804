/**
 * The file beside a timetable that says which line is which exam, `TABLE.ids.csv`: made to be committed, so that a machine without a
 * record of its own knows it too. It has no secrets; of the values that were applied last it keeps short digests.
 */
import { access, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { checkFolderOf, writePrivateFile } from '../files/private-file.ts';
import { whyNotWritten } from '../files/why-not-written.ts';
import { csvRecord } from '../model/csv-record.ts';
import { instantOf } from '../model/time.ts';
import { openRoster } from '../roster/read/index.ts';
import { placeOf } from '../roster/read/source-table.ts';
import { sentence } from '../text/sentence.ts';

/** By a field's name: a digest of the value that was applied last. */
export type Digests = Readonly<Record<string, string>>;

/** What is known of a line. */
export type KnownLine = {
  key: string | undefined;
  name: string | undefined;
  /** Milliseconds since 1970. */
  start: number | undefined;
  exam: string;
  /** The service. */
  origin: string;
  applied: Digests;
};

/** `at`: its place in the file. */
export type ReadLine = KnownLine & { at: string };

const columns = ['key', 'name', 'start', 'exam', 'origin', 'applied'] as const;

/** `timetable.xlsx` and `timetable.csv` are the same exams. */
export function idsFileOf(timetable: string): string {
  return join(dirname(timetable), `${basename(timetable, extname(timetable))}.ids.csv`);
}

/** The lines of the file; none where there is no file. Throws `invalid_input` for one that cannot be read. */
export async function readIdsFile(path: string): Promise<ReadLine[]> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return [];
  const table = await openRoster({ path }, { headers: columns, rows: 'exams' });
  try {
    const indexes = columns.map((column) => table.header.indexOf(column));
    const missing = columns.filter((_, at) => (indexes[at] ?? -1) < 0);
    if (missing.length > 0) throw damaged(table.name, sentence`it has no column ${missing.join(', ')}`);
    const lines: ReadLine[] = [];
    for await (const portion of table.rows()) {
      for (const row of portion) {
        const at = placeOf(table, row);
        const [key, name, start, exam, origin, applied = ''] = indexes.map((index) => row.cells[index]?.trim() || undefined);
        if (row.ragged || exam === undefined || origin === undefined) throw damaged(table.name, sentence`${at} is incomplete`);
        lines.push({ at, key, name, start: instantOf(start), exam, origin, applied: digestsIn(applied) });
      }
    }
    return lines;
  } finally {
    await table.close();
  }
}

function damaged(name: string, why: string): CliError {
  return new CliError('invalid_input', sentence`${name} cannot be used: ${why}.`, {
    hint: 'Restore it from your repository or a backup. Without it, lines are matched by their column id, or taken over with --adopt.',
  });
}

function digestsIn(text: string): Digests {
  return Object.fromEntries(
    text
      .split(' ')
      .map((pair) => pair.split('='))
      .flatMap(([field, digest]) => (field !== undefined && digest !== undefined ? [[field, digest]] : [])),
  );
}

/** Throws `output_failed` where no file can be written beside the timetable; call before anything is sent. */
export async function checkIdsFile(path: string): Promise<void> {
  await checkFolderOf(path).catch((error: unknown) => {
    throw notWritten(path, error);
  });
}

/** Replaces the file atomically; a file that says the same stays as it is. */
export async function writeIdsFile(path: string, lines: readonly KnownLine[]): Promise<void> {
  const text = [columns, ...lines.map(cellsOf)].map((cells) => `${csvRecord(cells)}\n`).join('');
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before === text || (before === undefined && lines.length === 0)) return;
  await writePrivateFile(path, (file) => file.writeFile(text), { replace: true, mode: 0o644 }).catch((error: unknown) => {
    throw notWritten(path, error);
  });
}

function cellsOf({ key = '', name = '', start, exam, origin, applied }: KnownLine): string[] {
  const digests = Object.entries(applied).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const at = start === undefined ? '' : new Date(start).toISOString().replace('.000Z', 'Z');
  return [key, name, at, exam, origin, digests.map(([field, digest]) => `${field}=${digest}`).join(' ')];
}

function notWritten(path: string, cause: unknown): CliError {
  return new CliError('output_failed', sentence`The file of IDs cannot be written to ${JSON.stringify(path)}: ${whyNotWritten(cause)}.`, {
    hint: 'Copy the timetable into a folder that you can write to.',
    cause,
  });
}
