/** What `state copy` needs of a state, below all that it means. */
import type { Key, Table } from './state-tables.ts';
import type { StudentKeys } from './student-keys.ts';

/** What a state says of itself: its ID, the mark of its key, and where its record was moved; `copying` while it is being filled. */
export type CopyMeta = { id: string; print: string; movedTo: string };

/** A state that is copied from or to, below all that it means. A row is its values, as the table has them. */
export type CopyEnd = {
  readonly place: string;
  /** Undefined where no state is there yet. */
  meta(): Promise<CopyMeta | undefined>;
  /** Of the key file of the settings; undefined where there is none. */
  readonly keys: StudentKeys | undefined;
  /** Makes the state with this key, or takes over the one that is there: its rows go. */
  prepare(meta: CopyMeta, keys: StudentKeys): Promise<void>;
  mark(movedTo: string): Promise<void>;
  /** Parts of a table, one after the other, in the order of their keys. */
  rows(table: Table): AsyncIterable<readonly Key[][]>;
  add(table: Table, rows: readonly Key[][]): Promise<void>;
  hasRuns(): Promise<boolean>;
  close(): Promise<void>;
};
