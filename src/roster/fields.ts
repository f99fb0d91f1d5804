/** The fields of one kind of table: rosters, lists of extra time and timetables are read by the same rules, each with its own fields. */
import type { Sentence } from '../text/sentence.ts';
import type { Table } from './table.ts';

/** What a line has for the fields, trimmed; what is empty is absent. */
export type Texts<Field extends string> = { [field in Field]?: string };

/** The columns of each field, by their indexes: of several, the first that is filled in a line. */
export type Columns<Field extends string> = ReadonlyMap<Field, readonly number[]>;

export type Fields<Field extends string> = {
  /** What messages call such a table: "a roster". */
  what: string;
  rows: 'students' | 'exams';
  /** For messages. */
  names: readonly string[];
  /** The field that a header names by itself. */
  named(header: string): Field | undefined;
  /** The field that --map means; undefined where such a table has none of this name. May throw `usage`. */
  mapped(field: string): Field | undefined;
  /**
   * A line of which this is not true stops the file: a heading, a footer, a second table. `called`: "an address"; `field`: the one whose
   * column --map could name, if no line has it; `looks`: whether a cell may be one.
   */
  identity?: { called: string; isIn(texts: Texts<Field>): boolean; field?: Field; looks?(cell: string): boolean };
  /** Changes what columns are by their headers, where these depend on each other and on those that are mapped. */
  settle?(found: Map<Field, readonly number[]>, header: readonly string[], mapped: Columns<Field>): void;
  /** Columns that are no field and need no declaration. */
  passedOver?(header: string): boolean;
  /** Throws `invalid_input` for a table without the columns that it needs. `others`: what is neither a field nor ignored. */
  check?(table: Table, columns: Columns<Field>, others: readonly number[]): void;
  /** The texts of all lines as they are meant (a name made of its parts), and what people are told of them. */
  meant?(texts: readonly Texts<Field>[], read: Read<Field>): { texts: readonly Texts<Field>[]; notes: readonly Sentence[] };
};

/** `lastNameFirst`: the known export says that whole names are written so. */
export type Read<Field extends string> = { table: Table; columns: Columns<Field>; lastNameFirst: boolean };
