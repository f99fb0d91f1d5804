/** The input of renderers: a result, and how to show it. */
import type { Host, OutputStream } from '../host/host.ts';
import type { Format } from '../model/format.ts';
import type { Secrets } from '../model/secrets.ts';
import type { Said } from '../text/sentence.ts';
import type { Column, Row } from './row.ts';

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
  color: boolean;
  /** For screen readers: nothing is cut to fit, and words stand in place of symbols. */
  plain: boolean;
  stdout: OutputStream;
  /** Tells a person one line on stderr. */
  note<T extends string>(text: T & Said<T>): void;
  /** A write may have been carried out: what it changed is shown even if --columns is wrong, which `warn` is told. */
  afterWrite?: { warn: View['note'] };
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
  /** Field that stands for a row; null where nothing does; `id` where it is absent. */
  id?: string | null;
  brief?: boolean;
  /** The rows come now and then: each is printed at once. */
  live?: boolean;
};
export type Renderer = (answer: Answer, view: View) => Promise<void>;
