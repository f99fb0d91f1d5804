/** One value, many renderers, each loaded when its format is asked for. In all of them secrets are masked. */
import { maskSecretKeys } from '../model/secrets.ts';
import type { Row } from './cell.ts';
import { mapped } from './layout.ts';
import type { Answer, Live, Result, View } from './result.ts';

export async function render(result: Result, view: View): Promise<void> {
  const { format, columns, terminal } = view;
  if (result.kind === 'nothing') return;
  if (result.kind === 'list' && result.batches && format.reader === 'person' && view.stdout.isTTY) {
    const { batches, ...list } = result;
    let between = '';
    for await (const rows of batches) {
      await view.stdout.write(between);
      await render({ ...list, rows }, view);
      between = '\n';
    }
    return;
  }
  if (result.kind === 'live' && terminal && format.reader === 'person' && columns === undefined)
    return (await import('./canvas.ts')).showDrawn(result, view, terminal);
  let answer = answerOf(result, view);
  if (columns !== undefined) answer = await (await import('./choose-columns.ts')).chooseColumns(answer, columns, view);
  return (await format.renderer())(answer, view);
}

function answerOf(result: Exclude<Result, { kind: 'nothing' }>, view: View): Answer {
  const { reader } = view.format;
  const isSheet = reader === 'person' || (reader === 'spreadsheet' && result.kind === 'one');
  const given = (isSheet && result.sheet) || result;
  const rows = 'moments' in given ? maskedRows(given, view) : 'row' in given ? [given.row] : given.rows;
  const shown = mapped(rows, (row) => (view.showSecrets ? row : maskSecretKeys(row)));
  const [kind, live] = ['row' in given ? 'one' : 'list', result.kind === 'live'] as const;
  const only = result.kind === 'one' ? result.only : undefined;
  const id = result.id === undefined ? only : result.id;
  return { kind, rows: shown, columns: given.columns, chosen: false, only, id, live };
}

/** The rows of a live result, while its sentences go to stderr. */
async function* maskedRows({ moments }: Live, { note }: View): AsyncGenerator<Row> {
  for await (const { rows, notes = [] } of moments) {
    for (const text of notes) note(text);
    yield* rows;
  }
}
