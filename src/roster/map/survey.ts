/**
 * One pass over the rows before the columns are chosen: which columns hold addresses, how names are
 * written, and which values stand in the columns that decide about people.
 */
import type { Table } from '../read/table.ts';
import { addressFault } from './address.ts';
import { type DecidingKind, decidingKind, verdictOn } from './deciding.ts';

export type Deciding = {
  index: number;
  header: string;
  kind: DecidingKind;
  /** How often each value stands there; cells without one are not counted. */
  values: Map<string, number>;
};

export type Survey = {
  /** For each column, of the first rows: cells with text, and those that are an address. */
  columns: readonly { filled: number; addresses: number; example: string | undefined }[];
  /** The first rows. */
  sample: readonly (readonly string[])[];
  deciding: readonly Deciding[];
};

const sampled = 1000;
/** More values than these, of which none is known, are numbers or names: they decide nothing. */
const mostValues = 50;
const keptValues = 2000;
const longestValue = 100;

/** `prefix`: a sign that the export puts before addresses. */
export async function survey(table: Table, prefix = ''): Promise<Survey> {
  const columns = table.header.map(() => ({ filled: 0, addresses: 0, example: undefined as string | undefined }));
  const deciding: Deciding[] = table.header.flatMap((header, index) => {
    const kind = decidingKind(header);
    return kind ? [{ index, header, kind, values: new Map<string, number>() }] : [];
  });
  const sample: (readonly string[])[] = [];
  for await (const rows of table.rows()) {
    for (const { cells, ragged } of rows) {
      if (ragged) continue;
      if (sample.length < sampled) {
        sample.push(cells);
        for (const [index, column] of columns.entries()) countAddress(column, addressOf(cells[index] ?? '', prefix));
      }
      for (const { index, values } of deciding) {
        const value = valueIn(cells, index);
        if (value !== '' && (values.has(value) || values.size < keptValues)) values.set(value, (values.get(value) ?? 0) + 1);
      }
    }
    if (deciding.length === 0 && sample.length >= sampled) break;
  }
  return { columns, sample, deciding: deciding.filter(decides) };
}

/** A value as it is compared and counted: of a longer one the beginning. */
export function valueIn(cells: readonly string[], index: number): string {
  return (cells[index]?.trim() ?? '').slice(0, longestValue);
}

/** The text of a cell without what may stand around an address. */
export function addressOf(cell: string, prefix: string): string {
  const text = cell.trim();
  const inner = /<([^<>]*)>$/.exec(text)?.[1]?.trim() ?? text;
  return prefix !== '' && inner.startsWith(prefix) ? inner.slice(prefix.length) : inner;
}

function countAddress(column: { filled: number; addresses: number; example: string | undefined }, text: string) {
  if (text === '') return;
  column.filled += 1;
  if (!text.includes('@') || addressFault(text)) return;
  column.addresses += 1;
  column.example ??= text;
}

function decides({ kind, values }: Deciding): boolean {
  const verdicts = [...values.keys()].map((value) => verdictOn(kind, value));
  if (kind === 'group') return verdicts.includes('other');
  return values.size > 0 && (values.size <= mostValues || verdicts.some((verdict) => verdict !== 'unknown'));
}
