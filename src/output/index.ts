/**
 * One value, many renderers. A renderer is loaded when its format is asked for, so that a script
 * that wants JSON does not pay for tables. Whatever the format, nothing secret gets through here,
 * and a list that is not streamed is collected before its first byte is written.
 */
import type { Column, Format, Result, Row } from '../command.ts';
import type { Host, OutputStream } from '../host/host.ts';
import { maskSecretKeys, type Secrets } from '../model/secrets.ts';
import type { Said } from '../text/sentence.ts';

/** How a result is to be shown. */
export type View = {
  format: Format;
  /** As given with --columns: fields separated by commas, or `help`. */
  columns?: string;
  showSecrets: boolean;
  /** Values that are never shown, such as the token. */
  secrets: Secrets;
  /** The zone in which tables show times: an IANA name. */
  timeZone: string;
  /** Field that identifies a resource. */
  idKey: string;
  color: boolean;
  /** For screen readers: nothing is cut to fit, and words stand in place of symbols. */
  plain: boolean;
  stdout: OutputStream;
  /** Tells a person one line on stderr. */
  note<T extends string>(text: T & Said<T>): void;
  /** The terminal and the clock, for what fills a whole screen; absent where the terminal is not to be taken over. */
  terminal?: Pick<Host, 'screen' | 'now'>;
};

/** A result as renderers take it. */
export type Answer = {
  kind: 'list' | 'one';
  rows: Iterable<Row> | AsyncIterable<Row>;
  /** A row as it may be shown: secrets masked and, with --columns, only the fields asked for. */
  shown(row: Row): Row;
  columns: readonly Column[];
  /** The columns are those of --columns: these and no others. */
  chosen: boolean;
  only?: string;
  /** Field that stands for a row; null where nothing does; the view's where it is absent. */
  id?: string | null;
  brief?: boolean;
  /** The rows come now and then: each is printed at once. */
  live?: boolean;
};
export type Renderer = (answer: Answer, view: View) => Promise<void>;

const renderers: Record<Format, () => Promise<Renderer>> = {
  table: async () => (await import('./table.ts')).renderTable,
  json: async () => (await import('./json.ts')).renderJson,
  ndjson: async () => (await import('./json.ts')).renderNdjson,
  csv: async () => (await import('./csv.ts')).renderCsv,
  yaml: async () => (await import('./yaml.ts')).renderYaml,
  id: async () => (await import('./id.ts')).renderId,
};

/** Writes a result to stdout in the format of the view. Throws what the rows, the columns or stdout throw. */
export async function render(result: Result, view: View): Promise<void> {
  if (result.kind === 'nothing') return;
  if (result.kind === 'live' && result.pictured && view.terminal && view.format === 'table' && view.columns === undefined) {
    const { showPictures } = await import('./screen.ts');
    return showPictures(result, view, view.terminal);
  }
  const answer = answerOf(result, view);
  const format = view.format === 'table' && result.kind === 'one' && result.document ? 'json' : view.format;
  const renderer = format === 'table' && answer.live ? (await import('./lines.ts')).renderLines : await renderers[format]();
  if (view.columns === undefined) return renderer(answer, view);
  const { choose } = await import('./columns.ts');
  return renderer(await choose(answer, view.columns, format), view);
}

const sheetFormats: ReadonlySet<Format> = new Set(['table', 'csv']);

function answerOf(result: Exclude<Result, { kind: 'nothing' }>, view: View): Answer {
  const shown = view.showSecrets ? (row: Row) => row : (row: Row) => maskSecretKeys(row);
  const common = { shown, columns: result.columns, chosen: false, ...(result.id === undefined ? {} : { id: result.id }) };
  if (result.kind === 'list' && result.alone && view.format === 'table') return { ...common, kind: 'one', rows: [result.alone] };
  if (result.kind === 'list') return { ...common, kind: 'list', rows: result.rows };
  if (result.kind === 'live') return { ...common, kind: 'list', rows: rowsOf(result, view), live: true };
  if (result.sheet && sheetFormats.has(view.format)) return { ...common, kind: 'list', ...result.sheet };
  return {
    ...common,
    kind: 'one',
    rows: [result.row],
    ...(result.only === undefined ? {} : { only: result.only }),
    brief: result.brief === true,
  };
}

/** The rows of what goes on, while a person is told the rest. */
async function* rowsOf({ moments }: Extract<Result, { kind: 'live' }>, { note }: View): AsyncGenerator<Row> {
  for await (const { rows, notes = [] } of moments) {
    for (const text of notes) note(text);
    yield* rows;
  }
}
