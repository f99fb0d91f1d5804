/**
 * A list of accommodations as a table: CSV, Excel, JSON, read as rosters are. Its columns go by the format's own names
 * and by words of several languages; one that looks like a misspelt one is refused, because leaving it out would change
 * what students get.
 */
import { CliError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { headerKey } from '../../roster/header-key.ts';
import { fieldOf } from '../../roster/map/aliases.ts';
import { quote, quoteAll } from '../../roster/read/quote.ts';
import { placeOf, type Table, type TableRow } from '../../roster/read/table.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Cell, type FileProblems, type RowKey, rowKeys, type WrittenRow } from './rows.ts';

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

type Columns = { indexes: ReadonlyMap<RowKey, number>; unused: readonly string[] };

/** Throws `invalid_input` for a table that cannot be a list of accommodations. */
export function columnsOf(table: Table): Columns {
  const indexes = new Map<RowKey, number>();
  const others: { header: string; index: number }[] = [];
  for (const [index, header] of table.header.entries()) {
    if (header === '') continue;
    const key = keyOf(header);
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
  return { indexes, unused: others.map(({ header }) => header) };
}

/** The rows of a table. Problems are added to `problems`. */
export async function tableRows(table: Table, { indexes }: Columns, problems: FileProblems): Promise<WrittenRow[]> {
  const rows: WrittenRow[] = [];
  for await (const portion of table.rows()) {
    for (const row of portion) {
      const at = placeOf(table, row);
      if (row.ragged) problems.add(`${at}, column ${row.ragged.column}`, sentence`${row.ragged.reason}.`);
      else rows.push(rowOf(row, at, indexes));
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
