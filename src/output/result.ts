/** What a command yields: values, never text. Types only. */
import type { CliError } from '../errors.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Canvas } from './canvas.ts';
import type { Column, Row } from './cell.ts';

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
  failure?: CliError;
  /** Field that stands for a row in the format `id`, where it is not the service's; null where nothing does. */
  id?: string | null;
  /** What stands in for the table where no format is asked for: JSON; or `file`, off a terminal: CSV, which is kept and read from again. */
  unasked?: 'json' | 'file';
  /** Secrets in it were asked for, or are masked already: they are printed as they are. */
  reveal?: true;
};
