/** A table for people: a row a line, or a field a line for a single resource. In a pipe nothing is cut. */
import { visibleLines } from '../text/characters.ts';
import { largest } from '../text/sentence.ts';
import { type Column, cell, heading, measureFor, type Row } from './cell.ts';
import { allColumns, between, columnText, laidOut, otherKeys, type Painter, tableTexts, writeLines } from './layout.ts';
import type { Answer, Renderer, View } from './result.ts';

const renderTable: Renderer = async (answer, view) => {
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
  const told = tableTexts(rows, all, view);
  const texts = stdout.isTTY ? offsetsInHead(all, told) : told;
  const measure = await measureFor(texts.flat());
  const width = (stdout.isTTY && !view.plain && stdout.columns) || Number.POSITIVE_INFINITY;
  const lines = laidOut(rows, all, texts, { width, measure, paint: await painterFor(view) });
  await stdout.write(stdout.isTTY ? await drawn(lines) : `${lines.join('\n')}\n`);
};

/** Rows as they come, with nothing cut. */
const renderLines: Renderer = ({ rows, columns }, view) =>
  writeLines(rows, view.stdout, (row) => `${columns.map((column) => columnText(row, column, view)).join(between)}\n`, true);

export const table: Renderer = (answer, view) => (answer.live ? renderLines : renderTable)(answer, view);

/** The command's columns, then every other field. */
async function renderFields(row: Row, answer: Answer, view: View): Promise<void> {
  const fields = allColumns(answer, [row]);
  const names = fields.map((column) => heading(column, view.masked));
  const measure = await measureFor(names);
  const width = largest(names.map(measure));
  const paint = await painterFor(view);
  const lines = fields.map((column, index) => {
    const name = names[index] ?? '';
    const label = paint.label(name + ' '.repeat(width - measure(name)));
    return `${label}${between}${paint.value(columnText(row, column, view), row, column)}\n`;
  });
  await view.stdout.write(lines.join(''));
}

/** The columns that are not for details and that some row has; all fields if there are none. */
function listColumns(rows: readonly Row[], declared: readonly Column[]): readonly Column[] {
  const known = declared.filter(({ key, detail }) => !detail && rows.some((row) => Object.hasOwn(row, key)));
  return known.length > 0 ? known : otherKeys(rows, []).map((key) => ({ key }));
}

const offset = / [+-]\d\d:\d\d(?=\)?$)/;

/** If all times of a column have the same offset, the heading has it. */
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

/** cli-table3 would measure text as Unicode 12 did, and is slow with many rows: each line is a table. */
async function drawn(lines: readonly string[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const drawnLine = (line: string) => {
    const table = new Table({ chars: noFrame, style: { 'padding-left': 0, 'padding-right': 0 } });
    table.push([line]);
    return `${table.toString().trimEnd()}\n`;
  };
  return lines.map(drawnLine).join('');
}
