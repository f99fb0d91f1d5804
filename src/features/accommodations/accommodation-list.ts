/**
 * Reads a list of accommodations, a table: CSV, Excel, JSON, read as rosters are. Its columns go by the format's own names and by words of
 * several languages; one that looks like a misspelt one is refused, because leaving it out would change what students get. Every problem
 * is kept with its place; a list with problems is not used at all.
 */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import { isNoExtraTime, noExtraTime, parseExtraTime } from '../../model/extra-time.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { nearest } from '../../model/nearest.ts';
import { parseDay } from '../../model/time.ts';
import { headerKey } from '../../roster/header-key.ts';
import { addressFault } from '../../roster/map/address.ts';
import { fieldOf } from '../../roster/map/aliases.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import { isNameField } from '../../roster/map/field-columns.ts';
import { openRoster } from '../../roster/read/index.ts';
import { quote, quoteAll } from '../../roster/read/quote.ts';
import type { RosterSource } from '../../roster/read/source-file.ts';
import { placeOf, type Table } from '../../roster/read/source-table.ts';
import { folded } from '../../text/fold.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { columnQuestions } from '../rosters/column-questions.ts';
import { type FieldNames, type FieldTable, fieldTable } from '../rosters/field-table.ts';
import { FileProblems } from '../rosters/file-problems.ts';
import { readingOf } from '../rosters/table-reading.ts';
import { type Accommodation, type AccommodationList, keepOne } from './accommodation.ts';

/** `file`: path of the list; - for stdin. `reading`: what is declared of it. */
export type ListRequest = { file: string; reading: TableReading };

const listKeys = ['email', 'extra', 'exams', 'until', 'reference'] as const;
type ListKey = (typeof listKeys)[number];

const words: { readonly [key in Exclude<ListKey, 'email'>]: string } = {
  extra: `extra; extra share; extra time; additional time; time extension; extra time allowance; Zeitverlängerung; Zeitzugabe; Zeitzuschlag; Zusatzzeit;
    Nachteilsausgleich; Verlängerung; temps majoré; majoration de temps; temps supplémentaire; tiers temps; tiempo adicional; tiempo extra;
    tempo aggiuntivo; tempo adicional; tempo extra; extra tijd; verlengde tijd; dodatkowy czas; czas dodatkowy; extra minutes; additional minutes;
    Zusatzminuten; minutes supplémentaires; minutos adicionales; minuti aggiuntivi`,
  exams: `exams; exam; exam name; exam names; Prüfung; Prüfungen; Klausur; Klausuren; examen; examens; épreuve; épreuves; exámenes; esame; esami; exame;
    exames; tentamen; tentamens; egzamin; egzaminy`,
  until: `until; valid until; last day; gültig bis; bis; jusqu'au; valable jusqu'au; hasta; válido hasta; fino al; valido fino al; até; válido até;
    geldig tot; tot; ważny do`,
  reference: `reference; ref; file number; case no; case number; Aktenzeichen; Geschäftszahl; Referenz; dossier; numéro de dossier; referencia; expediente;
    riferimento; pratica; referentie; dossiernummer; sygnatura`,
};

const headers = Object.entries(words).flatMap(([key, text]) => text.split(';').map((word) => [word.trim(), key as ListKey] as const));
const keys = new Map(headers.map(([word, key]) => [headerKey(word), key]));

const listNames: FieldNames<ListKey> = {
  what: 'a list of accommodations',
  fields: listKeys,
  named: (header) => (fieldOf(header) === 'email' ? 'email' : keys.get(headerKey(header))),
  mapped: (field) => listKeys.find((one) => one === field),
  passedOver: (header) => isNameField(fieldOf(header)),
  check(table, indexes, others) {
    const missing = listKeys.filter((key) => !indexes.has(key));
    for (const index of others) {
      const header = table.header[index] ?? '';
      const meant = nearest(headerKey(header), missing);
      if (meant !== undefined) {
        throw new CliError('invalid_input', sentence`${table.name}, column ${index + 1}: unknown header ${quote(header)}.`, {
          hint: sentence`Did you mean ${meant}? Known headers: ${listKeys.join(', ')}.`,
        });
      }
    }
    const lacks = missing.find((key) => key === 'email' || key === 'extra');
    if (lacks === undefined) return;
    throw new CliError(
      'invalid_input',
      sentence`${table.name} has no column ${lacks}. Its columns: ${quoteAll(table.header.filter(Boolean))}.`,
      { hint: sentence`Known headers: ${listKeys.join(', ')}.` },
    );
  },
};

