/** `preflight`: reads the selected exams and those at the same time, has each check judge each of them, and changes nothing. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { profileOption } from '../../config/named-profiles.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import { idAndName } from '../../model/describe.ts';
import { idAs, idOf } from '../../model/id.ts';
import { type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { type Overlap, overlapsIn, type Sitting, studentWindow } from '../../model/overlaps.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { instantOf } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, listedExams, type SelectedExam, selectExams } from '../exam-selection.ts';
import { listedSessions } from '../listed-sessions.ts';
import { checks, findingOf, type MinProctors, type Proctor, type Student, type Subject, states } from './checks.ts';

/** `strict`: warnings count as failures. */
type PreflightRequest = { selection: ExamSelection; minProctors: MinProctors; strict: boolean };

type ExamRead = Pick<Subject, 'exam' | 'students' | 'proctors' | 'unknown'>;

export async function preflight(context: Context, { selection, minProctors, strict }: PreflightRequest): Promise<Result> {
  const client = await context.client();
  const all = await listedExams(client);
  const selected = await selectExams(context, selection, { exams: all });
  const exams = await client.pacer.map([...selected, ...examsBeside(selected, all)], (exam) => readExam(client, exam));
  const studentOverlaps = overlapsByExam(exams.flatMap(studentSittings));
  const proctorOverlaps = overlapsByExam(exams.flatMap(proctorSittings));
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const { profile } = context.settings();
  const rows = exams.slice(0, selected.length).flatMap((own): PreflightRow[] => {
    const { exam, unknown } = own;
    const others = exams.filter((other) => other !== own && isBeside(exam, other.exam));
    const unread = others.find((other) => other.unknown.students ?? other.unknown.proctors);
    const subject: Subject = {
      ...own,
      unknown: { ...unknown, others: unread && `of exam ${unread.exam.id}, ${unread.unknown.students ?? unread.unknown.proctors}` },
      studentOverlaps: studentOverlaps.get(exam.id) ?? [],
      proctorOverlaps: proctorOverlaps.get(exam.id) ?? [],
      compared: others.length,
      minProctors,
      now: context.host.now(),
      zone: context.zone(),
      command: (line, operands = [], ...options) => `proctor-cli ${typedCommand(line, operands, ...options, profileOption(profile))}`,
      named: (id) => idAndName(id, names.get(id)),
    };
    const id = idAs(exam.id, client.idType('exam'));
    return checks.map((check) => ({ exam: id, check: check.name, remedy: null, ...findingOf(check, subject) }));
  });
  return resultOf(rows, strict);
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

async function readExam(client: Client, exam: SelectedExam): Promise<ExamRead> {
  const params = { id: exam.id };
  const [sessions, pool] = await Promise.all([
    readOrWhy('students', listedSessions(client, exam.id)),
    readOrWhy('proctors', client.list(operations.listProctors, { params })),
  ]);
  const shown = sessions.items.map(({ data }) => data);
  const students = sessions.items.map(({ id, email, data }): Student => {
    const [opens, closes] = [instantOf(data.open_time), instantOf(data.close_time)];
    return {
      session: id,
      email,
      key: email === undefined ? undefined : addressKey(email),
      status: data.status ?? undefined,
      opens,
      closes,
    };
  });
  const proctors = pool.items.map((proctor): Proctor => {
    const name = proctor.name ?? proctor.email ?? undefined;
    return { id: idOf(proctor), name: name === undefined ? undefined : textOfJson(name) };
  });
  const times = unreadable([exam.shown], 'start_time', 'end_time');
  const isShown = (field: string) => shown.length === 0 || shown.some((data) => Object.hasOwn(data, field) && data[field] !== null);
  const unknown = {
    times,
    span: times ?? (exam.start === undefined || exam.end === undefined ? 'the exam has no start or no end' : undefined),
    students: sessions.why,
    addresses: sessions.items.some(({ mask }) => mask !== undefined) || !isShown('email') ? 'the service shows no addresses' : undefined,
    statuses: isShown('status') ? undefined : 'the service shows no status',
    windows: unreadable(shown, 'open_time', 'close_time'),
    proctors: pool.why,
    proctorIds: proctors.some(({ id }) => id === undefined) ? 'the service shows no IDs that tell its proctors apart' : undefined,
  };
  return { exam, students, proctors, unknown };
}

/** Why times are not known; undefined where each is there, or shown as none. */
function unreadable(records: readonly JsonObject[], ...fields: readonly string[]): string | undefined {
  const isNone = (value: Json | undefined) => value === null || value === '';
  for (const field of fields) {
    if (records.some((record) => !Object.hasOwn(record, field))) return `the service shows no ${field}`;
    const number = records.filter((record) => !isNone(record[field]) && instantOf(record[field]) === undefined).length;
    if (number > 0) return `the ${field} that the service shows cannot be read`;
  }
  return undefined;
}

/** Extra time may let an exam last this much longer, at most twice its length. Milliseconds. */
const longestExtra = 12 * 3_600_000;

/** Whether two exams may last at the same time. */
function isBeside(one: SelectedExam, other: SelectedExam): boolean {
  const spans = [one, other].map(({ start = Number.NaN, end = Number.NaN }) => {
    return { start, last: end + Math.min(Math.max(0, end - start), longestExtra) };
  });
  const [a, b] = spans as [(typeof spans)[number], (typeof spans)[number]];
  return a.start < b.last && b.start < a.last;
}

function examsBeside(selected: readonly SelectedExam[], all: readonly SelectedExam[]): SelectedExam[] {
  const chosen = new Set(selected.map(({ id }) => id));
  return all.filter((other) => !chosen.has(other.id) && selected.some((exam) => isBeside(exam, other)));
}

/** A window of their own counts. */
function studentSittings({ exam, students, unknown }: ExamRead): Sitting[] {
  if (unknown.addresses !== undefined) return [];
  return students.flatMap(({ session, key, opens, closes }): Sitting[] => {
    const window = studentWindow(exam, { opens, closes });
    return key === undefined || !window ? [] : [{ exam: exam.id, person: key, id: session, ...window }];
  });
}

/** A proctor stays until the last student of the exam has to finish. */
function proctorSittings(read: ExamRead): Sitting[] {
  const { start, end, id: exam } = read.exam;
  if (start === undefined || end === undefined) return [];
  const to = Math.max(end, ...read.students.map(({ closes = end }) => closes));
  return read.proctors.flatMap(({ id }) => (id === undefined ? [] : [{ exam, person: id, id, from: start, to }]));
}

/** Each overlap twice: as it is seen from either exam. */
function overlapsByExam(sittings: readonly Sitting[]): ReadonlyMap<string, readonly Overlap[]> {
  const both = overlapsIn(sittings).flatMap(({ own, other }) => [
    { own, other },
    { own: other, other: own },
  ]);
  return Map.groupBy(both, ({ own }) => own.exam);
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
  const message = sentence`${unready} of ${count(exams.length, 'exam')} not ready. ${count(rows.length, 'check')}: ${counts}.`;
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
