/**
 * Opens a roster in any format: delimited text, a list of addresses, JSON, NDJSON, an Excel
 * workbook, an archive with one table in it. Its bytes decide the format, not its name. Its
 * encoding is certain when this returns.
 */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { isKnownHeader } from '../map/aliases.ts';
import { type Archive, openArchive } from './archive.ts';
import type { Bytes } from './encoding.ts';
import type { HeaderNames, TableRows } from './header.ts';
import { quoteAll } from './quote.ts';
import { openSource, type RosterSource, type SourceFile } from './source-file.ts';
import type { Table } from './source-table.ts';
import { tabulate } from './tabulate.ts';
import { readText, type TextOptions } from './text.ts';
import { readWorkbook, type WorkbookOptions } from './workbook.ts';

export type RosterOptions = TextOptions &
  WorkbookOptions & {
    /** Headers that the user names, by which the header is found too. */
    headers?: readonly string[];
    /** Further names by which the header is found, for tables of another kind. */
    furtherHeaders?: readonly string[];
    /** What the rows are; students, unless this says otherwise. */
    rows?: TableRows;
    /** Where a roster that cannot be read twice is kept until it is closed; the system's folder otherwise. */
    folder?: string;
  };

/** Opens a roster. Throws `invalid_input` for what cannot be one; the caller closes the table. */
export async function openRoster(source: RosterSource, options: RosterOptions = {}): Promise<Table> {
  const file = await openSource(source, options.folder);
  try {
    const archive = await archiveIn(file);
    const isWorkbook = archive?.entry('xl/workbook.xml') !== undefined;
    if (options.sheet !== undefined && !isWorkbook) {
      throw new CliError('usage', sentence`${file.name} is not an Excel workbook and has no sheets.`, { hint: 'Leave out --sheet.' });
    }
    const names = namesFrom(options);
    const content =
      archive && isWorkbook
        ? await readWorkbook(archive, file.name, options)
        : await readText(archive ? rosterIn(archive, file.name) : file, options, names);
    return { ...(await tabulate(content, names)), close: file.close };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function namesFrom({ headers = [], furtherHeaders = [], rows = 'students' }: RosterOptions): HeaderNames {
  const key = (header: string) => header.trim().toLowerCase();
  const [given, further] = [new Set(headers.map(key)), new Set(furtherHeaders.map(key))];
  return {
    rows,
    named: (header) => given.has(key(header)),
    known: (header) => isKnownHeader(header) || further.has(key(header)),
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

/** The roster in an archive: its only table. */
function rosterIn(archive: Archive, name: string): Bytes {
  if (archive.entry('content.xml')) {
    throw new CliError('invalid_input', sentence`${name} is an OpenDocument file, which cannot be read.`, {
      hint: 'Save it as .xlsx or CSV.',
    });
  }
  const tables = archive.names.filter((path) => /\.(csv|tsv|txt|json|ndjson)$/i.test(path));
  const [only, ...more] = tables;
  if (only !== undefined && more.length === 0) return archive.entry(only) as Bytes;
  throw new CliError(
    'invalid_input',
    only === undefined ? sentence`${name} contains no roster.` : sentence`${name} contains several rosters: ${quoteAll(tables)}.`,
    { hint: 'Unpack it and import the file with the students.' },
  );
}
