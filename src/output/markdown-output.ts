/** Markdown, for merge requests and issues: a table of the rows, or of the fields of one resource. */
import { inMarkdown, markdownTable } from '../text/markdown-text.ts';
import { cell, heading, kindOf } from './cell.ts';
import { collect } from './collect.ts';
import { otherKeys } from './output-columns.ts';
import type { Column, Row } from './row.ts';
import type { Renderer, View } from './view.ts';

export const renderMarkdown: Renderer = async (answer, view) => {
  const rows = await collect(answer);
  const [first] = rows;
  if (!first) return;
  const text = (row: Row, column: Column) => inMarkdown(textOf(row, column, view));
  const { columns, kind, chosen, brief } = answer;
  const write = (head: readonly string[], cells: readonly (readonly string[])[]) =>
    view.stdout.write(`${markdownTable(head, cells).join('\n')}\n`);
  if (kind === 'one') {
    const keys = columns.map(({ key }) => key);
    const fields = [...columns, ...(chosen || brief ? [] : otherKeys([first], keys).map((key): Column => ({ key })))];
    return write(
      ['Field', 'Value'],
      fields.map((column) => [inMarkdown(heading(column)), text(first, column)]),
    );
  }
  const known = chosen ? columns : columns.filter(({ key, detail }) => !detail && rows.some((row) => Object.hasOwn(row, key)));
  const shown = known.length > 0 ? known : otherKeys(rows, []).map((key): Column => ({ key }));
  return write(
    shown.map((column) => inMarkdown(heading(column))),
    rows.map((row) => shown.map((column) => text(row, column))),
  );
};

function textOf(row: Row, column: Column, { timeZone, secrets, showSecrets }: View): string {
  const text = cell(row[column.key], kindOf(column, row), timeZone, '');
  return showSecrets ? text : secrets.masked(text);
}
