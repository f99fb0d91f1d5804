/** `preflight`: reads the selected exams and those at the same time, has each check judge each of them, and changes nothing. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { profileOption } from '../../config/named-profiles.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey, maskIn } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import { idAs, idOf } from '../../model/id.ts';
import { type JsonObject, textOfJson } from '../../model/json.ts';
import { overlapsIn, studentWindow } from '../../model/overlaps.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { instantOf } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, listedExams, type SelectedExam, selectExams } from '../exam-selection.ts';
import { viewExam } from '../exam-view/exam-view.ts';
import { type Attendance, checks, findingOf, type MinProctors, type Proctor, type Student, type Subject, states } from './checks.ts';

/** `strict`: warnings count as failures. */
type PreflightRequest = { selection: ExamSelection; minProctors: MinProctors; strict: boolean };

type ExamRead = Pick<Subject, 'exam' | 'students' | 'proctors' | 'unknown'>;

export async function preflight(context: Context, { selection, minProctors, strict }: PreflightRequest): Promise<Result> {
  const client = await context.client();
  const all = await listedExams(client);
  const selected = await selectExams(context, selection, { exams: all });
  const isSelected = (exam: SelectedExam) => selected.some(({ id }) => id === exam.id);
  const beside = all.filter((exam) => !isSelected(exam) && selected.some((other) => isBeside(exam, other)));
  const exams = await client.pacer.map([...selected, ...beside], (exam) => readExam(context, client, exam));
  const overlaps = overlapsIn(exams.flatMap(attendancesOf));
  const { profile } = context.settings();
  const rows = exams.slice(0, selected.length).flatMap((own): PreflightRow[] => {
    const { exam, unknown } = own;
    const others = exams.filter((other) => other !== own && isBeside(exam, other.exam));
    const unread = others.find((other) => other.unknown.students ?? other.unknown.proctors);
    const subject: Subject = {
      ...own,
      unknown: { ...unknown, others: unread && `of exam ${unread.exam.id}, ${unread.unknown.students ?? unread.unknown.proctors}` },
      overlaps: overlaps.filter((pair) => [pair.own.exam, pair.other.exam].includes(exam.id)),
      compared: others.length,
      minProctors,
      now: context.host.now(),
      zone: context.zone(),
      command: (line, operands = [], ...options) => `proctor-cli ${typedCommand(line, operands, ...options, profileOption(profile))}`,
    };
    const id = idAs(exam.id, client.idType('exam'));
    return checks.map((check) => ({ exam: id, check: check.name, remedy: null, ...findingOf(check, subject) }));
  });
  return resultOf(rows, strict);
}

/** Extra time may let an exam last this much longer, at most twice its length. Milliseconds. */
const longestExtra = 12 * 3_600_000;

/** Whether two exams may last at the same time. */
function isBeside(one: SelectedExam, other: SelectedExam): boolean {
  const last = ({ start = NaN, end = NaN }: SelectedExam) => end + Math.min(Math.max(0, end - start), longestExtra);
  return (one.start ?? NaN) < last(other) && (other.start ?? NaN) < last(one);
}

/** Of one exam, or of a token that may read less than everything: the rest can be judged. */
const ofOnePart: ReadonlySet<CliError['code']> = new Set(['not_found', 'rejected', 'token_refused', 'unsupported']);

async function readOrWhy<T>(what: string, read: Promise<readonly T[]>): Promise<{ items: readonly T[]; why?: string }> {
  try {
    return { items: await read };
  } catch (error) {
    if (!(error instanceof CliError && ofOnePart.has(error.code))) throw error;
    return { items: [], why: `the ${what} cannot be read: ${error.message.replace(/\.$/, '')}` };
  }
}

async function readExam({ host }: Context, client: Client, exam: SelectedExam): Promise<ExamRead> {
  const view = viewExam(client, exam, { now: host.now, late: 0, unsure: 'refuse' });
  const [viewed, pool] = await Promise.all([
    readOrWhy(
      'students',
      view.then(({ students }) => students),
    ),
    readOrWhy('proctors', client.list(operations.listProctors, { params: { id: exam.id } })),
  ]);
  const students = viewed.items.map(({ session, status, open_time, close_time, shown }): Student => {
    const email = addressIn(shown);
    const own = { opens: instantOf(open_time), closes: instantOf(close_time) };
    return { session: session === null ? undefined : textOfJson(session), email, status, ...own };
  });
  const proctors = pool.items.map((shown): Proctor => {
    const id = idOf(shown);
    const name = shown.name ?? shown.email;
    return { id, name: name === undefined || name === null ? (id ?? '') : `${textOfJson(name)} (${id})` };
  });
  const times = unreadable([exam.shown], 'start_time', 'end_time');
  const shown = viewed.items.map((student) => student.shown);
  const hides = (field: string) => shown.length > 0 && shown.every((each) => (each[field] ?? null) === null);
  const unknown = {
    times,
    span: times ?? (exam.start === undefined || exam.end === undefined ? 'the exam has no start or no end' : undefined),
    students: viewed.why,
    addresses: hides('email') || shown.some(maskIn) ? 'the service shows no addresses' : undefined,
    statuses: hides('status') ? 'the service shows no status' : undefined,
    windows: unreadable(shown, 'open_time', 'close_time'),
    proctors: pool.why,
    proctorIds: proctors.some(({ id }) => id === undefined) ? 'the service shows no IDs that tell its proctors apart' : undefined,
  };
  return { exam, students, proctors, unknown };
}

