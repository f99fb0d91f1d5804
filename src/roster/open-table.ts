/** Opens a roster or another table in any format: its bytes decide the format, not its name. It is read as a whole. */
import { basename } from 'node:path';
import { CliError } from '../errors.ts';
import { readInputFile, UnreadableFile } from '../host/input-file.ts';
import { count } from '../model/count.ts';
import { firstInLine } from '../model/first-of.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { quote } from './quote.ts';
import { type HeaderNames, type RowRange, refused, type Table, tableOf } from './table.ts';
import { textTable } from './text.ts';

/** `signal` ends the wait for a pipe. */
export type Source = { path: string; signal?: AbortSignal } | { stdin: AsyncIterable<Uint8Array> };

export type OpenOptions = {
  encoding?: string | undefined;
  /** Name of the sheet, or its number among the visible ones. */
  sheet?: string | undefined;
  /** The lines of the rows, such as 2-58. */
  rows?: string | undefined;
  /** Whether hidden rows count; without it they stop the file. `range`: the value of --rows with which they count. */
  askHidden?: ((what: Sentence, range: string) => Promise<boolean>) | undefined;
};

/** A roster of a hundred thousand students has a tenth of that. Bytes. */
const largest = 64 << 20;

/** How files begin that are neither text nor a workbook. */
const others = [
  ['d0cf11e0', 'an old Excel workbook, or a locked one', 'Open it in a spreadsheet and save it as .xlsx or CSV, without a password.'],
  ['1f8b', 'compressed', 'Unpack it first.'],
  ['25504446', 'a PDF', 'Export the roster as CSV or .xlsx.'],
] as const;

/** Throws `invalid_input` for what cannot be a table, with the place. */
export async function openTable(source: Source, names: HeaderNames, options: OpenOptions = {}): Promise<Table> {
  const range = options.rows === undefined ? undefined : rangeIn(options.rows);
  const name = 'path' in source ? basename(source.path) : 'stdin';
  const bytes = 'path' in source ? await bytesOf(source.path, source.signal) : await bytesIn(source.stdin);
  const magic = bytes.toString('hex', 0, 4);
  const other = others.find(([beginning]) => magic.startsWith(beginning));
  if (other) throw refused(sentence`${name} is ${other[1]}, which cannot be read.`, sentence`${other[2]}`);
  if (magic === '504b0304') {
    const { workbookTable } = await import('./workbook.ts');
    const { table, hidden } = tableOf(name, await workbookTable(bytes, name, options.sheet), names, range);
    return hidden.length === 0 ? table : withHidden(table, hidden, range ? async () => true : options.askHidden);
  }
  if (options.sheet !== undefined)
    throw new CliError('usage', sentence`${name} is not an Excel workbook and has no sheets.`, { hint: 'Leave out --sheet.' });
  return tableOf(name, textTable(bytes, name, options.encoding, names.isKnown), names, range).table;
}

function rangeIn(text: string): RowRange {
  const [, from, to] = /^(\d{1,7})-(\d{1,7})$/.exec(text.trim()) ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (range.from >= 1 && range.to >= range.from) return range;
  throw new CliError('usage', sentence`--rows takes the first and the last line of the roster, not ${quote(text)}.`, {
    hint: 'For example: --rows 2-58',
  });
}

/** The table with or without its hidden rows. Throws `invalid_input` where nobody says whether they count. */
async function withHidden(table: Table, hidden: readonly number[], ask: OpenOptions['askHidden']): Promise<Table> {
  const range = `${table.rows[0]?.line}-${table.rows.at(-1)?.line}`;
  const rows = count(hidden.length, 'hidden row');
  const what = sentence`${table.name}, ${table.format.replace(/^.*?, /, '')}, has ${rows} (${firstInLine(hidden, String, 20)})`;
  if (!ask) {
    const hint = sentence`Show or delete them, and save the file; or add --rows ${range}, with which hidden rows count.`;
    throw refused(sentence`${what}; a filter hides rows.`, hint);
  }
  const counts = await ask(what, range);
  const left = new Set(counts ? [] : hidden);
  const shown = table.rows.filter(({ line }) => !left.has(line));
  return { ...table, rows: shown, notes: [...table.notes, sentence`${rows} ${counts ? 'included' : 'left out'}.`] };
}

async function bytesOf(path: string, signal = new AbortController().signal): Promise<Buffer> {
  try {
    return await readInputFile(path, largest, signal);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw refused(sentence`${quote(path)} cannot be read: ${error.message}.`, sentence`Give a file or a pipe; - means stdin.`, error);
  }
}

async function bytesIn(stdin: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stdin) {
    parts.push(part);
    length += part.length;
    if (length > largest) throw refused(sentence`stdin cannot be read: it is larger than 64 MiB.`, sentence`Split it.`);
  }
  return Buffer.concat(parts);
}
