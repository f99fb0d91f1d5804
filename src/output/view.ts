/** The formats, and what their renderers share: rows one by one, their keys, and lines as they are written. */
import type { OutputStream } from '../host/host.ts';
import { spoken } from '../text/characters.ts';
import { type Column, cell, clip, heading, kindOf, type Measure, type Row } from './cell.ts';

export const formats = ['table', 'json', 'ndjson', 'csv', 'id'] as const;
export type Format = (typeof formats)[number];

export async function* mapped(rows: Iterable<Row> | AsyncIterable<Row>, shown: (row: Row) => Row): AsyncGenerator<Row> {
  for await (const row of rows) yield shown(row);
}

/** The keys of the rows except the given ones, in the order of their first occurrence. */
export function otherKeys(rows: readonly Row[], given: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const [key, value] of Object.entries(row)) if (value !== undefined && !given.includes(key)) keys.add(key);
  return [...keys];
}

/** Larger blocks save little time and cost memory. Characters. */
const blockSize = 16 * 1024;

/**
 * Writes a line for each row, those that arrive together in one block; `live`: each before the next one is asked for. Where the rows end in a
 * failure, the lines of those that had arrived are written before.
 */
export async function writeLines<T>(
  rows: Iterable<T> | AsyncIterable<T>,
  { write }: Pick<OutputStream, 'write'>,
  line: (row: T) => string,
  live = false,
): Promise<void> {
  let block = '';
  let written = Promise.resolve();
  const flush = async () => {
    await new Promise(setImmediate);
    const text = block;
    block = '';
    await write(text);
  };
  try {
    for await (const row of rows) {
      if (block === '') {
        written = written.then(flush);
        written.catch(() => {});
      }
      block += line(row);
      if (live || block.length >= blockSize) await written;
    }
  } finally {
    await written;
  }
}

/** How a table shows values: `plain`: in words, for a screen reader. */
type Showing = { timeZone: string; plain?: boolean; masked(text: string): string };

/** Secrets are masked in each cell, before one is cut short of being recognised. */
export function textOf(row: Row, column: Column, { timeZone, masked, plain }: Showing): string {
  const as = kindOf(column.as, row);
  return masked(plain ? spoken(cell(row[column.key], as, timeZone, 'none')) : cell(row[column.key], as, timeZone));
}

/** The headings, and the texts of each row. */
export function textsOf(rows: readonly Row[], columns: readonly Column[], how: Showing): string[][] {
  const titles = columns.map((column) => heading(column).toUpperCase());
  return [titles, ...rows.map((row) => columns.map((column) => textOf(row, column, how)))];
}

/** How a text is coloured once it has been cut to its room. */
export type Painter = { label(text: string): string; value(text: string, row: Row, column: Column): string };

type Paper = { width: number; measure: Measure; paint: Painter };

export const between = '  ';
/** Cells are cut down to this width, headings never. Of what identifies a row, so much is kept where there is room, and before a column is left out. */
const leastWidth = 12;
const [identity, identityAtLeast] = [48, 32];

/** `texts`: the headings, then those of each row. */
export function laidOut(
  rows: readonly Row[],
  columns: readonly Column[],
  texts: readonly string[][],
  { width: available, measure, paint }: Paper,
): string[] {
  const { shown, left } = fitted(columns, texts, measure, available);
  return texts.map((line, index) => {
    const parts = shown.map(({ place, width }) => {
      const text = clip(line[place] ?? '', width, measure);
      const [item, column] = [rows[index - 1], columns[place]];
      return (item && column ? paint.value(text, item, column) : paint.label(text)) + ' '.repeat(width - measure(text));
    });
    return [...parts, ...(index === 0 && left > 0 ? [`+${left}`] : [])].join(between).trimEnd();
  });
}

type Fitting = { place: number; width: number; least(ofIdentity: number): number; stays: boolean };

/** The columns that fit, with their widths, and how many are left out. */
function fitted(columns: readonly Column[], [head = [], ...cells]: readonly string[][], measure: Measure, available: number) {
  let kept = columns.map(({ as, identifies }, place): Fitting => {
    const title = measure(head[place] ?? '');
    const width = cells.reduce((most, row) => Math.max(most, measure(row[place] ?? '')), title);
    const isWhole = place === 0 || as === 'time' || identifies === 'whole';
    return {
      place,
      width,
      least: (ofIdentity) => (isWhole ? width : Math.max(title, Math.min(width, identifies ? ofIdentity : leastWidth))),
      stays: place === 0 || identifies !== undefined,
    };
  });
  const left = () => columns.length - kept.length;
  const fits = (widthOf: (column: Fitting) => number) => {
    const beside = between.length * (kept.length - 1) + (left() > 0 ? `${between}+${left()}`.length : 0);
    return kept.reduce((sum, column) => sum + widthOf(column), beside) <= available;
  };
  const least = (column: Fitting) => column.least(identityAtLeast);
  for (const column of kept.filter(({ stays }) => !stays).reverse()) if (!fits(least)) kept = kept.filter((each) => each !== column);
  const floor = [(column: Fitting) => column.least(identity), least].find(fits) ?? (() => 1);
  let widest = Math.max(...kept.map(({ width }) => width));
  const widthOf = (column: Fitting) => Math.max(floor(column), Math.min(column.width, widest));
  while (!fits(widthOf) && widest > 1) widest -= 1;
  return { shown: kept.map((column) => ({ place: column.place, width: widthOf(column) })), left: left() };
}
