/**
 * Text in all its forms: JSON, NDJSON, a list of addresses, and whatever has separators. Which one it
 * is shows in its beginning.
 */

import { type CsvError, parse } from 'csv-parse';
import { CliError } from '../../errors.ts';
import { unguarded } from '../../model/formula.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Bytes, decoded, encodingOf } from './encoding.ts';
import { type HeaderNames, headRecords, isBlank } from './header.ts';
import { jsonItems, jsonRecords, keysOf, ndjsonItems } from './json-roster.ts';
import { quote } from './quote.ts';
import type { Record, TableContent } from './source-table.ts';
import { linesOf, longestRecord, tooLong } from './text-lines.ts';

export type TextOptions = {
  /** One of `encodings`; without it a byte order mark decides, or the text has to be UTF-8. */
  encoding?: string | undefined;
};

type Text = { name: string; chunks(): AsyncGenerator<string> };

export async function readText(file: Bytes, options: TextOptions, names: HeaderNames): Promise<TableContent> {
  const encoding = await encodingOf(file, options.encoding);
  const text: Text = { name: file.name, chunks: () => decoded(file, encoding) };
  const beginning = await beginningOf(text.chunks());
  const kind = kindOf(beginning, file.name, names);
  const content = kind === 'delimited' ? await delimited(text, beginning, names) : await contentOf[kind](text, names);
  return encoding === 'utf-8' ? content : { ...content, format: `${content.format}, ${encoding}` };
}

const contentOf: { [kind in 'json' | 'ndjson' | 'list']: (text: Text, names: HeaderNames) => Promise<TableContent> } = {
  json: (text) => ofItems('JSON', 'json', text, () => jsonItems(text.chunks(), text.name)),
  ndjson: (text) => ofItems('NDJSON', 'ndjson', text, () => ndjsonItems(text.chunks(), text.name)),
  list: async ({ name, chunks }, { known }) => ({
    name,
    format: 'list of addresses',
    kind: 'list',
    header: ['email'],
    records: () => listRecords(chunks(), name, known),
  }),
};

async function ofItems(
  format: string,
  kind: 'json' | 'ndjson',
  { name }: Text,
  items: () => ReturnType<typeof jsonItems>,
): Promise<TableContent> {
  const header = await keysOf(items(), name);
  return { name, format, kind, header, records: () => jsonRecords(items(), header) };
}

async function delimited({ name, chunks }: Text, beginning: string, names: HeaderNames): Promise<TableContent> {
  const named = namedDelimiter(beginning);
  const delimiter = named ?? (await delimiterOf(beginning, name, names));
  return {
    name,
    format: `CSV with ${delimiters[delimiter as keyof typeof delimiters] ?? quote(delimiter)}`,
    kind: 'delimited',
    async *records() {
      for await (const records of delimitedRecords(chunks(), name, delimiter)) {
        yield named !== undefined && records[0]?.line === 1 ? records.slice(1) : records;
      }
    },
  };
}

/** Characters by which the format of a text is told. */
const enoughText = 64 << 10;

async function beginningOf(text: AsyncIterable<string>): Promise<string> {
  let beginning = '';
  for await (const chunk of text) {
    beginning += chunk;
    if (beginning.length > enoughText) return beginning.slice(0, beginning.lastIndexOf('\n') + 1) || beginning;
  }
  return beginning;
}

const addressLine = /^([^<>]*<\s*[^\s<>@,;]+@[^\s<>@,;]+\s*>|[^\s,;<>@"|]+@[^\s,;<>@"|]+)\s*[,;]?$/;

