/**
 * One value, many renderers. A renderer is loaded when its format is asked for, so that a script that wants JSON
 * does not pay for tables. In every format secrets are masked, and a list that is not streamed is complete before
 * its first byte is written.
 */
import { maskSecretKeys } from '../model/secrets.ts';
import type { Row } from './cell.ts';
import type { Answer, Live, Result, View } from './result.ts';
import { mapped } from './view.ts';

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
    return (await import('./screen.ts')).showDrawn(result, view, terminal);
  }
  const given = answerOf(result, view);
  const answer = columns === undefined ? given : await (await import('./choose-columns.ts')).choose(given, columns, view);
  if (format !== 'table') return (await import('./data-formats.ts')).dataFormats[format](answer, view);
  const { renderLines, renderTable } = await import('./table.ts');
  return (answer.live ? renderLines : renderTable)(answer, view);
}

function answerOf(result: Exclude<Result, { kind: 'nothing' }>, view: View): Answer {
  const isSheet = view.format === 'table' || (view.format === 'csv' && result.kind === 'one');
  const given = (isSheet && result.sheet) || result;
  const rows = 'moments' in given ? rowsOf(given, view) : 'row' in given ? [given.row] : given.rows;
  const shown = mapped(rows, (row) => (view.showSecrets ? row : maskSecretKeys(row)));
  const only = result.kind === 'one' ? result.only : undefined;
  const [kind, id, live] = ['row' in given ? 'one' : 'list', result.id === undefined ? only : result.id, result.kind === 'live'] as const;
  return { kind, rows: shown, columns: given.columns, chosen: false, only, id, live };
}

/** The rows of a live result, while its sentences go to stderr. */
async function* rowsOf({ moments }: Live, { note }: View): AsyncGenerator<Row> {
  for await (const { rows, notes = [] } of moments) {
    for (const text of notes) note(text);
    yield* rows;
  }
}
