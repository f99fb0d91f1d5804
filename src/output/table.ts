/**
 * A table for people: one row a line, or one field a line for a single resource. In a pipe it is plain and
 * complete: no colour, no frame, nothing cut; on a terminal it fits the width.
 */

import { spoken, visibleLines } from '../text/characters.ts';
import { cell, heading, kindOf } from './cell.ts';
import { collect } from './collect.ts';
import { lineWriter, writeLines } from './line-writer.ts';
import { type Measure, measureFor } from './measure.ts';
import { otherKeys } from './output-columns.ts';
import type { Column, Row } from './row.ts';
import type { Answer, Renderer, View } from './view.ts';

export const renderTable: Renderer = async (answer, view) => {
  const { stdout } = view;
  const rows = await collect(answer);
  const [row] = rows;
  if (!row) return stdout.isTTY ? view.note('Nothing found.') : undefined;
  if (answer.kind === 'one')
    return answer.only === undefined ? renderFields(row, answer, view) : stdout.write(`${alone(row[answer.only], view)}\n`);

  const columns = answer.chosen ? answer.columns : listColumns(rows, answer.columns);
  const cells = rows.map((item) => columns.map((column) => textOf(item, column, view)));
  const titles = columns.map((column) => heading(column).toUpperCase());
  const { head, texts } = stdout.isTTY ? offsetsInHead(columns, titles, cells) : { head: titles, texts: cells };
  const measure = await measureFor([head, ...texts].flat());
  if (stdout.isTTY) {
    const { drawTable } = await import('./terminal-table.ts');
    return stdout.write(drawTable({ rows, columns, head, texts, measure }, view));
  }
  const widths = head.map((title, index) => texts.reduce((widest, row) => Math.max(widest, measure(row[index] ?? '')), measure(title)));
  await writeLines([head, ...texts], lineWriter(stdout), (row) => `${aligned(row, widths, measure)}\n`);
};

/** One resource: the command's columns in their order, then every other field. */
async function renderFields(row: Row, { columns, chosen, brief }: Answer, view: View): Promise<void> {
  const keys = columns.map((column) => column.key);
  const others = chosen || brief ? [] : otherKeys([row], keys).map((key): Column => ({ key }));
  const fields = [...columns, ...others].map((column) => ({ column, name: heading(column), text: textOf(row, column, view) }));
  const measure = await measureFor(fields.map(({ name }) => name));
  const width = fields.reduce((widest, { name }) => Math.max(widest, measure(name)), 0);
  const paint = view.stdout.isTTY ? (await import('./colors.ts')).painter(view.color) : undefined;
  const lines = fields.map(({ column, name, text }) => {
    const label = aligned([name, ''], [width], measure);
    return paint ? `${paint.label(label)}${paint.value(text, row, column)}\n` : `${label}${text}\n`;
  });
  await view.stdout.write(lines.join(''));
}

/** The columns of a list: those that are not for details only and appear in a row; all fields if there are none. */
function listColumns(rows: readonly Row[], declared: readonly Column[]): readonly Column[] {
  const known = declared.filter((column) => !column.detail && rows.some((row) => Object.hasOwn(row, column.key)));
  return known.length > 0 ? known : otherKeys(rows, []).map((key) => ({ key }));
}

/** The offset once, in the heading, where all times of a column have the same. */
function offsetsInHead(columns: readonly Column[], titles: readonly string[], cells: readonly (readonly string[])[]) {
  const offsets = columns.map(({ as }, index) => {
    if (as !== 'time') return undefined;
    const found = new Set(cells.flatMap((row) => (/\d/.test(row[index] ?? '') ? [/ [+-]\d\d:\d\d$/.exec(row[index] ?? '')?.[0]] : [])));
    return found.size === 1 ? [...found][0] : undefined;
  });
  return {
    head: titles.map((title, index) => title + (offsets[index] ?? '')),
    texts: cells.map((row) =>
      row.map((text, index) => (offsets[index] && text.endsWith(offsets[index]) ? text.slice(0, -offsets[index].length) : text)),
    ),
  };
}

/** Secrets are masked in each cell, before one is cut short of being recognised. */
function textOf(row: Row, column: Column, { timeZone, secrets, showSecrets, plain }: View): string {
  const value = row[column.key];
  const as = kindOf(column, row);
  const text = plain ? spoken(cell(value, as, timeZone, 'none')) : cell(value, as, timeZone);
  return showSecrets ? text : secrets.masked(text);
}

/** A value that stands for itself, so that a script can use it as it is. */
function alone(value: unknown, { stdout, timeZone }: View): string {
  if (typeof value !== 'string') return cell(value, undefined, timeZone);
  return stdout.isTTY ? visibleLines(value) : value;
}

/** Texts at the given widths with two spaces between; the last is not filled up. */
function aligned(texts: readonly string[], widths: readonly number[], measure: Measure): string {
  let line = '';
  for (const [index, text] of texts.entries()) {
    line += index === texts.length - 1 ? text : text + ' '.repeat((widths[index] ?? 0) - measure(text) + 2);
  }
  return line;
}
