/** A list of extra time: who has how much, in which exams, until when. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExtraTime, parseExtraTime, unitOf } from '../../model/extra-time.ts';
import { addressKey } from '../../model/listing.ts';
import { dayOf } from '../../model/time.ts';
import { parseDay, toSetZone } from '../../model/typed-time.ts';
import { fieldsBy, headerKey, rosterFieldOf } from '../../roster/aliases.ts';
import { lacksColumn, mapOption, type TableFields } from '../../roster/columns.ts';
import { validAddress } from '../../roster/roster-fields.ts';
import { matchesGlob } from '../../text/fold.ts';
import { sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { type ReadTable, readTable, refuseProblems, type TableReading } from '../table-input/read-table.ts';

const listFields = ['email', 'extra', 'exams', 'until', 'reference'] as const;
type ListField = (typeof listFields)[number];

const inMinutes = 'Zusatzminuten; minutes supplémentaires; minutos adicionales; minuti aggiuntivi';
const listHeaders: { readonly [key in Exclude<ListField, 'email'>]: string } = {
  extra: `extra; additional; extra share; extra time; additional time; time extension; extra time allowance;
    Zeitverlängerung; Zeitzugabe; Zeitzuschlag; Zusatzzeit; Nachteilsausgleich; Verlängerung;
    temps majoré; majoration de temps; temps supplémentaire; tiers temps; tiempo adicional; tiempo extra;
    tempo aggiuntivo; tempo adicional; tempo extra; extra tijd; verlengde tijd; dodatkowy czas; czas dodatkowy;
    ${inMinutes}`,
  exams: `exams; exam; exam name; exam names; Prüfung; Prüfungen; Klausur; Klausuren; examen; examens; épreuve;
    épreuves; exámenes; esame; esami; exame; exames; tentamen; tentamens; egzamin; egzaminy`,
  until: `until; valid until; last day; gültig bis; bis; jusqu'au; valable jusqu'au; hasta; válido hasta; fino al;
    valido fino al; até; válido até; geldig tot; tot; ważny do`,
  reference: `reference; ref; file number; case no; case number; Aktenzeichen; Aktenzahl; Geschäftszahl; Referenz;
    dossier; numéro de dossier; referencia; expediente; riferimento; pratica; referentie; dossiernummer; sygnatura`,
};
const fieldNamed = fieldsBy(listHeaders);
const minuteHeaders = new Set(inMinutes.split(';').map(headerKey));

/** A unit may stand beside the words: `Zeitverlängerung (%)`, `extra minutes`. */
function listFieldOf(header: string): ListField | undefined {
  if (rosterFieldOf(header) === 'email') return 'email';
  const beside = fieldNamed(unitOf(header)?.rest ?? '');
  return fieldNamed(header) ?? (beside === 'extra' ? beside : undefined);
}

export type Grant = {
  email: string;
  extra: ExtraTime;
  /** IDs, names or patterns for names; none: all exams. */
  exams: readonly string[];
  /** The last day on which it holds, in the current zone. */
  until: string | undefined;
  reference: string | undefined;
  /** Where it stands in the file: "line 4". */
  place: string;
};

/** `students`: by the key of the address. `words`: by each word for exams. */
export type GrantList = Pick<ReadTable<ListField>, 'keepAnswers'> & {
  name: string;
  students: ReadonlyMap<string, readonly Grant[]>;
  words: ReadonlyMap<string, Grant>;
};

const fields: TableFields<ListField> = {
  what: 'a list of extra time',
  rows: 'students',
  names: listFields,
  named: listFieldOf,
  judge({ name, header }, columns) {
    const lacks = (['email', 'extra'] as const).find((key) => !columns.has(key));
    if (lacks === undefined) return [];
    throw new CliError('invalid_input', lacksColumn({ name, header }, lacks), { hint: sentence`Name it: ${mapOption(lacks, 'HEADER')}` });
  },
};

/** Throws `invalid_input` for a list with any problem, and reports all of them. */
export async function readGrants(context: Context, file: string, reading: TableReading): Promise<GrantList> {
  const read = await readTable(context, file, reading, fields);
  const { table, lines, headerOf, keepAnswers } = read;
  const students = new Map<string, Grant[]>();
  const header = headerOf('extra') ?? '';
  const unit = minuteHeaders.has(headerKey(header)) ? 'm' : unitOf(header)?.unit;
  for (const { place, texts, problem, read: cell } of lines) {
    // A roster is a list, too: most of its students have no extra time.
    if (texts.extra === undefined) continue;
    if (texts.email === undefined) problem('email', sentence`"" is not an e-mail address: it is empty.`);
    const email = cell('email', validAddress);
    const extra = cell('extra', (text) => parseExtraTime(text, unit));
    const until = cell('until', (text) => parseDay(text, reading.dates));
    if (until !== undefined && context.settings().timeZone === undefined)
      problem('until', sentence`it is a calendar day, and no time zone is set.`, toSetZone);
    if (email === undefined || extra === undefined) continue;
    const exams = (texts.exams ?? '').split(/[;|\r\n]/).flatMap((exam) => exam.trim() || []);
    const key = addressKey(email);
    const grant = {
      email,
      extra,
      exams,
      until,
      reference: texts.reference,
      place,
    };
    students.set(key, [...(students.get(key) ?? []), grant]);
  }
  refuseProblems(context, read);
  const grants = [...students.values()].flat();
  const words = new Map(grants.flatMap((grant) => grant.exams.map((word) => [word, grant])));
  return { name: table.name, students, words, keepAnswers };
}

export function means(word: string, { id, name = '' }: Pick<SelectedExam, 'id' | 'name'>): boolean {
  return word === id || matchesGlob(word, name);
}

/** What a student is granted in an exam, by the key of the address. Throws `invalid_input` for two alike. */
export function grantsFor(list: GrantList, exam: SelectedExam, zone: string) {
  const at = exam.start ?? exam.end;
  const day = at === undefined ? '' : dayOf(at, zone);
  const named = new Set([...list.words.keys()].filter((word) => means(word, exam)));
  return (key: string): Grant | undefined => {
    const holding = (list.students.get(key) ?? []).filter(({ until = day }) => day <= until);
    const naming = holding.filter(({ exams }) => exams.some((word) => named.has(word)));
    const [first, ...others] = naming.length > 0 ? naming : holding.filter(({ exams }) => exams.length === 0);
    if (!first || others.length === 0) return first;
    const places = [first, ...others].map(({ place }) => place).join(' and ');
    const what = sentence`${list.name}: ${first.email} has ${others.length + 1} lines for exam ${exam.id}: ${places}.`;
    const hint = 'Keep one of them: of two lines, one that names exams wins over one for all exams.';
    throw new CliError('invalid_input', what, { hint });
  };
}
