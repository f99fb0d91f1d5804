/**
 * A list of accommodations as a table: CSV, Excel, JSON, read as rosters are. Its columns go by the format's own names
 * and by words of several languages; one that looks like a misspelt one is refused, because leaving it out would change
 * what students get.
 */
import { CliError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { headerKey } from '../../roster/header-key.ts';
import { fieldOf } from '../../roster/map/aliases.ts';
import { survey } from '../../roster/map/column-survey.ts';
import { type Declaration, refuseOtherLayout } from '../../roster/map/declaration.ts';
import { layoutOf, openColumns } from '../../roster/map/declared-columns.ts';
import { columnNamed, isNameField, mapOption, refuseSecret } from '../../roster/map/field-columns.ts';
import type { MapOptions, Mapping } from '../../roster/map/index.ts';
import { reasonAgainst, refuseUnnamed, selectionRules } from '../../roster/map/selection.ts';
import { undeclaredColumns } from '../../roster/map/undeclared.ts';
import { quote, quoteAll } from '../../roster/read/quote.ts';
import { placeOf, type Table, type TableRow } from '../../roster/read/source-table.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Cell, type FileProblems, type RowKey, rowKeys, type WrittenRow } from './accommodation-rows.ts';

const words: { readonly [key in Exclude<RowKey, 'email'>]: string } = {
  extra: 'extra extrashare',
  plus: 'plus fixedtime extraminutes additionalminutes zusatzminuten minutensupplementaires minutosadicionales minutiaggiuntivi',
  exams: `exams exam examname examnames prufung prufungen klausur klausuren examen examens epreuve epreuves examenes esame esami exame exames tentamen
    tentamens egzamin egzaminy`,
  until:
    'until validuntil lastday gultigbis bis jusquau valablejusquau hasta validohasta finoal validofinoal ate validoate geldigtot tot waznydo',
  reference: `reference ref filenumber caseno casenumber aktenzeichen geschaftszahl referenz dossier numerodedossier referencia expediente riferimento
    pratica referentie dossiernummer sygnatura`,
  skip_requirements: 'skiprequirements',
};

const keys = new Map<string, RowKey>(
  Object.entries(words).flatMap(([key, text]) => text.split(/\s+/).map((word) => [word, key as RowKey] as const)),
);

/** Headers by which the header of such a table is found. */
export const accommodationHeaders: readonly string[] = [...rowKeys, ...keys.keys()];

function keyOf(header: string): RowKey | undefined {
  if (fieldOf(header) === 'email') return 'email';
  if (fieldOf(header) === 'extra_time') return 'extra';
  return keys.get(headerKey(header));
}

export type ListColumns = Pick<Mapping, 'leftOut' | 'layout' | 'wasAsked' | 'ignored'> & { indexes: ReadonlyMap<RowKey, number> };

type ListOptions = Pick<MapOptions, 'askColumns'> & {
  declaration: Declaration;
  /** How columns are declared, where the command has no options for this list. */
  elsewhere?: Sentence | undefined;
};

/** Throws `invalid_input` for a table that cannot be a list of accommodations, or has an undeclared column. */
export async function listColumns(table: Table, { declaration, askColumns, elsewhere }: ListOptions): Promise<ListColumns> {
  refuseOtherLayout(table, declaration);
  const indexes = columnsOf(table, declaration);
  const rules = selectionRules(table, undefined, declaration);
  const used = [...indexes.values()];
  const rest = [...table.header.keys()].filter((index) => !used.includes(index));
  const read = [...used, ...rest.filter((index) => isNameField(fieldOf(table.header[index] ?? '')))];
  const surveyed = await survey(
    table,
    rules,
    { indexes: rest, read },
    { leftOut: () => false, addressIn: (cell) => cell, mayBeAlone: true },
  );
  refuseUnnamed(table, rules, undefined, declaration);
  const declared = { table, declaration, format: undefined, rules, read };
  const columns = openColumns(surveyed, declared);
  if (columns.length > 0) {
    const question = { columns, kept: surveyed.kept };
    const answer = await askColumns?.(question);
    if (!answer) throw undeclaredColumns(table, question, { declaration, elsewhere });
    const { only, ignored } = declaration;
    const answered = { ...declaration, only: { ...only, ...answer.only }, ignored: [...ignored, ...answer.ignored] };
    return { ...(await listColumns(table, { declaration: answered })), wasAsked: true };
  }
  const decisive = new Set([...used, ...rules.map(({ index }) => index)]);
  return {
    indexes,
    leftOut: (cells) => reasonAgainst(rules, cells),
    ignored: table.header.filter((header, index) => header !== '' && !decisive.has(index)),
    layout: () =>
      layoutOf(
        declared,
        surveyed,
        [...indexes].map(([field, index]) => ({ field, header: table.header[index] ?? '' })),
      ),
    wasAsked: false,
  };
}

/** The columns of the list's fields: mapped columns, and other columns with a known header. */
function columnsOf(table: Table, { map, layout }: Declaration): ReadonlyMap<RowKey, number> {
  const indexes = new Map<RowKey, number>();
  const others: { header: string; index: number }[] = [];
  for (const [field, headers] of Object.entries(map)) {
    const key = rowKeys.find((one) => one === field);
    const [header = ''] = headers;
    if (key === undefined || headers.length > 1) {
      throw new CliError(
        'usage',
        sentence`--map: a list of accommodations has no ${key === undefined ? 'field' : 'second column for'} ${quote(field)}.`,
        {
          hint: sentence`Its fields, each with one column: ${rowKeys.join(', ')}.`,
        },
      );
    }
    const index = columnNamed(header, table, (meant) => mapOption(field, meant));
    refuseSecret(header);
    indexes.set(key, index);
  }
  const mapped = new Set(indexes.values());
  for (const [index, header] of table.header.entries()) {
    if (header === '' || layout || mapped.has(index)) continue;
    const key = keyOf(header);
    if (key !== undefined && Object.hasOwn(map, key)) continue;
    const before = key && indexes.get(key);
    if (before !== undefined) {
      throw new CliError(
        'invalid_input',
        sentence`${table.name}: ${quote(table.header[before] ?? '')} (column ${before + 1}) and ${quote(header)} (column ${index + 1}) could both be ${key}.`,
        { hint: 'Rename or remove one of the two columns.' },
      );
    }
    if (key) indexes.set(key, index);
    else others.push({ header, index });
  }
  const missing = rowKeys.filter((key) => !indexes.has(key));
  for (const { header, index } of others) {
    const meant = nearest(headerKey(header), missing);
    if (meant !== undefined) {
      throw new CliError('invalid_input', sentence`${table.name}, column ${index + 1}: unknown header ${quote(header)}.`, {
        hint: sentence`Did you mean ${meant}? Known headers: ${rowKeys.join(', ')}.`,
      });
    }
  }
  const lacks: Sentence | undefined = indexes.has('email')
    ? indexes.has('extra') || indexes.has('plus') || indexes.has('skip_requirements')
      ? undefined
      : sentence`extra or plus`
    : sentence`email`;
  if (lacks !== undefined) {
    throw new CliError(
      'invalid_input',
      sentence`${table.name} has no column ${lacks}. Its columns: ${quoteAll(table.header.filter(Boolean))}.`,
      {
        hint: sentence`Known headers: ${rowKeys.join(', ')}.`,
      },
    );
  }
  return indexes;
}

/** The rows of a table that are not left out. Problems are added to `problems`. */
export async function tableRows(table: Table, { indexes, leftOut }: ListColumns, problems: FileProblems): Promise<WrittenRow[]> {
  const rows: WrittenRow[] = [];
  for await (const portion of table.rows()) {
    for (const row of portion) {
      const at = placeOf(table, row);
      if (row.ragged) problems.add(`${at}, column ${row.ragged.column}`, sentence`${row.ragged.reason}.`);
      else if (leftOut(row.cells) === undefined) rows.push(rowOf(row, at, indexes));
    }
  }
  return rows;
}

function rowOf({ cells }: TableRow, at: string, indexes: ReadonlyMap<RowKey, number>): WrittenRow {
  const given: { [key: string]: Cell } = {};
  for (const [key, index] of indexes) {
    const text = cells[index]?.trim() ?? '';
    if (text !== '') given[key] = { text, at: `${at}, column ${index + 1} (${key})` };
  }
  const { exams, ...others } = given;
  const names = exams?.text.split(/[;|]/).map((text) => text.trim()) ?? [];
  return { at, cells: others, exams: names.filter((text) => text !== '').map((text) => ({ text, at: exams?.at ?? at })) };
}