/** Why times are not known; undefined where each is there, or shown as none. */
function unreadable(records: readonly JsonObject[], ...fields: readonly string[]): string | undefined {
  const problems = fields.flatMap((field) => {
    if (records.some((record) => !Object.hasOwn(record, field))) return `the service shows no ${field}`;
    const isRead = (record: JsonObject) => [null, ''].includes(record[field] as null) || instantOf(record[field]) !== undefined;
    return records.every(isRead) ? [] : `the ${field} that the service shows cannot be read`;
  });
  return problems[0];
}

/** Of a student the own window counts; a proctor stays until the last student has to finish. */
function attendancesOf({ exam, students, proctors, unknown }: ExamRead): Attendance[] {
  const { id, start: from, end } = exam;
  if (from === undefined || end === undefined) return [];
  const known = unknown.addresses === undefined ? students : [];
  const to = Math.max(end, ...students.map(({ closes = end }) => closes));
  return [
    ...known.flatMap(({ session, email: name, opens, closes }): Attendance[] => {
      const window = studentWindow({ start: from, end }, { opens, closes });
      return name === undefined || !window ? [] : [{ exam: id, role: 'student', person: addressKey(name), name, id: session, ...window }];
    }),
    ...proctors.flatMap(({ id: proctor, name }): Attendance[] => {
      return proctor === undefined ? [] : [{ exam: id, role: 'proctor', person: `proctor ${proctor}`, name, id: proctor, from, to }];
    }),
  ];
}

type PreflightRow = { exam: ReturnType<typeof idAs>; check: string; remedy: string | null } & Omit<ReturnType<typeof findingOf>, 'remedy'>;

const columns: readonly Column[] = [
  { key: 'exam' },
  { key: 'check' },
  { key: 'state', identifies: true },
  { key: 'detail' },
  { key: 'remedy', detail: true },
];

/** A row for each exam and check; of several exams a person reads what is not ok, and a row for the rest. */
function resultOf(rows: readonly PreflightRow[], strict: boolean): Result {
  const exams = [...Map.groupBy(rows, ({ exam }) => exam).values()];
  const isBad = ({ state }: PreflightRow) => state === 'failed' || (strict && state === 'warning');
  const unready = exams.filter((those) => those.some(isBad)).length;
  const found = states.map((state) => [rows.filter((row) => row.state === state).length, state] as const);
  const counts = found.flatMap(([number, state]) => (number === 0 ? [] : `${number} ${state}`)).join(', ');
  const message = sentence`Not ready: ${unready} of ${count(exams.length, 'exam')}. ${count(rows.length, 'check')}: ${counts}.`;
  const failure = new CliError('differences', message, {
    hint: 'Run the command of each failed check, then preflight again. Nothing was changed.',
  });
  const told = exams.flatMap((those): Row[] => {
    const notOk = those.filter(({ state }) => state !== 'ok');
    return notOk.length > 0 ? notOk : [{ exam: those[0]?.exam, check: 'all', state: 'ok', detail: count(those.length, 'check') }];
  });
  return {
    kind: 'list',
    rows,
    columns,
    id: 'exam',
    sheet: { rows: exams.length === 1 ? rows : told, columns },
    advice: [
      ...(unready === 0 ? [sentence`${count(exams.length, 'exam')}, ${count(rows.length, 'check')}: ${counts}.`] : []),
      ...remediesOf(rows),
    ],
    ...(unready === 0 ? {} : { failure }),
  };
}

/** The commands that correct what was found, each once, behind what it is for. */
function remediesOf(rows: readonly PreflightRow[]): Sentence[] {
  const all = Map.groupBy(rows, ({ remedy }) => remedy);
  all.delete(null);
  return [...all].map(
    ([remedy, those]) => sentence`${those.map(({ exam, check }) => `exam ${exam}, ${check}`).join('; ')}: ${remedy ?? ''}`,
  );
}
