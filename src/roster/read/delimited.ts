/**
 * Delimited text: records of cells with the line on which each begins. RFC 4180 with any delimiter,
 * any line ends, and no leniency: a quote that is not closed, or closed in the middle of a cell, is
 * refused with its place. The apostrophe that guards a formula, as our own CSV has it, is taken off.
 */
import { type CsvError, parse } from 'csv-parse';
import { CliError } from '../../errors.ts';
import { unguarded } from '../../model/formula.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { Record } from './source-table.ts';
import { longestRecord, tooLong } from './text-lines.ts';

const breaks = /\r\n|\n|\r/g;

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
