/** What is declared about a table: on the command line, as an answer, or in a saved layout. */
import { CliError } from '../../errors.ts';
import type { RosterLayout, ValuesByHeader } from '../../model/roster-layout.ts';
import type { DateOrder } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';

/** Field → headers, in the order in which `--map` gave them; `field:` for one whose cells are typed as -F types them. */
export type FieldMap = ValuesByHeader;

export type Declaration = {
  map: FieldMap;
  /** Header → values. `only`: lines with these values are used; `except`: lines with these values are left out. */
  only: ValuesByHeader;
  except: ValuesByHeader;
  /** Headers of columns that decide nothing. */
  ignored: readonly string[];
  /** The saved layout that the table has to follow. */
  layout?: { name: string; format: string | undefined; headers: readonly string[] } | undefined;
};

/** How a table is read: its declaration, what opens it, and a way to keep all of this for the next time. */
export type TableReading = {
  declaration: Declaration;
  encoding: string | undefined;
  sheet: string | undefined;
  hiddenRows: string | undefined;
  dates: DateOrder | undefined;
  /** The given options, for a command line. */
  options: readonly string[];
  /** The name under which the layout is saved. */
  saveAs: string | undefined;
  save(name: string, layout: RosterLayout): Promise<void>;
};

/** The part of a layout that the mapping of a table knows. */
export type MappedLayout = Omit<RosterLayout, 'sheet' | 'hiddenRows' | 'dates'>;

/** The layout of a table that was mapped, with what opened it. */
export function layoutToSave({ sheet, hiddenRows, dates }: TableReading, mapped: MappedLayout): RosterLayout {
  return {
    ...mapped,
    ...(sheet === undefined ? {} : { sheet }),
    ...(hiddenRows === undefined ? {} : { hiddenRows }),
    ...(dates === undefined ? {} : { dates }),
  };
}

/** How headers and values are compared: without case, and without blanks around them. */
export function foldedText(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** A saved layout with the flags beside it. If both name a column or a value, the flag wins. */
export function withLayout(declared: Declaration, name: string, { map, only, except, ignored, format }: RosterLayout): Declaration {
  const spoken = new Set(declared.ignored.map(foldedText));
  const now = new Set(Object.keys({ ...declared.only, ...declared.except }).map(foldedText));
  return {
    map: { ...map, ...declared.map },
    only: merged(only, declared.only, declared.except, spoken),
    except: merged(except, declared.except, declared.only, spoken),
    ignored: [...ignored.filter((header) => !now.has(foldedText(header))), ...declared.ignored],
    layout: { name, format, headers: [...Object.values(map).flat(), ...Object.keys(only), ...Object.keys(except), ...ignored] },
  };
}

function merged(saved: ValuesByHeader, given: ValuesByHeader, moved: ValuesByHeader, ignored: ReadonlySet<string>): ValuesByHeader {
  const kept = Object.entries(saved).filter(([header]) => !ignored.has(foldedText(header)));
  const gone = (header: string) => new Set(valuesOf(moved, header).map(foldedText));
  const stays = kept.map(([header, values]) => [header, values.filter((value) => !gone(header).has(foldedText(value)))] as const);
  const all = new Map(stays.map(([header, values]) => [header, [...values, ...valuesOf(given, header)]]));
  const known = new Set([...all.keys()].map(foldedText));
  for (const [header, values] of Object.entries(given)) if (!known.has(foldedText(header))) all.set(header, [...values]);
  return Object.fromEntries(all);
}

function valuesOf(values: ValuesByHeader, header: string): readonly string[] {
  return Object.entries(values).flatMap(([one, all]) => (foldedText(one) === foldedText(header) ? all : []));
}

/** Refuses a table that lacks a column of its layout: another table was declared. */
export function refuseOtherLayout(table: Table, { layout }: Declaration): void {
  if (!layout) return;
  const headers = new Set(table.header.map(foldedText));
  const missing = [...new Set(layout.headers.filter((header) => !headers.has(foldedText(header))))];
  if (missing.length === 0) return;
  throw new CliError(
    'invalid_input',
    sentence`${table.name} does not match the layout ${quote(layout.name)}: it has no column ${quoteAll(missing)}. Its columns: ${quoteAll(table.header.filter(Boolean))}.`,
    {
      hint: sentence`Export the file as before, or leave out --layout, declare its columns, and save them with --save-layout ${layout.name}`,
    },
  );
}
