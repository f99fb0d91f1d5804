/**
 * How a table is read. A layout says which columns are which fields, and which lines are used: a known export is one, and so are the options
 * of a command and the answers on a terminal; they are merged in this order. Fields are those of one kind of table.
 */
import { foldedText } from '../text/fold.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Table } from './table.ts';

/**
 * A column of which is said what its values mean. Only lines with those of `only` are used, and lines with those of `except` are left out;
 * with both, a value in neither stops the file; with neither, the column does not matter.
 */
export type Declared = {
  header: string;
  only?: readonly string[] | undefined;
  except?: readonly string[] | undefined;
  /** It does not matter until there is a choice to be made in it. */
  preset?: true;
  /** The known export that says so. */
  by?: string;
};

/** `map`: field → header. */
export type Layout = { map: { readonly [field: string]: string }; columns: readonly Declared[] };

export const noLayout: Layout = { map: {}, columns: [] };

/** Two layouts as one; where both name a field or a column, the second one counts. */
export function merged(first: Layout, second: Layout): Layout {
  const headers = second.columns.map(({ header }) => header);
  return { map: { ...first.map, ...second.map }, columns: [...without(headers, first.columns), ...second.columns] };
}

/** What is said of other columns than these. */
export function without(headers: readonly string[], columns: readonly Declared[]): Declared[] {
  const folded = new Set(headers.map(foldedText));
  return columns.filter(({ header }) => !folded.has(foldedText(header)));
}

/** What a line has for the fields, trimmed; what is empty is absent. */
export type Texts<Field extends string> = { [field in Field]?: string };

/** The column of each field, by its index. */
export type Columns<Field extends string> = ReadonlyMap<Field, number>;

export type Fields<Field extends string> = {
  /** What messages call such a table: "a roster". */
  what: string;
  rows: 'students' | 'exams';
  names: readonly string[];
  named(header: string): Field | undefined;
  /** The field that --map means; undefined where such a table has none of this name. May throw `usage`. */
  mapped(field: string): Field | undefined;
  /**
   * A line of which this is not true stops the file: a heading, a footer, a second table. `called`: "an address"; `field`: the one whose
   * column --map could name, if no line has it; `looks`: whether a cell may be one.
   */
  identity?: { called: string; isIn(texts: Texts<Field>): boolean; field?: Field; looks?(cell: string): boolean };
  /** Changes what columns are by their headers, where these depend on each other and on those that are mapped. */
  settle?(found: Map<Field, number[]>, header: readonly string[], mapped: Columns<Field>): void;
  /** Columns that are no field and need no declaration. */
  passedOver?(header: string): boolean;
  /** Throws `invalid_input` for a table without the columns that it needs; what people are told of the others. */
  check?(table: Table, columns: Columns<Field>): readonly Sentence[];
  /** The texts of a line as they are meant: a name made of its parts. `lastNameFirst`: the known export says that names are written so. */
  meant?(table: Table, columns: Columns<Field>, lastNameFirst: boolean): (texts: Texts<Field>) => Texts<Field>;
};
