/** What is declared about a table: on the command line, or as an answer. */
import type { DateOrder } from '../../model/time.ts';

/** Header → values of its column. */
type ValuesByHeader = { readonly [header: string]: readonly string[] };

/** Field → headers, in the order in which `--map` gave them; `field:` for one whose cells are typed as -F types them. */
export type FieldMap = ValuesByHeader;

export type Declaration = {
  map: FieldMap;
  /** Header → values. `only`: lines with these values are used; `except`: lines with these values are left out. */
  only: ValuesByHeader;
  except: ValuesByHeader;
  /** Headers of columns that decide nothing. */
  ignored: readonly string[];
};

/** How a table is read: its declaration, and what opens it. */
export type TableReading = {
  declaration: Declaration;
  encoding: string | undefined;
  sheet: string | undefined;
  hiddenRows: string | undefined;
  dates: DateOrder | undefined;
  /** The given options, for a command line. */
  options: readonly string[];
};

/** How headers and values are compared: without case, and without blanks around them. */
export function foldedText(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
