/** What `state copy` needs of a state, below all that it means. */
import type { Key, Table } from './state-tables.ts';
import type { StudentKeys } from './student-keys.ts';

/** What a state says of itself: its ID, the mark of its key, and where its record was moved (`moved.ts`). */
export type CopyMeta = { id: string; print: string; movedTo: string };

/** A state that is copied from or to, below all that it means. A row is its values, as the table has them. */
export type CopyEnd = {
  readonly place: string;
  /** Undefined where no state is there yet. */
  meta(): Promise<CopyMeta | undefined>;
  /** Of the key file of the settings; undefined where there is none. */
  readonly keys: StudentKeys | undefined;
  /**
   * Makes the state with this key, or empties the one that is there. Does nothing, and resolves to false, if it is no longer
   * as it was `before`.
   */
  prepare(before: CopyMeta | undefined, meta: CopyMeta, keys: StudentKeys): Promise<boolean>;
  /** Changes where the record was moved. Resolves to false, and changes nothing, where that is not `before`. */
  mark(before: string, movedTo: string): Promise<boolean>;
  /** Parts of a table, one after the other, in the order of their keys. */
  rows(table: Table): AsyncIterable<readonly Key[][]>;
  add(table: Table, rows: readonly Key[][]): Promise<void>;
  hasRuns(): Promise<boolean>;
  close(): Promise<void>;
};
