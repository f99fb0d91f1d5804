/**
 * How a table is read. A layout says which columns are which fields, and which lines are used: a known export is one, and so are the options
 * of a command and the answers on a terminal; they are merged in this order. Fields are those of one kind of table.
 */
import { foldedText } from '../text/fold.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Table } from './table.ts';

export type ValuesByHeader = { readonly [header: string]: readonly string[] };

export type Layout = {
  /** Field → headers: of several, the first that is filled in a line; `field:` for cells that are typed as -F types them. */
  map: ValuesByHeader;
  /** Header → values: only lines with these are used; lines with these are left out. With both, a value in neither stops the file. */
  only: ValuesByHeader;
  except: ValuesByHeader;
  ignored: readonly string[];
  /** Columns that do not matter until there is a choice to be made in them: answers preset them. */
  preset?: readonly string[];
};

export const noLayout: Layout = { map: {}, only: {}, except: {}, ignored: [] };

/** Two layouts as one; where both name a field or a column, the second one counts. */
export function merged(first: Layout, second: Layout): Layout {
  const left = without(declaredBy(second), first);
  return {
    map: { ...left.map, ...second.map },
    only: { ...left.only, ...second.only },
    except: { ...left.except, ...second.except },
    ignored: [...left.ignored, ...second.ignored],
    preset: [...(left.preset ?? []), ...(second.preset ?? [])],
  };
}

/** The columns of which a layout says which lines they let through. */
export function declaredBy({ only, except, ignored }: Layout): string[] {
  return [...Object.keys(only), ...Object.keys(except), ...ignored];
}

/** A layout that says nothing of these columns. */
export function without(headers: readonly string[], { map, only, except, ignored, preset = [] }: Layout): Layout {
  const folded = new Set(headers.map(foldedText));
  const isOther = (header: string) => !folded.has(foldedText(header));
  const others = (lists: ValuesByHeader) => Object.fromEntries(Object.entries(lists).filter(([header]) => isOther(header)));
  return { map, only: others(only), except: others(except), ignored: ignored.filter(isOther), preset: preset.filter(isOther) };
}

/** What a line has for the fields, trimmed; what is empty is absent. */
export type Texts<Field extends string> = { [field in Field]?: string };

/** The columns of each field, by their indexes: of several, the first that is filled in a line. */
export type Columns<Field extends string> = ReadonlyMap<Field, readonly number[]>;

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
  settle?(found: Map<Field, readonly number[]>, header: readonly string[], mapped: Columns<Field>): void;
  /** Columns that are no field and need no declaration. */
  passedOver?(header: string): boolean;
  /** Throws `invalid_input` for a table without the columns that it needs; what people are told of the others. */
  check?(table: Table, columns: Columns<Field>): readonly Sentence[];
  /** The texts of a line as they are meant: a name made of its parts. `lastNameFirst`: the known export says that names are written so. */
  meant?(table: Table, columns: Columns<Field>, lastNameFirst: boolean): (texts: Texts<Field>) => Texts<Field>;
};
