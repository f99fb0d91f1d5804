/**
 * One value, many renderers. A renderer is loaded when its format is asked for, so that a script
 * that wants JSON does not pay for tables. Whatever the format, nothing secret gets through here,
 * and a list that is not streamed is collected before its first byte is written.
 */
import type { Column, Format, Result, Row } from '../command.ts';
import type { OutputStream } from '../host.ts';
import { maskSecretKeys, redact } from '../model/secrets.ts';

/** How a result is to be shown. */
export type View = {
  format: Format;
  /** As given with --columns: fields separated by commas, or `help`. */
  columns?: string;
  showSecrets: boolean;
  /** Values that are never shown, such as the token. */
  secrets: readonly string[];
  /** The zone in which tables show times: an IANA name. */
  timeZone: string;
  /** Field that identifies a resource. */
  idKey: string;
  color: boolean;
  stdout: OutputStream;
  /** Tells a person one line on stderr. */
  note(text: string): void;
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
  brief?: boolean;
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
  const answer = answerOf(result, view);
  const stdout = redacted(view.stdout, view.secrets);
  const renderer = await renderers[view.format]();
  if (view.columns === undefined) return renderer(answer, { ...view, stdout });
  const { choose } = await import('./columns.ts');
  return renderer(await choose(answer, view.columns, view.format), { ...view, stdout });
}

function answerOf(result: Exclude<Result, { kind: 'nothing' }>, view: View): Answer {
  const shown = view.showSecrets ? (row: Row) => row : (row: Row) => maskSecretKeys(row);
  const common = { shown, columns: result.columns, chosen: false };
  if (result.kind === 'list') return { ...common, kind: 'list', rows: result.rows };
  return {
    ...common,
    kind: 'one',
    rows: [result.row],
    ...(result.only === undefined ? {} : { only: result.only }),
    brief: result.brief === true,
  };
}

/**
 * A stream that masks secret values; what is written to it at once never ends inside a value. The
 * token may only become known while a list is being read, so the secrets are looked at with each write.
 */
function redacted(stream: OutputStream, secrets: readonly string[]): OutputStream {
  return { isTTY: stream.isTTY, columns: stream.columns, write: (text) => stream.write(redact(text, secrets)) };
}
