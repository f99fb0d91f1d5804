/**
 * One value, many renderers. A renderer is loaded when its format is asked for, so that a script that wants JSON
 * does not pay for tables. In every format secrets are masked, and a list that is not streamed is complete before
 * its first byte is written.
 */
import type { Format } from '../model/format.ts';
import { maskSecretKeys } from '../model/secret-keys.ts';
import type { Live, Result } from './result.ts';
import type { Row } from './row.ts';
import type { Answer, Renderer, View } from './view.ts';

const renderers: Record<Format, () => Promise<Renderer>> = {
  table: async () => (await import('./table.ts')).renderTable,
  json: async () => (await import('./json-output.ts')).renderJson,
  ndjson: async () => (await import('./json-output.ts')).renderNdjson,
  csv: async () => (await import('./csv.ts')).renderCsv,
  id: async () => (await import('./id-lines.ts')).renderId,
};

/** Writes a result to stdout in the format of the view. Throws what the rows, the columns or stdout throw. */
export async function render(result: Result, view: View): Promise<void> {
  if (result.kind === 'nothing') return;
  if (result.kind === 'list' && result.batches && view.format === 'table' && view.stdout.isTTY) {
    const { batches, ...list } = result;
    for await (const rows of batches) await render({ ...list, rows }, view);
    return;
  }
  if (result.kind === 'live' && view.terminal && view.format === 'table' && view.columns === undefined) {
    const { showDrawn } = await import('./screen.ts');
    return showDrawn(result, await result.drawing(), view, view.terminal);
  }
  const answer = answerOf(result, view);
  const { format } = view;
  const renderer = format === 'table' && answer.live ? (await import('./event-lines.ts')).renderLines : await renderers[format]();
  if (view.columns === undefined) return renderer(answer, view);
  const { choose, chooseOrAll } = await import('./output-columns.ts');
  const { afterWrite, columns } = view;
  return renderer(await (afterWrite ? chooseOrAll(answer, columns, format, afterWrite.warn) : choose(answer, columns, format)), view);
}

function answerOf(result: Exclude<Result, { kind: 'nothing' }>, view: View): Answer {
  const shown = view.showSecrets ? (row: Row) => row : maskSecretKeys;
  const common = { shown, columns: result.columns, chosen: false, ...(result.id === undefined ? {} : { id: result.id }) };
  if (result.kind === 'list' && result.alone && view.format === 'table')
    return { ...common, columns: result.alone.columns, kind: 'one', rows: [result.alone.row] };
  if (result.kind === 'list' && result.sheet && (view.format === 'table' || (view.format === 'csv' && result.sheet.csv))) {
    return { ...common, ...result.sheet, kind: 'list' };
  }
  if (result.kind === 'list') return { ...common, kind: 'list', rows: result.rows };
  if (result.kind === 'live') return { ...common, kind: 'list', rows: rowsOf(result, view), live: true };
  if (result.sheet && (view.format === 'table' || view.format === 'csv')) return { ...common, kind: 'list', ...result.sheet };
  return {
    ...common,
    kind: 'one',
    rows: [result.row],
    ...(result.only === undefined ? {} : { only: result.only }),
    brief: result.brief === true,
  };
}

/** The rows of a live result, while its sentences go to stderr. */
async function* rowsOf({ moments }: Live, { note }: View): AsyncGenerator<Row> {
  for await (const { rows, notes = [] } of moments) {
    for (const text of notes) note(text);
    yield* rows;
  }
}
