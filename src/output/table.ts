/**
 * A table for people: one row a line, or one field a line for a single resource. In a pipe it is plain and complete: no colour,
 * no frame, nothing cut. On a terminal it fits the width: the widest columns are cut, then columns are left out from the right, and the header
 * ends with their number. What identifies a row stays as long as it can.
 */
import { visibleLines } from '../text/characters.ts';
import { type Column, cell, heading, measureFor, type Row } from './cell.ts';
import type { Answer, Renderer, View } from './result.ts';
import { between, laidOut, otherKeys, type Painter, textOf, textsOf, writeLines } from './view.ts';

export const renderTable: Renderer = async (answer, view) => {
  const { stdout } = view;
  const rows = await Array.fromAsync(answer.rows);
  const [row] = rows;
  if (!row) return stdout.isTTY ? view.note('Nothing found.') : undefined;
  // A value that stands for itself, so that a script can use it as it is.
  if (answer.only !== undefined) {
    const value = row[answer.only];
    const text = typeof value !== 'string' ? cell(value, undefined, view.timeZone) : stdout.isTTY ? visibleLines(value) : value;
    return stdout.write(`${text}\n`);
  }
  if (answer.kind === 'one') return renderFields(row, answer, view);

  const all = answer.chosen ? answer.columns : listColumns(rows, answer.columns);
  const told = textsOf(rows, all, view);
  const texts = stdout.isTTY ? offsetsInHead(all, told) : told;
  const measure = await measureFor(texts.flat());
  const width = (stdout.isTTY && !view.plain && stdout.columns) || Number.POSITIVE_INFINITY;
  const lines = laidOut(rows, all, texts, { width, measure, paint: await painterFor(view) });
  await stdout.write(stdout.isTTY ? await drawn(lines) : `${lines.join('\n')}\n`);
};

/** Rows as lines, for a screen reader or a log and for a pipe: each as it comes, its cells separated by two spaces, nothing cut. */
export const renderLines: Renderer = ({ rows, columns }, view) =>
  writeLines(rows, view.stdout, (row) => `${columns.map((column) => textOf(row, column, view)).join(between)}\n`, true);

/** One resource: the command's columns in their order, then every other field. */
async function renderFields(row: Row, { columns, chosen }: Answer, view: View): Promise<void> {
  const keys = columns.map(({ key }) => key);
  const fields = chosen ? columns : [...columns, ...otherKeys([row], keys).map((key): Column => ({ key }))];
  const names = fields.map(heading);
  const measure = await measureFor(names);
  const width = Math.max(...names.map(measure));
  const paint = await painterFor(view);
  const lines = fields.map((column, index) => {
    const name = names[index] ?? '';
    return `${paint.label(name + ' '.repeat(width - measure(name)))}${between}${paint.value(textOf(row, column, view), row, column)}\n`;
  });
  await view.stdout.write(lines.join(''));
}

/** The columns of a list: those that are not for details only and appear in a row; all fields if there are none. */
function listColumns(rows: readonly Row[], declared: readonly Column[]): readonly Column[] {
  const known = declared.filter(({ key, detail }) => !detail && rows.some((row) => Object.hasOwn(row, key)));
  return known.length > 0 ? known : otherKeys(rows, []).map((key) => ({ key }));
}

const offset = / [+-]\d\d:\d\d$/;

/** The offset once, in the heading, where all times of a column have the same. */
function offsetsInHead(columns: readonly Column[], [head = [], ...cells]: readonly string[][]): string[][] {
  const offsets = columns.map(({ as }, place) => {
    const found = new Set(as === 'time' ? cells.flatMap((row) => offset.exec(row[place] ?? '') ?? []) : []);
    return found.size === 1 ? [...found].join('') : '';
  });
  const without = (text: string, place: number) => (offsets[place] === '' ? text : text.replace(offset, ''));
  return [head.map((title, place) => title + offsets[place]), ...cells.map((row) => row.map(without))];
}

async function painterFor({ stdout, color }: View): Promise<Painter> {
  return stdout.isTTY ? (await import('./canvas.ts')).painter(color) : { label: (text) => text, value: (text) => text };
}

const sides = ['top', 'bottom', 'left', 'right', 'mid', 'middle'];
const noFrame = Object.fromEntries(sides.flatMap((side) => ['', '-mid', '-left', '-right'].map((end) => [side + end, ''])));
const rowsAtATime = 50;

/** cli-table3 prints what is laid out already: it measures text as Unicode 12 did, and takes much longer for many rows at a time. */
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
