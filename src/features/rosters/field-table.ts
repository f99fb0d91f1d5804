/**
 * A table whose columns are the fields of a command: by what the user maps, else by the exact aliases of the command. Each other column
 * is declared, or unable to decide; where two columns could be meant, neither is guessed.
 */
import { CliError } from '../../errors.ts';
import { survey } from '../../roster/map/column-survey.ts';
import { type Declaration, foldedText } from '../../roster/map/declaration.ts';
import { openColumns } from '../../roster/map/declared-columns.ts';
import { columnNamed, mapOption, refuseSecret } from '../../roster/map/field-columns.ts';
import type { MapOptions, Mapping } from '../../roster/map/index.ts';
import { reasonAgainst, refuseUnnamed, selectionRules } from '../../roster/map/selection.ts';
import { undeclaredColumns } from '../../roster/map/undeclared.ts';
import { quote } from '../../roster/read/quote.ts';
import type { Table } from '../../roster/read/source-table.ts';
import { sentence } from '../../text/sentence.ts';

export type FieldNames<Key extends string> = {
  /** What messages call such a table: "a list of accommodations". */
  what: string;
  /** Its fields, for messages. */
  fields: readonly string[];
  /** The field that a header names by itself. */
  named(header: string): Key | undefined;
  /** The field that --map means; undefined where such a table has none of this name. */
  mapped(field: string): Key | undefined;
  /** Columns that are no field and need no declaration. */
  passedOver?(header: string): boolean;
  /** Throws for a table without the columns that it needs. `others`: what is no field. */
  check(table: Table, indexes: ReadonlyMap<Key, number>, others: readonly number[]): void;
};

export type FieldTable<Key extends string> = Pick<Mapping, 'leftOut' | 'ignored'> & {
  indexes: ReadonlyMap<Key, number>;
};

type Declaring = Pick<MapOptions, 'askColumns'> & { declaration: Declaration };

/** Throws `invalid_input` for a table with an undeclared column, or one that cannot be what the command reads. */
export async function fieldTable<Key extends string>(
  table: Table,
  names: FieldNames<Key>,
  { declaration, askColumns }: Declaring,
): Promise<FieldTable<Key>> {
  const indexes = fieldColumns(table, names, declaration);
  const rules = selectionRules(table, undefined, declaration);
  const used = [...indexes.values()];
  const rest = [...table.header.keys()].filter((index) => !used.includes(index));
  const read = [...used, ...rest.filter((index) => names.passedOver?.(table.header[index] ?? '') ?? false)];
  const surveyed = await survey(table, rules, { indexes: rest, read }, { addressIn: (cell) => cell, mayBeAlone: true });
  refuseUnnamed(table, rules, undefined);
  const columns = openColumns(surveyed, { table, declaration, format: undefined, rules, read });
  if (columns.length > 0) {
    const question = { columns, kept: surveyed.kept };
    const answer = await askColumns?.(question);
    if (!answer) throw undeclaredColumns(table, question);
    const { only, ignored } = declaration;
    const answered = { ...declaration, only: { ...only, ...answer.only }, ignored: [...ignored, ...answer.ignored] };
    return fieldTable(table, names, { declaration: answered });
  }
  const decisive = new Set([...used, ...rules.map(({ index }) => index)]);
  return {
    indexes,
    leftOut: (cells) => reasonAgainst(rules, cells),
    ignored: table.header.filter((header, index) => header !== '' && !decisive.has(index)),
  };
}

/** The columns of the fields: mapped columns, and other columns with a known header. */
function fieldColumns<Key extends string>(table: Table, names: FieldNames<Key>, { map, ignored }: Declaration): ReadonlyMap<Key, number> {
  const indexes = new Map<Key, number>();
  for (const [field, headers] of Object.entries(map)) {
    const key = names.mapped(field);
    const [header = ''] = headers;
    if (key === undefined || headers.length > 1) {
      throw new CliError(
        'usage',
        sentence`--map: ${names.what} has no ${key === undefined ? 'field' : 'second column for'} ${quote(field)}.`,
        {
          hint: sentence`Its fields, each with one column: ${names.fields.join(', ')}.`,
        },
      );
    }
    const index = columnNamed(header, table, (meant) => mapOption(field, meant));
    refuseSecret(header);
    indexes.set(key, index);
  }
  const given = new Set(indexes.keys());
  const closed = new Set(indexes.values());
  const passedOver = new Set(ignored.map(foldedText));
  const others: number[] = [];
  for (const [index, header] of table.header.entries()) {
    if (header === '' || closed.has(index)) continue;
    const key = passedOver.has(foldedText(header)) ? undefined : names.named(header);
    if (key !== undefined && given.has(key)) continue;
    const before = key && indexes.get(key);
    if (before !== undefined) {
      throw new CliError(
        'invalid_input',
        sentence`${table.name}: ${quote(table.header[before] ?? '')} (column ${before + 1}) and ${quote(header)} (column ${index + 1}) could both be ${key}.`,
        { hint: 'Rename or remove one of the two columns.' },
      );
    }
    if (key !== undefined) indexes.set(key, index);
    else if (!passedOver.has(foldedText(header))) others.push(index);
  }
  names.check(table, indexes, others);
  return indexes;
}
