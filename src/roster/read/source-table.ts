/**
 * A roster as a table, whatever it was: one header, and rows that can be read again from the first
 * one, in portions, with the place of each for people.
 */

/** A record as a reader finds it; `line` is where it begins, from 1. */
export type Record = { line: number; cells: readonly string[]; sheet?: SheetRecord };

/** What only a workbook knows of a record. Columns are counted from 0. */
export type SheetRecord = {
  hidden?: true;
  /** The rows before it are blank, and left out of the file. */
  afterGap?: true;
  /** The first column with a formula of which no value is stored. */
  formula?: number;
  /** Columns that have their text from a merged cell that begins further left. */
  across?: ReadonlySet<number>;
  /** Some text comes from a merged cell that begins further up. */
  under?: true;
};

/** A record below the header; `row` counts them from 1 and is unique, which a line of JSON is not. */
export type TableRow = Pick<Record, 'line' | 'cells'> & {
  row: number;
  /** The row has more or fewer cells than there are columns: from which one on, and what is to be said. */
  ragged?: { column: number; reason: string };
  /** The only text of a row that could have several, unless it is an address: perhaps a heading. */
  alone?: string;
};

export type Table = {
  /** What messages call the file. */
  name: string;
  /** What it is, in words: "CSV with semicolons, windows-1252". */
  format: string;
  kind: 'delimited' | 'list' | 'json' | 'ndjson' | 'xlsx';
  /** Names of the columns, trimmed; one may be empty, none stands twice. */
  header: readonly string[];
  /** What was passed over, for people. */
  notes: readonly string[];
  /** Rows in portions, from the first one; a row that is not ragged has a cell for each column. Throws `invalid_input` with line and column. */
  rows(): AsyncGenerator<TableRow[]>;
  /** Closes the file, and removes it where it was spooled. */
  close(): Promise<void>;
};

/** What a reader makes of a file: records, from which a table is made the same way for all of them. */
export type TableContent = Pick<Table, 'name' | 'format' | 'kind'> & {
  /** Records in portions, from the first one, the header included. */
  records(): AsyncGenerator<Record[]>;
  /** The header where no record is it. */
  header?: readonly string[];
  notes?: readonly string[];
};

/** Where a row stands, for people. */
export function placeOf({ kind }: Pick<Table, 'kind'>, { row, line }: { row?: number; line: number }): string {
  if (kind === 'xlsx') return `row ${line}`;
  return kind === 'json' && row !== undefined ? `line ${line}, item ${row}` : `line ${line}`;
}
