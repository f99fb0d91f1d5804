/**
 * One pass over all lines before anything is imported. It counts the values of the declared columns and, in the lines that these let
 * through, the values of the columns that nobody declared.
 */
import { isSecretHeader } from '../../model/secret-keys.ts';
import { refuseAlone } from '../read/divisions.ts';
import type { Table } from '../read/source-table.ts';
import { addressFault } from './address.ts';
import { reasonAgainst, type SelectionRule } from './selection.ts';
import { ValueCounts } from './value-counts.ts';

/** Lines from which on a column that differs in each of them is a serial number. */
const enoughLines = 10;

export class ColumnSurvey {
  readonly index: number;
  readonly header: string;
  /** Whether its values are never shown. */
  readonly isSecret: boolean;
  readonly values = new ValueCounts();
  filled = 0;
  /** The first address in it. */
  address: string | undefined;
  /** The texts so far, while no two are equal; not kept for a column that is read, or once all lines are seen. */
  #texts: Set<string> | undefined;
  #areDifferent: boolean;

  constructor(index: number, header: string, isRead: boolean) {
    this.index = index;
    this.header = header;
    this.isSecret = isSecretHeader(header);
    this.#texts = isRead ? undefined : new Set();
    this.#areDifferent = !isRead;
    this.values.isOverfull = isRead;
  }

  /** Forgets the texts. */
  end(): void {
    this.#texts = undefined;
  }

  /** `address`: the cell as an address is read from it. */
  add(cell: string, line: number, address: (cell: string) => string): void {
    if (!this.isSecret) this.values.add(cell, line);
    if (cell === '') return;
    this.filled += 1;
    if (this.address === undefined && cell.includes('@') && !this.isSecret) {
      const found = address(cell);
      if (!addressFault(found)) this.address = found;
    }
    if (!this.#texts) return;
    if (!isNoNumber(cell) && !this.#texts.has(cell)) {
      this.#texts.add(cell);
      return;
    }
    this.#texts = undefined;
    this.#areDifferent = false;
  }

  /**
   * Whether the column cannot decide which of these lines are imported: it is empty, or a serial number, which is filled and different
   * in each of ten lines or more, and in which no value has both letters and blanks.
   */
  cannotDecide(lines: number): boolean {
    return this.filled === 0 || (this.#areDifferent && this.filled === lines && lines >= enoughLines);
  }
}

export type Survey = {
  columns: readonly ColumnSurvey[];
  /** The first lines that are imported. */
  sample: readonly (readonly string[])[];
  /** How many lines below the header the declared columns let through; ragged ones do not count. */
  kept: number;
};

const sampled = 1000;

type SurveyOptions = {
  addressIn(cell: string): string;
  /** A line with a single text may be a student, because no student needs an address. */
  mayBeAlone: boolean;
};

/** `read`: columns that are read, of which only the addresses matter. */
export async function survey(
  table: Table,
  rules: readonly SelectionRule[],
  { indexes, read }: { indexes: readonly number[]; read: readonly number[] },
  { addressIn, mayBeAlone }: SurveyOptions,
): Promise<Survey> {
  const columns = indexes.map((index) => new ColumnSurvey(index, table.header[index] ?? '', read.includes(index)));
  const sample: (readonly string[])[] = [];
  const ofExport = rules.filter(({ ofFormat }) => ofFormat);
  let kept = 0;
  for await (const rows of table.rows()) {
    for (const row of rows) {
      const { cells, line, ragged } = row;
      // The lines below a heading such as "Withdrawn" do not repeat it.
      if (!mayBeAlone && reasonAgainst(ofExport, cells) === undefined) refuseAlone(table, row);
      // It is uncertain which cell belongs to which column: the line is invalid, and decides nothing.
      if (ragged) continue;
      for (const rule of rules) rule.count(cells, line);
      if (reasonAgainst(rules, cells) !== undefined) continue;
      kept += 1;
      if (sample.length < sampled) sample.push(cells);
      for (const column of columns) column.add(cells[column.index]?.trim() ?? '', line, addressIn);
    }
  }
  for (const column of columns) column.end();
  return { columns, sample, kept };
}

/** Words are not a number, even if a date makes each cell different: "withdrawn 3 Oct". Neither is nested JSON. */
function isNoNumber(cell: string): boolean {
  return /^[[{]/.test(cell) || (/\s/.test(cell) && /\p{L}/u.test(cell));
}
