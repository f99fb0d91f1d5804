/** Opens a table in any format. Its bytes decide the format, not its name. */
import { CliError } from '../errors.ts';
import { count, firstInLine, quote, type Sentence, sentence } from '../text/sentence.ts';
import { budgetOf, type HeaderNames, type RowRange, refusedFile, type Table, tableOf } from './table.ts';
import { textTable } from './text.ts';

export type OpenOptions = {
  encoding?: string | undefined;
  /** Name of the sheet, or its number among the visible ones. */
  sheet?: string | undefined;
  rows?: string | undefined;
  /** Whether hidden rows count; without it they stop the file. */
  askHidden?: ((what: Sentence) => Promise<boolean>) | undefined;
  interrupted?: AbortSignal;
  /** Does work of one turn, which may be long. */
  atOnce?: (<T>(work: () => T) => Promise<T>) | undefined;
};

const otherFormats = {
  '1f8b': ['compressed', 'Unpack it first.'],
  '25504446': ['a PDF', 'Export the roster as CSV or .xlsx.'],
} as const;

/** Throws `invalid_input`, with the place. */
export async function openTable(bytes: Buffer, name: string, names: HeaderNames, options: OpenOptions = {}): Promise<Table> {
  const { encoding, sheet, rows, askHidden, interrupted, atOnce = async (work) => work() } = options;
  const range = rows === undefined ? undefined : rangeIn(rows);
  const magic = bytes.toString('hex', 0, 4);
  if (magic === 'd0cf11e0') throw refusedFile(...inContainer(bytes, name));
  for (const [beginning, [what, hint]] of Object.entries(otherFormats))
    if (magic.startsWith(beginning)) throw refusedFile(sentence`${name} is ${what}, which cannot be read.`, sentence`${hint}`);
  const isWorkbook = magic === '504b0304';
  if (!isWorkbook && sheet !== undefined)
    throw new CliError('usage', sentence`${name} is not an Excel workbook and has no sheets.`, { hint: 'Leave out --sheet.' });
  const { workbookTable } = isWorkbook ? await import('./workbook.ts') : {};
  const found = await workbookTable?.(bytes, name, sheet, interrupted);
  const table = await atOnce(() =>
    tableOf(name, found ?? textTable(bytes, name, encoding, names.isKnown), budgetOf(name, bytes), names, range),
  );
  return withoutHidden(table, range ? async () => true : askHidden);
}

/** A file of files, whose names are in UTF-16. */
function inContainer(bytes: Buffer, name: string): [what: Sentence, hint: Sentence] {
  const has = (stream: string) => bytes.includes(Buffer.from(`${stream}\0`, 'utf16le'));
  if (has('EncryptedPackage')) return [sentence`${name} is locked by a password.`, sentence`Save it without a password.`];
  const what = has('Workbook') || has('Book') ? 'an old Excel workbook (.xls)' : 'an old Office document';
  return [sentence`${name} is ${what}, which cannot be read.`, sentence`Save it as .xlsx or CSV.`];
}

function rangeIn(text: string): RowRange {
  const [, from, to] = /^(\d{1,7})-(\d{1,7})$/.exec(text.trim()) ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (range.from >= 1 && range.to >= range.from) return range;
  const what = sentence`--rows takes the first and the last line of the roster, not ${quote(text)}.`;
  throw new CliError('usage', what, { hint: 'For example: --rows 2-58' });
}

/** Throws `invalid_input` where nobody says whether hidden rows count. */
async function withoutHidden(table: Table, ask: OpenOptions['askHidden']): Promise<Table> {
  const hidden = table.rows.filter((row) => row.hidden);
  if (hidden.length === 0) return table;
  const range = `${table.rows[0]?.line}-${table.rows.at(-1)?.line}`;
  const rows = count(hidden.length, 'hidden row');
  const what = sentence`${table.name} has ${rows} (${firstInLine(hidden, ({ line }) => String(line), 20)})`;
  const hint = sentence`Show or delete them, and save the file. To count them: --rows ${range}`;
  if (!ask) throw refusedFile(sentence`${what}; a filter hides rows.`, hint);
  const counts = await ask(what);
  const note = sentence`${rows} ${counts ? `included, as with --rows ${range}` : 'left out'}.`;
  const used = table.rows.filter((row) => counts || !row.hidden);
  return { ...table, rows: used, notes: [...table.notes, note] };
}
