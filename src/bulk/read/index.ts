/**
 * Opens a roster, whatever it is: delimited text, a list of addresses, JSON, NDJSON, an Excel
 * workbook, an archive with a users.csv in it. What it is shows in its bytes, not in its name. All of
 * it has been looked at when this returns: its encoding is certain and its digest known.
 */
import { createHash } from 'node:crypto';
import { CliError } from '../../errors.ts';
import { isKnownHeader } from '../map/vocabulary.ts';
import { type Archive, openArchive } from './archive.ts';
import { delimitedRecords } from './delimited.ts';
import { delimiterOf, delimiters, namedDelimiter } from './delimiter.ts';
import { type Bytes, type ChooseEncoding, decoded, encodingOf } from './encoding.ts';
import { findHeader, headRecords, isBlank, type KnownHeader } from './header.ts';
import { jsonItems, jsonRecords, keysOf, ndjsonItems } from './json.ts';
import { linesOf } from './lines.ts';
import { quote, quoteAll } from './quote.ts';
import { openSource, type Source, type SourceFile } from './source-file.ts';
import type { Record, Row, Table } from './table.ts';
import { openSheet } from './workbook.ts';

export type RosterOptions = {
  /** One of `encodings`; without it a byte order mark decides, or the text has to be UTF-8. */
  encoding?: string | undefined;
  /** One of `rosterFormats`, where the bytes do not tell. */
  format?: string | undefined;
  /** Headers that the user names, by which the header is found too. */
  headers?: readonly string[];
  /** Asked where a text is not UTF-8 and no encoding is named. */
  chooseEncoding?: ChooseEncoding | undefined;
  /** Where a roster that cannot be read twice is kept until it is closed; the system's folder otherwise. */
  folder?: string;
};

export const rosterFormats = ['csv', 'tsv', 'list', 'json', 'ndjson', 'xlsx'] as const;
type RosterFormat = (typeof rosterFormats)[number];

/** What a reader makes of its part of the file; the rest is the same for all. */
type Content = Pick<Table, 'format' | 'kind' | 'encoding'> & {
  /** Records from the first one, the header included. */
  records(): AsyncGenerator<Record[]>;
  /** The header where no record is it. */
  header?: readonly string[];
  notes?: readonly string[];
};

