/**
 * Opens a roster in any format: delimited text, a list of addresses, JSON, NDJSON, an Excel
 * workbook, an archive with a users.csv in it. Its bytes decide the format, not its name. All of
 * it has been read when this returns: its encoding is certain and its digest known.
 */
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { isKnownHeader } from '../map/vocabulary.ts';
import { type Archive, openArchive } from './archive.ts';
import type { Bytes } from './encoding.ts';
import { quoteAll } from './quote.ts';
import { openSource, type RosterSource, type SourceFile } from './source-file.ts';
import type { Table } from './table.ts';
import { tabulate } from './tabulate.ts';
import { readText, type TextOptions } from './text.ts';
import { readWorkbook } from './workbook.ts';

export type RosterOptions = TextOptions & {
  /** Name or number of the sheet of a workbook. */
  sheet?: string | undefined;
  /** Headers that the user names, by which the header is found too. */
  headers?: readonly string[];
  /** Where a roster that cannot be read twice is kept until it is closed; the system's folder otherwise. */
  folder?: string;
};

type Roster = TextOptions & { sheet?: string | undefined; known(header: string): boolean; digest: string };

/** Opens a roster. Throws `invalid_input` for what cannot be one; the caller closes the table. */
export async function openRoster(source: RosterSource, { headers = [], folder, ...options }: RosterOptions = {}): Promise<Table> {
  const file = await openSource(source, folder);
  try {
    const named = new Set(headers.map((header) => header.trim().toLowerCase()));
    const known = (header: string) => isKnownHeader(header) || named.has(header.trim().toLowerCase());
    const table = await openFile(file, { ...options, known, digest: await digestOf(file) }, neighboursOf(source));
    return { ...table, close: file.close };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function digestOf(file: SourceFile): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of file.bytes()) digest.update(chunk);
  return digest.digest('hex');
}

/** The files in the folder of a roster, for what its export says beside it. */
function neighboursOf(source: RosterSource): Table['beside'] {
  return async (name) => {
    if (!('path' in source)) return undefined;
    const path = join(dirname(source.path), name);
    const there = await access(path).then(
      () => true,
      () => false,
    );
    return there ? openRoster({ path }) : undefined;
  };
}

const close = async () => {};

async function openFile(file: SourceFile, roster: Roster, beside: Table['beside']): Promise<Table> {
  const { known, digest } = roster;
  const archive = await archiveIn(file);
  if (roster.sheet !== undefined && !archive?.entry('xl/workbook.xml')) {
    throw new CliError('usage', sentence`${file.name} is not an Excel workbook and has no sheets.`, { hint: 'Leave out --sheet.' });
  }
  if (!archive) return { ...(await tabulate(await readText(file, roster, known), file.name, known)), digest, beside, close };
  if (!archive.entry('xl/workbook.xml')) return openMember(archive, rosterIn(archive, file.name), roster);
  return { ...(await tabulate(await readWorkbook(archive, file.name, roster), file.name, known)), digest, beside, close };
}

/** A text file in an archive, and its neighbours with it. */
async function openMember(archive: Archive, path: string, roster: Roster): Promise<Table> {
  const { known, digest } = roster;
  const file = archive.entry(path) as Bytes;
  const table = await tabulate(await readText(file, roster, known), file.name, known);
  return {
    ...table,
    digest,
    async beside(name) {
      const neighbour = path.replace(/[^/]*$/, name);
      return archive.entry(neighbour) ? openMember(archive, neighbour, { known, digest }) : undefined;
    },
    close,
  };
}

/** How files begin that are neither text nor an archive. */
const others = [
  ['d0cf11e0', 'an old Excel workbook, or a locked one', 'Open it in a spreadsheet and save it as .xlsx or CSV, without a password.'],
  ['1f8b', 'compressed', 'Unpack it, or pipe it: gunzip -c FILE | proctor-cli sessions import - …'],
  ['25504446', 'a PDF', 'Export the roster as CSV or .xlsx.'],
] as const;

/** The archive that a file is; undefined for text. Throws for what is neither. */
async function archiveIn(file: SourceFile): Promise<Archive | undefined> {
  const { buffer } = await file.handle.read(Buffer.alloc(4), 0, 4, 0);
  const beginning = buffer.toString('hex');
  if (beginning === '504b0304') return openArchive(file.name, file.handle);
  const other = others.find(([magic]) => beginning.startsWith(magic));
  if (other) throw new CliError('invalid_input', sentence`${file.name} is ${other[1]}, which cannot be read.`, { hint: other[2] });
  return undefined;
}

/** The name of the roster in an archive: OneRoster's users.csv, or its only table. */
function rosterIn(archive: Archive, name: string): string {
  if (archive.entry('content.xml')) {
    throw new CliError('invalid_input', sentence`${name} is an OpenDocument file, which cannot be read.`, {
      hint: 'Save it as .xlsx or CSV.',
    });
  }
  const tables = archive.names.filter((path) => /\.(csv|tsv|txt|json|ndjson)$/i.test(path));
  const users = tables.filter((path) => /(^|\/)users\.csv$/i.test(path));
  const [only, ...more] = users.length > 0 ? users : tables;
  if (only !== undefined && more.length === 0) return only;
  throw new CliError(
    'invalid_input',
    only === undefined ? sentence`${name} contains no roster.` : sentence`${name} contains several rosters: ${quoteAll([only, ...more])}.`,
    { hint: 'Unpack it and import the file with the students.' },
  );
}
