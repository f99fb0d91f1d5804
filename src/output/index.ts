/**
 * One value, many renderers. A renderer is loaded when its format is asked for, so that a script that wants JSON
 * does not pay for tables. In every format secrets are masked, and a list that is not streamed is complete before
 * its first byte is written.
 */

import { maskSecretKeys } from '../model/secret-keys.ts';
import type { Row } from './cell.ts';
import type { Live, Result } from './result.ts';
import type { Answer, Format, Renderer, View } from './view.ts';

const renderers: Record<Format, () => Promise<Renderer>> = {
  table: async () => (await import('./table.ts')).renderTable,
  json: async () => (await import('./json-output.ts')).renderJson,
  ndjson: async () => (await import('./json-output.ts')).renderNdjson,
  csv: async () => (await import('./csv.ts')).renderCsv,
  id: async () => (await import('./id-lines.ts')).renderId,
};

/** Writes a result to stdout in the format of the view. Throws what the rows, the columns or stdout throw. */
export async function render(result: Result, view: View): Promise<void> {
  const { format, columns, terminal } = view;
  if (result.kind === 'nothing') return;
  if (result.kind === 'list' && result.batches && format === 'table' && view.stdout.isTTY) {
    const { batches, ...list } = result;
    let between = '';
    for await (const rows of batches) {
      await view.stdout.write(between);
      await render({ ...list, rows }, view);
      between = '\n';
    }
    return;
  }
  if (result.kind === 'live' && terminal && format === 'table' && columns === undefined) {
    const { showDrawn } = await import('./screen.ts');
    return showDrawn(result, await result.drawing(), view, terminal);
  }
  const answer = answerOf(result, view);
  const renderer = format === 'table' && answer.live ? (await import('./table.ts')).renderLines : await renderers[format]();
  if (columns === undefined) return renderer(answer, view);
  return renderer(await (await import('./choose-columns.ts')).choose(answer, columns, view), view);
}

function answerOf(result: Exclude<Result, { kind: 'nothing' }>, view: View): Answer {
  const shown = view.showSecrets ? (row: Row) => row : (row: Row) => maskSecretKeys(row);
  const { kind, columns, id, sheet } = result;
  const common = { shown, columns, chosen: false, ...(id === undefined ? {} : { id }) };
  const isTable = view.format === 'table';
  if (kind === 'live') return { ...common, kind: 'list', rows: rowsOf(result, view), live: true };
  if (sheet && (isTable || (view.format === 'csv' && kind === 'one'))) return { ...common, ...sheet, kind: 'list' };
  if (kind === 'list' && result.alone && isTable)
    return { ...common, kind: 'one', columns: result.alone.columns, rows: [result.alone.row] };
  if (kind === 'list') return { ...common, kind, rows: result.rows };
  const { row, only, brief = false } = result;
  return { ...common, kind, rows: [row], brief, ...(only === undefined ? {} : { only }) };
}

/** The rows of a live result, while its sentences go to stderr. */
async function* rowsOf({ moments }: Live, { note }: View): AsyncGenerator<Row> {
  for await (const { rows, notes = [] } of moments) {
    for (const text of notes) note(text);
    yield* rows;
  }
}
