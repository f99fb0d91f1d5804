/** What a command yields, values and never text; and how renderers take it. */
import type { CliError } from '../errors.ts';
import type { Host, OutputStream } from '../host/host.ts';
import type { Said, Sentence } from '../text/sentence.ts';
import type { Column, Row } from './cell.ts';
import type { Painter } from './layout.ts';

/** Rows for every format, and sentences for people. */
export type Snapshot = { rows: readonly Row[]; notes?: readonly Sentence[] };

export type Canvas = {
  columns: number;
  rows: number;
  /** Milliseconds since 1970. */
  now: number;
  timeZone: string;
  paint: Painter;
  masked(text: string): string;
};

/** `draw`: as many lines as the canvas has rows. `key`: true where the person leaves. */
export type Artist<M extends Snapshot = Snapshot> = {
  draw(moment: M, canvas: Canvas): readonly string[];
  key(key: string): boolean;
};

export type Live<M extends Snapshot = Snapshot> = {
  kind: 'live';
  /** Formats that are one document are printed at the end. */
  moments: AsyncIterable<M>;
  columns: readonly Column[];
  drawing(): Promise<Artist<M>>;
  stop(): void;
};

export type Result = (
  | {
      kind: 'list';
      rows: Iterable<Row> | AsyncIterable<Row>;
      columns: readonly Column[];
      /** The same rows for a terminal, which gets a table for each batch. */
      batches?: AsyncIterable<readonly Row[]>;
    }
  | {
      kind: 'one';
      row: Row;
      columns: readonly Column[];
      /** The field that stands for the row as a table and as ID. */
      only?: string;
      /** Runs after the row is printed, until it is interrupted. */
      meanwhile?: () => Promise<void>;
    }
  | Live
  | { kind: 'nothing' }
) & {
  /** Shown as a table in place of the rows, and as CSV in place of a single row. */
  sheet?: { columns: readonly Column[] } & ({ rows: readonly Row[] } | { row: Row });
  /** Notes below a table; read once the rows are. */
  advice?: readonly Sentence[];
  /** The command ends with this error, although it prints something. */
  failure?: CliError | undefined;
  /** The field that is the ID, where it is not the service's; null where nothing is. */
  id?: string | null;
  /** The format if none is asked for: JSON; or `file`, which off a terminal is CSV, to be read again. */
  unasked?: 'json' | 'file';
  /** The command was asked for its secrets, or has masked them already. */
  reveal?: true;
};

/** Who reads a format decides what is shown: `command` reads IDs. For a program, each line on stderr is a JSON object, too. */
export type FormatRule = {
  reader: 'person' | 'spreadsheet' | 'program' | 'command';
  renderer(): Promise<Renderer>;
  /** Rows are shown as they come. */
  streams: boolean;
  /** How the names of its files end, for --to. */
  ending?: string;
  /** The format is for files alone, and goes through `View.save`. */
  isBinary?: true;
};

/** What a workbook that is written says about its source. */
export type Origin = { service: string; profile: string; zone: string | undefined; when: number };

export type View = {
  format: FormatRule;
  columns: string | undefined;
  showSecrets: boolean;
  /** A text without the values that are never shown, such as the token. */
  masked(text: string): string;
  timeZone: string;
  color: boolean;
  /** For screen readers: nothing is cut, and words stand in place of signs. */
  plain: boolean;
  stdout: OutputStream;
  /** Takes a format that is no text, in place of stdout. */
  save: ((content: Uint8Array) => void) | undefined;
  origin: Origin;
  note<T extends string>(text: T & Said<T>): void;
  /** After a write, the result is shown even if --columns is wrong; `warn` says so. */
  afterWrite: { warn: View['note'] } | undefined;
  /** Absent if the terminal must not be taken over. */
  terminal: Pick<Host, 'screen' | 'now'> | undefined;
};

export type Answer = {
  kind: 'list' | 'one';
  /** The rows with secrets masked, and with the fields of --columns. */
  rows: Iterable<Row> | AsyncIterable<Row>;
  columns: readonly Column[];
  /** Whether --columns has chosen these columns and no others. */
  chosen: boolean;
  only: string | undefined;
  /** The field that is the ID, as in `Result`; if it is absent, the field `id`. */
  id: string | null | undefined;
  /** Each row is printed at once. */
  live: boolean;
};
export type Renderer = (answer: Answer, view: View) => Promise<void>;
