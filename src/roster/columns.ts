/** Which column is which field: a layout says so, else an alias. Between two columns nothing is guessed. */
import { CliError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { isSecretHeader, maskSecretPairs } from '../model/secrets.ts';
import { typedOption } from '../model/shell-quote.ts';
import { foldedText } from '../text/fold.ts';
import { quote, quoteAll, type Sentence, sentence } from '../text/sentence.ts';
import { refusedFile, type Table } from './table.ts';

/**
 * Lines with a value of `only` are used, lines with one of `except` left out; with both, any other
 * value stops the file; with neither, the column does not matter.
 */
export type Declared = {
  header: string;
  only?: readonly string[] | undefined;
  except?: readonly string[] | undefined;
  /** A declaration by default, which does not hold for a column with a choice. */
  preset?: true;
  /** The known export that says so. */
  by?: string;
};

/** What a known export, options and answers on a terminal say of columns, merged in this order. `map`: field → header. */
export type Layout = { map: { readonly [field: string]: string }; columns: readonly Declared[] };

export const noLayout: Layout = { map: {}, columns: [] };

/** Where both layouts name a field or a column, the second one counts. */
export function merged(first: Layout, second: Layout): Layout {
  const headers = second.columns.map(({ header }) => header);
  const columns = [...columnsNotIn(headers, first.columns), ...second.columns];
  return { map: { ...first.map, ...second.map }, columns };
}

export function columnsNotIn(headers: readonly string[], columns: readonly Declared[]): Declared[] {
  const folded = new Set(headers.map(foldedText));
  return columns.filter(({ header }) => !folded.has(foldedText(header)));
}

/** The columns of this file, and their values, among those that are declared for several files. */
export function declaredIn({ header, rows }: Table, columns: readonly Declared[]): Declared[] {
  const byHeader = Map.groupBy(columns, (one) => foldedText(one.header));
  return header.flatMap((name, index): Declared | [] => {
    const declared = byHeader.get(foldedText(name));
    if (!declared) return [];
    const one = united(declared);
    const there = new Set(rows.map(({ cells }) => foldedText(cells[index] ?? '')));
    const here = (values?: readonly string[]) => values?.filter((value) => there.has(foldedText(value)));
    return { ...one, only: here(one.only), except: here(one.except) };
  });
}

export const isChosen = ({ only, except }: Declared) => (only ?? except) !== undefined;

/** Merges several declarations of a column; the last one about a value counts. */
export function united(all: readonly Declared[]): Declared {
  const [first = { header: '' }] = all;
  if (!all.some(isChosen)) return all.find((one) => !one.preset) ?? first;
  const [only, except] = [new Map<string, string>(), new Map<string, string>()];
  for (const one of all) {
    for (const value of one.only ?? []) only.set(foldedText(value), value) && except.delete(foldedText(value));
    for (const value of one.except ?? []) except.set(foldedText(value), value) && only.delete(foldedText(value));
  }
  const given = (key: 'only' | 'except', values: Map<string, string>) => (all.some((one) => one[key]) ? [...values.values()] : undefined);
  return { header: first.header, only: given('only', only), except: given('except', except) };
}

/** Whether the declarations contradict each other: as options of one command they would be refused. */
export function areUnlike(all: readonly Declared[]): boolean {
  const folded = (key: 'only' | 'except') => new Set(all.flatMap((one) => one[key]?.map(foldedText) ?? []));
  const except = folded('except');
  return [...folded('only')].some((value) => except.has(value)) || new Set(all.map(isChosen)).size > 1;
}

/** The cells of a line, trimmed; empty ones are absent. */
export type Texts<Field extends string> = { [field in Field]?: string };

export type Columns<Field extends string> = ReadonlyMap<Field, number>;

export type TableFields<Field extends string> = {
  /** What messages call such a table: "a roster". */
  what: string;
  rows: 'students' | 'exams';
  names: readonly Field[];
  named(header: string): Field | undefined;
  /** Further fields that --map may name. May throw `usage`. */
  mapped?(field: string): Field | undefined;
  /** A line without it stops the file: a heading, a footer, a second table. `called`: "address". */
  identity?: { called: string; isIn(texts: Texts<Field>): boolean };
  /** Decides about columns that depend on each other. */
  settle?(found: Map<Field, number[]>, header: readonly string[], mapped: Columns<Field>): void;
  /** Makes a name of its parts. */
  meant?(texts: Texts<Field>): Texts<Field>;
  /** Returns notes for people. Throws `invalid_input` where a column is missing. */
  judge?(table: Table, columns: Columns<Field>): readonly Sentence[];
};

/** Throws `usage` for an unknown field, `invalid_input` for a column that the table lacks. */
export function mapColumns<Field extends string>(table: Table, { map, columns }: Layout, fields: TableFields<Field>): Columns<Field> {
  const mapped = new Map<Field, number>();
  for (const [given, header] of Object.entries(map)) {
    const field = fields.mapped?.(given) ?? fields.names.find((name) => name === given);
    const hint = sentence`Its fields: ${fields.names.join(', ')}.`;
    if (field === undefined) throw new CliError('usage', sentence`--map: ${fields.what} has no field ${quote(given)}.`, { hint });
    const index = columnNamed(table, header);
    refuseSecret(table.header[index] ?? '');
    mapped.set(field, index);
  }
  const closed = new Set(mapped.values());
  const ignored = new Set(columns.filter((one) => !one.only && !one.except).map(({ header }) => foldedText(header)));
  const found = new Map<Field, number[]>();
  for (const [index, header] of table.header.entries()) {
    if (closed.has(index) || ignored.has(foldedText(header))) continue;
    const field = fields.named(header);
    if (field !== undefined) found.set(field, [...(found.get(field) ?? []), index]);
  }
  fields.settle?.(found, table.header, mapped);
  for (const [field, [index = 0, ...others]] of found) {
    if (mapped.has(field)) continue;
    if (others.length > 0) throw couldBoth(field, [index, ...others], table);
    mapped.set(field, index);
  }
  return mapped;
}

/** Throws `invalid_input`. */
export function columnNamed({ name, header }: Pick<Table, 'name' | 'header'>, wanted: string): number {
  const key = foldedText(wanted);
  const index = header.findIndex((one) => one !== '' && foldedText(one) === key);
  if (index >= 0) return index;
  const names = header.filter(Boolean);
  const meant = nearest(wanted, names);
  const hint = meant === undefined ? sentence`Give the header as it is in the file.` : sentence`Did you mean ${quote(meant)}?`;
  throw refusedFile(lacksColumn({ name, header }, quote(wanted)), hint);
}

/** A file of another kind may have a secret where its columns should be. */
export function lacksColumn({ name, header }: Pick<Table, 'name' | 'header'>, which: string): Sentence {
  const names = header.filter(Boolean).map((each) => maskSecretPairs(each));
  return sentence`${name} has no column ${which}. Its columns: ${quoteAll(names)}.`;
}

export function refuseSecret(header: string): void {
  if (!isSecretHeader(header)) return;
  const what = sentence`The column ${quote(header)} holds secrets, which are never read.`;
  throw refusedFile(what, sentence`Ignore it instead: ${typedOption('--ignore-column', header)}`);
}

export const mapOption = (field: string, header: string) => typedOption('--map', `${field}=${header}`);

/** `"Status" (column 4)`. */
export function columnInWords({ header }: Table, index: number): string {
  const name = header[index] ?? '';
  return name === '' ? `column ${index + 1}, without a header` : `${quote(name)} (column ${index + 1})`;
}

function couldBoth(field: string, indexes: readonly number[], table: Table): CliError {
  const headers = indexes.map((index) => columnInWords(table, index)).join(' and ');
  const options = indexes.map((index) => mapOption(field, table.header[index] ?? ''));
  return refusedFile(sentence`${table.name}: ${headers} could both be ${field}.`, sentence`Choose one: ${options.join(' or ')}`);
}
