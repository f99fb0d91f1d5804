/**
 * Which column is which field. A layout says so, and which lines are used: a known export is one, and so are the options of a command and
 * the answers on a terminal; they are merged in this order. What a layout maps comes first, then the exact aliases. Where two columns could
 * be meant, neither is guessed.
 */
import { CliError } from '../errors.ts';
import { quoteAll } from '../model/count.ts';
import { nearest } from '../model/nearest.ts';
import { isSecretHeader } from '../model/secrets.ts';
import { typedOption } from '../model/shell-quote.ts';
import { quote } from '../text/characters.ts';
import { foldedText } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { refused, type Table } from './table.ts';

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
  names: readonly Field[];
  named(header: string): Field | undefined;
  /** The field that --map means by another name than those above. May throw `usage`. */
  mapped?(field: string): Field | undefined;
  /** A line of which this is not true stops the file: a heading, a footer, a second table. `called`: "address". */
  identity?: { called: string; isIn(texts: Texts<Field>): boolean };
  /** Changes what columns are by their headers, where these depend on each other and on those that are mapped. */
  settle?(found: Map<Field, number[]>, header: readonly string[], mapped: Columns<Field>): void;
  /** The texts of a line as they are meant: a name made of its parts. */
  meant?(texts: Texts<Field>): Texts<Field>;
  /** Throws `invalid_input` for a table without the columns that it needs; what people are told of the others. */
  judge?(table: Table, columns: Columns<Field>): readonly Sentence[];
};

/** Throws `usage` for a field that such a table does not have, `invalid_input` for a column that it lacks. */
export function columnsOf<Field extends string>(table: Table, { map, columns }: Layout, fields: Fields<Field>): Columns<Field> {
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
    const field = closed.has(index) || ignored.has(foldedText(header)) ? undefined : fields.named(header);
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

/** The index of the column that a person names. Throws `invalid_input` where there is none. */
export function columnNamed({ name, header }: Table, wanted: string): number {
  const index = header.findIndex((one) => one !== '' && foldedText(one) === foldedText(wanted));
  if (index >= 0) return index;
  const names = header.filter(Boolean);
  const meant = nearest(wanted, names);
  const hint = meant === undefined ? sentence`Give the header as it is in the file.` : sentence`Did you mean ${quote(meant)}?`;
  throw refused(sentence`${name} has no column ${quote(wanted)}. Its columns: ${quoteAll(names)}.`, hint);
}

/** Cells of a column that holds secrets are never read, compared or shown. */
export function refuseSecret(header: string): void {
  if (!isSecretHeader(header)) return;
  const hint = sentence`Ignore it instead: ${typedOption('--ignore-column', header)}`;
  throw refused(sentence`The column ${quote(header)} holds secrets, which are never sent, shown or stored.`, hint);
}

export const mapOption = (field: string, header: string) => typedOption('--map', `${field}=${header}`);

/** `"Status" (column 4)`. */
export function columnInWords({ header }: Pick<Table, 'header'>, index: number): string {
  const name = header[index] ?? '';
  return name === '' ? `column ${index + 1}, without a header` : `${quote(name)} (column ${index + 1})`;
}

function couldBoth(field: string, indexes: readonly number[], table: Table): CliError {
  const headers = indexes.map((index) => columnInWords(table, index)).join(' and ');
  const options = indexes.map((index) => mapOption(field, table.header[index] ?? ''));
  return refused(sentence`${table.name}: ${headers} could both be ${field}.`, sentence`Choose one: ${options.join(' or ')}`);
}