/** Opens a roster. Throws `invalid_input` for what cannot be one; the caller closes the table. */
export async function openRoster(source: Source, options: RosterOptions = {}): Promise<Table> {
  const format = knownFormat(options.format);
  const file = await openSource(source, options.folder);
  try {
    const digest = createHash('sha256');
    for await (const chunk of file.bytes()) digest.update(chunk);
    const shared = { digest: digest.digest('hex'), close: file.close };
    const archive = await archiveIn(file);
    if (archive?.entry('xl/workbook.xml')) return await tableOf(file, await workbook(archive, file), options, shared);
    if (format === 'xlsx')
      throw new CliError('invalid_input', `${file.name} is not an Excel workbook (.xlsx).`, { hint: 'Leave --format out.' });
    if (!archive) return await tableOf(file, await textual(file, format, options), options, shared);
    return await member(archive, rosterIn(archive, file.name), format, options, shared);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function knownFormat(name: string | undefined): RosterFormat | undefined {
  const format = rosterFormats.find((one) => one === name?.toLowerCase());
  if (format || name === undefined) return format;
  throw new CliError('usage', `The format ${JSON.stringify(name)} is not known.`, { hint: `Known are ${rosterFormats.join(', ')}.` });
}

/** The archive that a file is; undefined for text. Throws for what is neither. */
async function archiveIn(file: SourceFile): Promise<Archive | undefined> {
  const { buffer } = await file.handle.read(Buffer.alloc(8), 0, 8, 0);
  if (buffer.readUInt32BE(0) === 0x504b0304) return openArchive(file.name, file.handle);
  const other = [
    [0xd0cf11e0, 'an old Excel or locked workbook', 'Open it in a spreadsheet and save it as .xlsx or CSV.'],
    [0x1f8b0800, 'compressed', `Unpack it: gunzip -c ${file.name} | proctor-cli sessions import - …`],
    [0x25504446, 'a PDF', 'Export the roster as CSV or .xlsx.'],
  ] as const;
  const found = other.find(([magic]) => (buffer.readUInt32BE(0) & (magic === 0x1f8b0800 ? 0xffffff00 : -1)) >>> 0 === magic);
  if (found) throw new CliError('invalid_input', `${file.name} is ${found[1]}, which cannot be read.`, { hint: found[2] });
  return undefined;
}

/** The name of the roster in an archive: OneRoster's users.csv, or its only table. */
function rosterIn(archive: Archive, name: string): string {
  if (archive.entry('content.xml')) {
    throw new CliError('invalid_input', `${name} is an OpenDocument file, which cannot be read.`, { hint: 'Save it as .xlsx or CSV.' });
  }
  const tables = archive.names.filter((path) => /\.(csv|tsv|txt|json|ndjson)$/i.test(path));
  const users = tables.filter((path) => /(^|\/)users\.csv$/i.test(path));
  const [only, ...others] = users.length > 0 ? users : tables;
  if (only !== undefined && others.length === 0) return only;
  throw new CliError(
    'invalid_input',
    only === undefined ? `There is no roster in ${name}.` : `There are several rosters in ${name}: ${quoteAll([only, ...others])}.`,
    { hint: 'Unpack it and name the file with the students.' },
  );
}

type Shared = Pick<Table, 'digest' | 'close'>;

async function member(
  archive: Archive,
  path: string,
  format: RosterFormat | undefined,
  options: RosterOptions,
  shared: Shared,
): Promise<Table> {
  const file = archive.entry(path) as Bytes;
  const content = await textual(file, format, options);
  const beside = async (other: string) => {
    const neighbour = path.replace(/[^/]*$/, other);
    return archive.entry(neighbour) ? member(archive, neighbour, undefined, {}, { ...shared, close: async () => {} }) : undefined;
  };
  return { ...(await tableOf(file, content, options, shared)), beside };
}

async function workbook(archive: Archive, file: SourceFile): Promise<Content> {
  const sheet = await openSheet(archive, file.name);
  const format = `Excel workbook, sheet ${quote(sheet.name)}`;
  return { format, kind: 'xlsx', encoding: undefined, notes: sheet.notes, records: sheet.records };
}

async function tableOf(file: Bytes, content: Content, options: RosterOptions, shared: Shared): Promise<Table> {
  const head = await headOf(content.records());
  const header = content.header ?? trimmed(findHeader(head, file.name, knownBy(options)).cells);
  if (content.header && head.length === 0)
    throw new CliError('invalid_input', `${file.name} has no students in it.`, { hint: 'Add some.' });
  const above = content.header ? -1 : head.findIndex((record) => trimmed(record.cells).join('\n') === header.join('\n'));
  const headerLine = head[above]?.line ?? 0;
  const notes = [...(content.notes ?? [])];
  if (above > 0)
    notes.push(
      `The header stands in line ${headerLine}; ${above === 1 ? 'the line' : `${above} lines`} above it ${above === 1 ? 'is' : 'are'} a title.`,
    );
  const { format, kind, encoding } = content;
  return {
    name: file.name,
    format,
    kind,
    encoding,
    header,
    notes,
    rows: () => rowsBelow(content, header, headerLine, file.name),
    beside: async () => undefined,
    ...shared,
  };
}

/** Names of columns; empty ones at the end are none. */
function trimmed(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.trim());
}

/** The first records that are not blank. */
async function headOf(records: AsyncGenerator<Record[]>): Promise<Record[]> {
  const head: Record[] = [];
  for await (const portion of records) {
    for (const record of portion) {
      if (!isBlank(record)) head.push(record);
      if (head.length === headRecords) return head;
    }
  }
  return head;
}

async function* rowsBelow(content: Content, header: readonly string[], headerLine: number, name: string): AsyncGenerator<Row[]> {
  let row = 0;
  for await (const records of content.records()) {
    const rows: Row[] = [];
    for (const { line, cells } of records) {
      if ((headerLine > 0 && line <= headerLine) || isBlank({ line, cells })) continue;
      row += 1;
      rows.push({ row, line, cells: content.kind === 'xlsx' ? padded(cells, header.length) : cells });
      if ((rows.at(-1)?.cells.length ?? 0) !== header.length) throw ragged(name, line, cells.length, header.length);
    }
    if (rows.length > 0) yield rows;
  }
}

/** A row of a sheet ends with its last cell that holds something. */
function padded(cells: readonly string[], length: number): readonly string[] {
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  return Array.from({ length: Math.max(length, used) }, (_, index) => cells[index] ?? '');
}

function ragged(name: string, line: number, cells: number, columns: number): CliError {
  const longer = cells > columns;
  const place = `${name}, line ${line}, column ${(longer ? columns : cells) + 1}`;
  return new CliError('invalid_input', `${place}: the row has ${cells} ${cells === 1 ? 'cell' : 'cells'}, and the header ${columns}.`, {
    hint: longer
      ? 'Put a cell that contains the separator in quotes.'
      : 'Add the separators that are missing; where a spreadsheet left them out, save it as .xlsx.',
  });
}
