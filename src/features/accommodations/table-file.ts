/**
 * A list of accommodations as a table: CSV, Excel, JSON, read as rosters are. Its columns go by the format's own names
 * and by words of several languages; one that looks like a misspelt one is refused, because leaving it out would change
 * what students get.
 */
import { CliError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { headerKey } from '../../roster/header-key.ts';
import { fieldOf } from '../../roster/map/aliases.ts';
import { isNameField } from '../../roster/map/field-columns.ts';
import { quote, quoteAll } from '../../roster/read/quote.ts';
import { placeOf, type Table, type TableRow } from '../../roster/read/source-table.ts';
import { sentence } from '../../text/sentence.ts';
import type { FieldNames, FieldTable } from '../rosters/field-table.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import { type Cell, examsInText, type RowKey, rowKeys, type WrittenRow } from './accommodation-rows.ts';

const words: { readonly [key in Exclude<RowKey, 'email'>]: string } = {
  extra: `extra; extra share; extra time; additional time; time extension; extra time allowance; Zeitverlängerung; Zeitzugabe; Zeitzuschlag; Zusatzzeit;
    Nachteilsausgleich; Verlängerung; temps majoré; majoration de temps; temps supplémentaire; tiers temps; tiempo adicional; tiempo extra;
    tempo aggiuntivo; tempo adicional; tempo extra; extra tijd; verlengde tijd; dodatkowy czas; czas dodatkowy`,
  plus: 'plus; fixed time; extra minutes; additional minutes; Zusatzminuten; minutensupplementaires; minutos adicionales; minuti aggiuntivi',
  exams: `exams; exam; exam name; exam names; Prüfung; Prüfungen; Klausur; Klausuren; examen; examens; épreuve; épreuves; exámenes; esame; esami; exame;
    exames; tentamen; tentamens; egzamin; egzaminy`,
  until: `until; valid until; last day; gültig bis; bis; jusqu'au; valable jusqu'au; hasta; válido hasta; fino al; valido fino al; até; válido até;
    geldig tot; tot; ważny do`,
  reference: `reference; ref; file number; case no; case number; Aktenzeichen; Geschäftszahl; Referenz; dossier; numéro de dossier; referencia; expediente;
    riferimento; pratica; referentie; dossiernummer; sygnatura`,
  skip_requirements: 'skip requirements',
};

const keys = new Map<string, RowKey>(
  Object.entries(words).flatMap(([key, text]) => text.split(';').map((word) => [headerKey(word), key as RowKey] as const)),
);

/** Headers by which the header of such a table is found. */
export const accommodationHeaders: readonly string[] = [...rowKeys, ...keys.keys()];

function keyOf(header: string): RowKey | undefined {
  if (fieldOf(header) === 'email') return 'email';
  return keys.get(headerKey(header));
}

export type ListColumns = FieldTable<RowKey>;

export const listNames: FieldNames<RowKey> = {
  what: 'a list of accommodations',
  fields: rowKeys,
  named: keyOf,
  mapped: (field) => rowKeys.find((one) => one === field),
  passedOver: (header) => isNameField(fieldOf(header)),
  check(table, indexes, others) {
    const missing = rowKeys.filter((key) => !indexes.has(key));
    for (const index of others) {
      const header = table.header[index] ?? '';
      const meant = nearest(headerKey(header), missing);
      if (meant !== undefined) {
        throw new CliError('invalid_input', sentence`${table.name}, column ${index + 1}: unknown header ${quote(header)}.`, {
          hint: sentence`Did you mean ${meant}? Known headers: ${rowKeys.join(', ')}.`,
        });
      }
    }
    const lacks = indexes.has('email')
      ? ['extra', 'plus', 'skip_requirements'].some((key) => indexes.has(key as RowKey))
        ? undefined
        : 'extra or plus'
      : 'email';
    if (lacks === undefined) return;
    throw new CliError(
      'invalid_input',
      sentence`${table.name} has no column ${lacks}. Its columns: ${quoteAll(table.header.filter(Boolean))}.`,
      { hint: sentence`Known headers: ${rowKeys.join(', ')}.` },
    );
  },
};

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
  return { at, cells: others, exams: exams ? examsInText(exams.text).map((text) => ({ text, at: exams.at })) : [] };
}
