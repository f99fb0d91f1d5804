/** What a command yields, values and never text; and how renderers take it. Types only. */
import type { CliError } from '../errors.ts';
import type { Host, OutputStream } from '../host/host.ts';
import type { Said, Sentence } from '../text/sentence.ts';
import type { Canvas } from './canvas.ts';
import type { Column, Row } from './cell.ts';
import type { Format } from './view.ts';

/** An update of a live result: rows for every format, and sentences for people. */
export type Moment = { rows: readonly Row[]; notes?: readonly Sentence[] };

/** `draw`: as many lines as the canvas has rows. `key`: true where the person leaves. */
export type Artist<M extends Moment = Moment> = { draw(moment: M, canvas: Canvas): readonly string[]; key(key: string): boolean };

export type Live<M extends Moment = Moment> = {
  kind: 'live';
  /** Updates as they occur. Formats that are one document are printed at the end. */
  moments: AsyncIterable<M>;
  columns: readonly Column[];
  /** Draws the moments for a whole terminal, and takes its keys; loaded where one is taken over. */
  drawing(): Promise<Artist<M>>;
  /** Ends the updates: the user has quit the watch. */
  stop(): void;
};

export type Result = (
  | {
      kind: 'list';
      rows: Iterable<Row> | AsyncIterable<Row>;
      columns: readonly Column[];
      /** The same rows for a terminal: a table for each batch, as soon as it is there. */
      batches?: AsyncIterable<readonly Row[]>;
    }
  | {
      kind: 'one';
      row: Row;
      columns: readonly Column[];
      /** The field that stands alone where a person or a script wants just that. */
      only?: string;
      /** Runs after the row has been printed, until it is interrupted. */
      meanwhile?: () => Promise<void>;
    }
  | Live
  | { kind: 'nothing' }
) & {
  /** What `table` shows in place of the rows: others, or one field by field. CSV shows it in place of a single row, too. */
  sheet?: { columns: readonly Column[] } & ({ rows: readonly Row[] } | { row: Row });
  /** Notes on stderr below a table, a line each; read once the rows are. */
  advice?: readonly Sentence[];
  /** The error with which the command ends although there is something to print. */
  failure?: CliError | undefined;
  /** Field that stands for a row in the format `id`, where it is not the service's; null where nothing does. */
  id?: string | null;
  /** What stands in for the table where no format is asked for: JSON; or `file`, off a terminal: CSV, which is kept and read from again. */
  unasked?: 'json' | 'file';
  /** Secrets in it were asked for, or are masked already: they are printed as they are. */
  reveal?: true;
};

export type View = {
  format: Format;
  /** As given with --columns: fields separated by commas, or `help`. */
  columns?: string | undefined;
  /** What stands under the name of a secret is shown. */
  showSecrets: boolean;
  /** A text without the values that are never shown, such as the token. */
  masked(text: string): string;
  timeZone: string;
  color: boolean;
  /** For screen readers: nothing is cut to fit, and words stand in place of symbols. */
  plain: boolean;
  stdout: OutputStream;
  note<T extends string>(text: T & Said<T>): void;
  /** A write may have been carried out: what it changed is shown even if --columns is wrong, which `warn` is told. */
  afterWrite?: { warn: View['note'] } | undefined;
  /** The terminal and the clock, for what fills a whole screen; absent where the terminal is not to be taken over. */
  terminal?: Pick<Host, 'screen' | 'now'> | undefined;
};

export type Answer = {
  kind: 'list' | 'one';
  /** As they may be shown: secrets masked and, with --columns, only the fields asked for. */
  rows: Iterable<Row> | AsyncIterable<Row>;
  columns: readonly Column[];
  /** The columns are those of --columns: these and no others. */
  chosen: boolean;
  only?: string | undefined;
  /** Field that stands for a row; null where nothing does; `id` where it is absent. */
  id?: string | null | undefined;
  /** The rows come now and then: each is printed at once. */
  live: boolean;
};
export type Renderer = (answer: Answer, view: View) => Promise<void>;