function kindOf(beginning: string, name: string, { known }: HeaderNames): 'json' | 'ndjson' | 'list' | 'delimited' {
  const text = beginning.trimStart();
  if (/^<(!doctype|html|table|\?xml)/i.test(text)) {
    throw new CliError('invalid_input', sentence`${name} is a web page or XML, despite its name.`, {
      hint: 'Open it in a spreadsheet and save it as .xlsx or CSV.',
    });
  }
  if (/^\[\s*[[{\]"]/.test(text)) return 'json';
  if (/^\{\s*["}]/.test(text)) return 'ndjson';
  return isList(text, known) ? 'list' : 'delimited';
}

/** Whether a text has an address in each line and nothing beside it; the first line may be a header. */
function isList(text: string, known: HeaderNames['known']): boolean {
  const [first = '', ...others] = text
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const lines = addressLine.test(first) ? [first, ...others] : known(first) ? others : [];
  return lines.some((line) => addressLine.test(line)) && !lines.some((line) => !addressLine.test(line) && /[,;\t|"]/.test(line));
}

/** The lines of a list, without the comma or semicolon that may end them; a header may stand first. */
async function* listRecords(text: AsyncIterable<string>, name: string, known: HeaderNames['known']): AsyncGenerator<Record[]> {
  let first = true;
  for await (const lines of linesOf(text, name)) {
    const records: Record[] = [];
    for (const { line, text: said } of lines) {
      const entry = said.trim().replace(/[,;]$/, '').trimEnd();
      if (entry === '') continue;
      if (!(first && known(entry))) records.push({ line, cells: [entry] });
      first = false;
    }
    yield records;
  }
}

/** The separators that are looked for, and how they are called. */
const delimiters = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** The separator that the line `sep=;` names, as Excel writes it. */
function namedDelimiter(text: string): string | undefined {
  return /^sep=(.)(?=\r|\n|$)/i.exec(text)?.[1];
}

/** The separator of a text, from its beginning. */
async function delimiterOf(beginning: string, name: string, { known, named }: HeaderNames): Promise<string> {
  let best = { delimiter: ',', headers: 0, even: 0 };
  for (const delimiter of Object.keys(delimiters)) {
    const records = await firstRecords(beginning, name, delimiter);
    const headers = Math.max(0, ...records.map((record) => record.cells.filter((cell) => known(cell) || named(cell)).length));
    const found = { delimiter, headers, even: evenness(records) };
    if (found.headers > best.headers || (found.headers === best.headers && found.even > best.even)) best = found;
  }
  return best.delimiter;
}

async function firstRecords(beginning: string, name: string, delimiter: string): Promise<Record[]> {
  const found: Record[] = [];
  try {
    for await (const records of delimitedRecords(once(beginning), name, delimiter)) found.push(...records);
  } catch (error) {
    // Under a wrong separator a quote may well stand in the middle of a cell; what came before counts.
    if (!(error instanceof CliError)) throw error;
  }
  return found.filter((record) => !isBlank(record)).slice(0, headRecords);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** The share of the records that have the most usual number of cells; 0 where that is one. */
function evenness(records: readonly Record[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [cells, share] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [1, 0]);
  return cells > 1 ? share / records.length : 0;
}

const breaks = /\r\n|\n|\r/g;

/** RFC 4180 with any delimiter and line ends, and no leniency: a quote that is not closed, or in the middle of a cell, is refused. */
export async function* delimitedRecords(text: AsyncIterable<string>, name: string, delimiter: string): AsyncGenerator<Record[]> {
  let line = 1;
  /** Characters since the last record ended: of a row of nothing but separators the parser counts none. */
  let pending = 0;
  let records: Record[] = [];
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: longestRecord,
    // Records are taken here, with their lines, and nothing is kept for the reading end of the stream.
    on_record(cells: string[]) {
      pending = 0;
      records.push({ line, cells: cells.map(unguarded) });
      line += 1;
      for (const cell of cells) line += cell.match(breaks)?.length ?? 0;
      return null;
    },
  });
  let failure: CsvError | undefined;
  parser.on('error', (error: CsvError) => {
    failure = error;
  });
  // The reading end has to be read for its own end to come, though nothing ever arrives there.
  parser.resume();
  const written = (chunk: string) => new Promise<void>((resolve) => parser.write(chunk, () => resolve()));
  for await (const chunk of text) {
    pending += chunk.length;
    if (chunk !== '') await written(chunk);
    if (failure) break;
    if (pending > 2 * longestRecord) throw tooLong(name, line);
    yield records;
    records = [];
  }
  if (!failure) {
    await new Promise<void>((resolve) => parser.once('error', () => resolve()).end(resolve));
  }
  yield records;
  if (failure) throw refusal(failure, name, line);
}

function refusal(error: CsvError, name: string, line: number): CliError {
  const column = Number(error.column) + 1;
  const at = Number.isInteger(column) ? `line ${line}, column ${column}` : `line ${line}`;
  const said: { [code: string]: [what: string, hint: Sentence] } = {
    CSV_QUOTE_NOT_CLOSED: ['a quote that starts here is never closed', sentence`Close it; quotes inside a quoted cell are doubled.`],
    CSV_MAX_RECORD_SIZE: ['the row that begins here does not end', sentence`A quote there is probably never closed.`],
    INVALID_OPENING_QUOTE: ['a cell has a quote in the middle', sentence`Quote the whole cell, and double the quotes inside it.`],
    CSV_INVALID_CLOSING_QUOTE: ['a quote is closed before the cell ends', sentence`Quotes inside a quoted cell are doubled.`],
  };
  const [what, hint] = said[error.code] ?? ['the row cannot be read', sentence`Save the file again as CSV.`];
  return new CliError('invalid_input', sentence`${name}, ${at}: ${what}.`, { hint, cause: error });
}
