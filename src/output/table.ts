/**
 * A table for people: a row a line, or a field a line for a single resource. In a pipe nothing is cut. On a
 * terminal the widest columns are cut, then columns are left out from the right, and the header ends with their
 * number. What identifies a row stays as long as it can.
 */
import { spoken, visibleLines } from '../text/characters.ts';
import type { Painter } from './canvas.ts';
import { type Column, cell, clip, heading, kindOf, type Measure, measureFor, type Row } from './cell.ts';
import type { Answer, Renderer, View } from './result.ts';
import { otherKeys, writeLines } from './view.ts';

const between = '  ';
/** Cells are cut down to this width, headings never. */
const leastWidth = 12;
/** The same for what identifies a row: where there is room, and before a column is left out. */
const [identity, identityAtLeast] = [48, 32];

export const renderTable: Renderer = async (answer, view) => {
  const { stdout } = view;
  const rows = await Array.fromAsync(answer.rows);
  const [row] = rows;
  if (!row) return stdout.isTTY ? view.note('Nothing found.') : undefined;
  if (answer.only !== undefined) {
    const value = row[answer.only];
    const text = typeof value === 'string' ? value : cell(value, undefined, view.timeZone);
    return stdout.write(`${stdout.isTTY ? visibleLines(text) : text}\n`);
  }
  if (answer.kind === 'one') return renderFields(row, answer, view);

  const all = answer.chosen ? answer.columns : listColumns(rows, answer.columns);
  const cells = rows.map((item) => all.map((column) => textOf(item, column, view)));
  const titles = all.map((column) => heading(column).toUpperCase());
  const texts = stdout.isTTY ? offsetsInHead(all, [titles, ...cells]) : [titles, ...cells];
  const measure = await measureFor(texts.flat());
  const available = stdout.isTTY && !view.plain && stdout.columns;
  const { shown, left } = fitted(all, texts, measure, available || Number.POSITIVE_INFINITY);
  const paint = await painterFor(view);
  const lines = texts.map((line, index) => {
    const item = rows[index - 1];
    const parts = shown.map(({ place, width }) => {
      const [text, column] = [clip(line[place] ?? '', width, measure), all[place]];
      const painted = item && column ? paint.value(text, item, column) : paint.label(text);
      return painted + ' '.repeat(width - measure(text));
    });
    if (!item && left > 0) parts.push(`+${left}`);
    return parts.join(between).trimEnd();
  });
  await stdout.write(stdout.isTTY ? await drawn(lines) : `${lines.join('\n')}\n`);
};

/** Rows as they come, with nothing cut. */
export const renderLines: Renderer = ({ rows, columns }, view) =>
  writeLines(rows, view.stdout, (row) => `${columns.map((column) => textOf(row, column, view)).join(between)}\n`, true);

/** One resource: the command's columns in their order, then every other field. */
async function renderFields(row: Row, { columns, chosen }: Answer, view: View): Promise<void> {
  const keys = columns.map(({ key }) => key);
  const others = chosen ? [] : otherKeys([row], keys);
  const fields = [...columns, ...others.map((key): Column => ({ key }))];
  const names = fields.map(heading);
  const measure = await measureFor(names);
  const width = Math.max(...names.map(measure));
  const paint = await painterFor(view);
  const lines = fields.map((column, index) => {
    const name = names[index] ?? '';
    const label = paint.label(name + ' '.repeat(width - measure(name)));
    return `${label}${between}${paint.value(textOf(row, column, view), row, column)}\n`;
  });
  await view.stdout.write(lines.join(''));
}

/** Those that are not for details and appear in a row; all fields if there are none. */
function listColumns(rows: readonly Row[], declared: readonly Column[]): readonly Column[] {
  const known = declared.filter(({ key, detail }) => !detail && rows.some((row) => Object.hasOwn(row, key)));
  return known.length > 0 ? known : otherKeys(rows, []).map((key) => ({ key }));
}

const offset = / [+-]\d\d:\d\d$/;

/** Where all times of a column have the same offset, it stands in the heading. */
function offsetsInHead(columns: readonly Column[], [head = [], ...cells]: readonly string[][]): string[][] {
  const offsets = columns.map(({ as }, place) => {
    const found = new Set(as === 'time' ? cells.flatMap((row) => offset.exec(row[place] ?? '') ?? []) : []);
    return found.size === 1 ? [...found].join('') : '';
  });
  const without = (text: string, place: number) => (offsets[place] === '' ? text : text.replace(offset, ''));
  return [head.map((title, place) => title + offsets[place]), ...cells.map((row) => row.map(without))];
}

type Fitting = { place: number; width: number; least(ofIdentity: number): number; stays: boolean };

/** The columns that fit, and how many are left out. */
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
  const leaving = kept.filter(({ stays }) => !stays);
  while (leaving.length > 0 && !fits(least)) {
    const last = leaving.pop();
    kept = kept.filter((each) => each !== last);
  }
  const floor = [(column: Fitting) => column.least(identity), least].find(fits) ?? (() => 1);
  let widest = Math.max(...kept.map(({ width }) => width));
  const widthOf = (column: Fitting) => Math.max(floor(column), Math.min(column.width, widest));
  while (!fits(widthOf) && widest > 1) widest -= 1;
  return { shown: kept.map((column) => ({ place: column.place, width: widthOf(column) })), left: left() };
}

async function painterFor({ stdout, color }: View): Promise<Painter> {
  return stdout.isTTY ? (await import('./canvas.ts')).painter(color) : { label: (text) => text, value: (text) => text };
}

const sides = ['top', 'bottom', 'left', 'right', 'mid', 'middle'];
const noFrame = Object.fromEntries(sides.flatMap((side) => ['', '-mid', '-left', '-right'].map((end) => [side + end, ''])));
const rowsAtATime = 50;

/** cli-table3 would measure text as Unicode 12 did, and is slow with many rows. */
async function drawn(lines: readonly string[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const blocks: string[] = [];
  for (let start = 0; start < lines.length; start += rowsAtATime) {
    const table = new Table({ chars: noFrame, style: { 'padding-left': 0, 'padding-right': 0 } });
    table.push(...lines.slice(start, start + rowsAtATime).map((line) => [line]));
    blocks.push(table.toString());
  }
  return blocks.flatMap((block) => block.split('\n').map((line) => `${line.trimEnd()}\n`)).join('');
}

/** Masked before a secret is cut, and not recognised. */
function textOf(row: Row, column: Column, { timeZone, masked, plain }: View): string {
  const text = cell(row[column.key], kindOf(column.as, row), timeZone, plain ? 'none' : '-');
  return masked(plain ? spoken(text) : text);
}
