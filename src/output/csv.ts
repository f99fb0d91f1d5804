/**
 * CSV as in RFC 4180: comma, CRLF, quotes doubled, one header row. It is data: a field holds exactly
 * what the service sent, with two exceptions. What a spreadsheet would take for a formula gets an
 * apostrophe (`model/formula.ts`; numbers never do), and on a terminal hidden characters become signs.
 */

import { guarded } from '../model/formula.ts';
import { isExactNumber, textOfJson } from '../model/json.ts';
import { visibleLines } from '../text/characters.ts';
import { collect } from './collect.ts';
import { lineWriter, writeLines } from './line-writer.ts';
import { otherKeys } from './output-columns.ts';
import type { Column, Row } from './row.ts';
import type { Renderer } from './view.ts';

const needsQuotes = /[",;\t\r\n]/;

/**
 * The columns are the command's, and further ones on request, so that the header is the same whatever
 * the rows hold; only where a command declares none, and for one resource, are they all the fields.
 */
export const renderCsv: Renderer = async (answer, { stdout }) => {
  const writer = lineWriter(stdout, stdout.isTTY ? visibleLines : undefined, { blocks: !answer.live });
  const declared = answer.columns.map((column: Column) => column.key);
  const streamed = answer.chosen || (answer.kind === 'list' && declared.length > 0);
  const rows = streamed ? answer.rows : await collect(answer);
  const keys = streamed ? declared : [...declared, ...otherKeys(rows as Row[], declared)];
  const record = (values: readonly unknown[]) => `${values.length === 1 ? alone(field(values[0])) : values.map(field).join(',')}\r\n`;
  const header = keys.length > 0 ? record(keys) : '';
  let first = true;
  await writeLines(rows, writer, (row) => {
    const masked = streamed ? answer.shown(row) : row;
    const line = record(keys.map((key) => masked[key]));
    if (!first) return line;
    first = false;
    return header + line;
  });
  if (!first) return;
  writer.add(header);
  await writer.flush();
};

function field(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (isExactNumber(value)) return value.rawJSON;
  const text = textOfJson(value);
  const safe = guarded(text);
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An empty field that is a record by itself is quoted: an empty line may be read as none. */
function alone(text: string): string {
  return text === '' ? '""' : text;
}
