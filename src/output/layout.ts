/** What the renderers share. `laidOut` decides which columns fit the width. */
import type { OutputStream } from '../host/host.ts';
import { spoken } from '../text/characters.ts';
import { largest } from '../text/sentence.ts';
import { type Column, cell, cellKind, clip, heading, type Measure, type Row } from './cell.ts';

export async function* mapped(rows: Iterable<Row> | AsyncIterable<Row>, shown: (row: Row) => Row | Promise<Row>): AsyncGenerator<Row> {
  for await (const row of rows) yield await shown(row);
}

export function otherKeys(rows: readonly Row[], given: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const [key, value] of rows.flatMap(Object.entries)) if (value !== undefined) keys.add(key);
  return [...keys].filter((key) => !given.includes(key));
}

type Sheet = { kind: 'list' | 'one'; columns: readonly Column[]; chosen: boolean };

/** The columns of the command or of --columns. If the command declares none, and for one resource, all other fields follow. */
export function allColumns(sheet: Sheet, rows: readonly Row[]): readonly Column[] {
  const { columns } = sheet;
  if (hasOwnColumns(sheet)) return columns;
  const declared = columns.map(({ key }) => key);
  return [...columns, ...otherKeys(rows, declared).map((key) => ({ key }))];
}

/** Whether the columns are known before the rows are. */
export function hasOwnColumns({ kind, columns, chosen }: Sheet): boolean {
  return chosen || (kind === 'list' && columns.length > 0);
}

/** Characters. */
const blockSize = 16 * 1024;

/**
 * Writes the lines of rows that arrive together in one block, also before a failure. `live`: each line before the
 * next row is asked for.
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

type Showing = { timeZone: string; plain?: boolean; masked(text: string): string };

/** Masked before it is cut: a part of a secret is not recognised. */
export function columnText(row: Row, column: Column, { timeZone, masked, plain }: Showing): string {
  const text = cell(row[column.key], cellKind(column.as, row), timeZone, plain ? 'none' : '-');
  const shown = masked(text);
  return plain ? spoken(shown) : shown;
}

export function tableTexts(rows: readonly Row[], columns: readonly Column[], how: Showing): string[][] {
  const titles = columns.map((column) => heading(column, how.masked).toUpperCase());
  return [titles, ...rows.map((row) => columns.map((column) => columnText(row, column, how)))];
}

/** Colours texts that are cut to their room. */
export type Painter = {
  label(text: string): string;
  value(text: string, row: Row, column: Column): string;
};

type Paper = { width: number; measure: Measure; paint: Painter };

export const between = '  ';
/** Cells are cut down to this width, headings never. */
const leastWidth = 12;
/** What identifies its row keeps a width of 48; of 32, before a column is left out; of its heading, where no other column can be. */
const [identity, identityAtLeast] = [48, 32];

/**
 * `texts`: the headings, then the cells of each row. The widest columns are cut; then columns are left out from the right, and the line of
 * headings ends with how many. What identifies a row stays as long as it can.
 */
export function laidOut(rows: readonly Row[], columns: readonly Column[], texts: readonly string[][], paper: Paper): string[] {
  const { measure, paint } = paper;
  const { shown, left } = columnWidths(columns, texts, paper);
  return texts.map((line, index) => {
    const row = rows[index - 1];
    const parts = shown.map(({ place, width }) => {
      const [text, column] = [clip(line[place] ?? '', width, measure), columns[place]];
      const painted = row && column ? paint.value(text, row, column) : paint.label(text);
      return painted + ' '.repeat(width - measure(text));
    });
    if (!row && left > 0) parts.push(`+${left}`);
    return parts.join(between).trimEnd();
  });
}

type Fitting = {
  place: number;
  width: number;
  least(ofIdentity: number): number;
  stays: boolean;
};

function columnWidths(columns: readonly Column[], [head = [], ...cells]: readonly string[][], { measure, width: available }: Paper) {
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
  const leaving = kept.filter(({ stays }) => !stays);
  // More would not fit if all were empty.
  const beyond = new Set(leaving.splice(available / between.length));
  kept = kept.filter((each) => !beyond.has(each));
  while (leaving.length > 0 && !fits(least)) {
    const last = leaving.pop();
    kept = kept.filter((each) => each !== last);
  }
  const floors = [identity, identityAtLeast, 0].map((ofIdentity) => (column: Fitting) => column.least(ofIdentity));
  const floor = floors.find(fits) ?? (() => 1);
  let widest = Math.min(available, largest(kept.map(({ width }) => width)));
  const widthOf = (column: Fitting) => Math.max(floor(column), Math.min(column.width, widest));
  while (!fits(widthOf) && widest > 1) widest -= 1;
  return { shown: kept.map((column) => ({ place: column.place, width: widthOf(column) })), left: left() };
}