/** Throws `invalid_input` for a list with any problem, all of them reported on stderr; and for calendar days without a time zone. */
export async function readAccommodations(context: Context, { file, reading }: ListRequest): Promise<AccommodationList> {
  const { host } = context;
  const source: RosterSource = file === '-' ? { stdin: host.stdin.bytes() } : { path: file, signal: host.interrupted };
  const table = await openRoster(source, { ...readingOf(context, reading), furtherHeaders: headers.map(([word]) => word) });
  try {
    const { askColumns } = columnQuestions(context, table.name);
    const columns = await fieldTable(table, listNames, { declaration: reading.declaration, askColumns });
    const problems = new FileProblems(table.name);
    const { students, without } = await studentsIn(table, columns, problems);
    problems.refuse(context);
    const dated = [...students.values()].flat().find(({ until }) => until !== undefined);
    if (dated && context.settings().timeZone === undefined) {
      throw new CliError('invalid_input', sentence`${table.name}, ${dated.place}: "until" is a calendar day, and no time zone is set.`, {
        hint: 'Set the zone: --timezone Europe/Vienna',
      });
    }
    for (const note of table.notes) context.say(sentence`${note}`);
    if (without > 0) context.say(sentence`${count(without, 'line')} of ${table.name} without extra time.`);
    if (columns.ignored.length > 0) context.say(sentence`Columns of ${table.name} not used: ${columns.ignored.join(', ')}.`);
    return { name: table.name, students };
  } finally {
    await table.close();
  }
}

/** The rows by student. Problems are added to `problems`; the rows are good only without any. `without`: how many lines have no extra time. */
async function studentsIn(
  table: Table,
  { indexes, leftOut }: FieldTable<ListKey>,
  problems: FileProblems,
): Promise<{ students: Map<string, Accommodation[]>; without: number }> {
  const students = new Map<string, Accommodation[]>();
  let without = 0;
  for await (const portion of table.rows()) {
    for (const row of portion) {
      const place = placeOf(table, row);
      if (row.ragged) problems.add(`${place}, column ${row.ragged.column}`, sentence`${row.ragged.reason}.`);
      if (row.ragged || leftOut(row.cells) !== undefined) continue;
      // A roster is a list too: most of its students have none.
      if ((row.cells[indexes.get('extra') ?? -1]?.trim() ?? '') === '') {
        without += 1;
        continue;
      }
      const accommodation = accommodationOf(row.cells, place, { indexes, problems });
      if (accommodation) addTo(students, accommodation, problems);
    }
  }
  return { students, without };
}

function addTo(students: Map<string, Accommodation[]>, accommodation: Accommodation, problems: FileProblems): void {
  const { key, email, place } = accommodation;
  const others = students.get(key) ?? [];
  const twin = others.find((other) => sameScope(other, accommodation));
  if (twin) {
    const spelling = twin.email === email ? '' : ` as ${twin.email}`;
    problems.add(place, sentence`${email} is already listed for the same exams in ${twin.place}${spelling}.`, sentence`${keepOne}`);
  }
  students.set(key, [...others, accommodation]);
}

/** Whether two rows of a student name an exam by the same words, or both name none. */
function sameScope({ exams }: Accommodation, other: Accommodation): boolean {
  if (exams.length === 0 || other.exams.length === 0) return exams.length === other.exams.length;
  const names = new Set(exams.map(folded));
  return other.exams.some((exam) => names.has(folded(exam)));
}

type Reading = { indexes: ReadonlyMap<ListKey, number>; problems: FileProblems };

function accommodationOf(cells: readonly string[], place: string, { indexes, problems }: Reading): Accommodation | undefined {
  let good = true;
  const textOf = (key: ListKey) => cells[indexes.get(key) ?? -1]?.trim() || undefined;
  const problem = (key: ListKey, what: Sentence, hint?: Sentence) => {
    good = false;
    problems.add(textOf(key) === undefined ? place : `${place}, column ${(indexes.get(key) ?? 0) + 1} (${key})`, what, hint);
  };
  const read = <T>(key: ListKey, parse: (text: string) => T): T | undefined => {
    const text = textOf(key);
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      problem(key, error.message, error.hint);
      return undefined;
    }
  };
  const email = textOf('email') ?? '';
  const fault = email === '' ? undefined : addressFault(email);
  if (email === '') problem('email', sentence`The e-mail address is missing.`);
  else if (fault) problem('email', sentence`${JSON.stringify(email)} is not an e-mail address: ${fault.reason}.`);
  const exams = (textOf('exams') ?? '').split(/[;|]/).flatMap((exam) => exam.trim() || []);
  // A row for some exams may grant nothing: it takes the place of a row for all exams.
  const extra = read('extra', (text) => (exams.length > 0 && isNoExtraTime(text) ? noExtraTime : parseExtraTime(text)));
  const until = read('until', parseDay);
  if (!good || !extra) return undefined;
  return { email, key: addressKey(email), extra, exams, until, reference: textOf('reference'), place };
}
