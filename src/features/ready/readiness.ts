/** `preflight`: reads the selected exams and those at the same time, has each check judge each of them, and changes nothing. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { commandOf } from '../../config/profiles.ts';
import { CliError, type ErrorCode } from '../../errors.ts';
import { addressIn, addressKey, maskIn } from '../../model/address-key.ts';
import { count } from '../../model/count.ts';
import { idAs, idOf } from '../../model/id.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { overlapsIn, type Sitting, studentWindow } from '../../model/overlaps.ts';
import { instantOf } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { type ExamSelection, listedExams, type SelectedExam, selectExams } from '../exam-selection.ts';
import { knownId } from '../exam-students.ts';
import { states } from '../finding.ts';
import { checks, findingOf, type MinProctors, type Student, type Subject } from './checks.ts';

/** `strict`: warnings count as failures. */
type PreflightRequest = { selection: ExamSelection; minProctors: MinProctors; strict: boolean };

type ExamRead = Pick<Subject, 'exam' | 'students' | 'proctors' | 'unknown'>;

export async function preflight(context: Context, { selection, minProctors, strict }: PreflightRequest): Promise<Result> {
  const client = await context.client();
  const all = await listedExams(client);
  const selected = await selectExams(context, selection, { exams: all });
  const isSelected = (exam: SelectedExam) => selected.some(({ id }) => id === exam.id);
  const beside = all.filter((exam) => !isSelected(exam) && selected.some((other) => isBeside(exam, other)));
  const exams = await client.pacer.map([...selected, ...beside], (exam) => readExam(client, exam));
  const overlaps = overlapsIn(exams.flatMap(sittingsOf));
  const { profile } = context.settings();
  const rows = exams.slice(0, selected.length).flatMap((own): PreflightRow[] => {
    const { exam, unknown } = own;
    const unread = exams.find((other) => other !== own && isBeside(exam, other.exam) && other.unknown.students !== undefined);
    const subject: Subject = {
      ...own,
      unknown: { ...unknown, others: unread && `of exam ${unread.exam.id}, ${unread.unknown.students}` },
      overlaps: overlaps.filter((pair) => [pair.own.exam, pair.other.exam].includes(exam.id)),
      minProctors,
      now: context.host.now(),
      zone: context.zone(),
      command: (...words) => commandOf(profile, ...words),
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
const ofOnePart: readonly ErrorCode[] = ['not_found', 'rejected', 'token_refused', 'unsupported'];

async function readOrWhy(what: string, list: Promise<readonly JsonObject[]>): Promise<{ items: readonly JsonObject[]; why?: string }> {
  try {
    return { items: await list };
  } catch (error) {
    if (!(error instanceof CliError && ofOnePart.includes(error.code))) throw error;
    return { items: [], why: `the ${what} cannot be read: ${error.message.replace(/\.$/, '')}` };
  }
}

async function readExam(client: Client, exam: SelectedExam): Promise<ExamRead> {
  const [{ items: sessions, why: whyNoStudents }, pool] = await Promise.all([
    readOrWhy('students', client.list(operations.listExamSessions, { params: { exam_id: exam.id } })),
    readOrWhy('proctors', client.list(operations.listProctors, { params: { id: exam.id } })),
  ]);
  const students = sessions.map((shown): Student => {
    const { status, open_time, close_time } = shown;
    const session = knownId({ id: idOf(shown) }, exam.id, client);
    return { session, email: addressIn(shown), status, opens: instantOf(open_time), closes: instantOf(close_time) };
  });
  const times = unreadable([exam.shown], 'start_time', 'end_time');
  const hides = (field: string) => sessions.length > 0 && sessions.every((each) => (each[field] ?? null) === null);
  const unknown = {
    times,
    span: times ?? ((exam.start ?? Number.NaN) < (exam.end ?? Number.NaN) ? undefined : 'the exam has no start, or no end behind it'),
    students: whyNoStudents,
    addresses: hides('email') || sessions.some(maskIn) ? 'the service shows no addresses' : undefined,
    statuses: hides('status') ? 'the service shows no status' : undefined,
    windows: unreadable(sessions, 'open_time', 'close_time'),
    proctors: pool.why,
  };
  return { exam, students, proctors: pool.items.length, unknown };
}

/** Why times are not known; undefined where each is there, or shown as none. */
function unreadable(records: readonly JsonObject[], ...fields: readonly string[]): string | undefined {
  const isNone = (value: Json | undefined) => value === null || value === '';
  const isRead = (field: string) => records.every(({ [field]: value }) => isNone(value) || instantOf(value) !== undefined);
  const unread = fields.find((field) => !isRead(field));
  return unread && `the service shows no ${unread} that can be read`;
}

/** Who takes an exam from when to when; the own window counts. */
function sittingsOf({ exam: { id, start, end }, students, unknown }: ExamRead): Sitting[] {
  if (unknown.addresses !== undefined) return [];
  return students.flatMap(({ email: name, opens, closes }) => {
    const window = studentWindow({ start, end }, { opens, closes });
    return name === undefined || !window ? [] : [{ exam: id, person: addressKey(name), name, ...window }];
  });
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
  const exams = [...Map.groupBy(rows, ({ exam }) => exam)];
  const isBad = ({ state }: PreflightRow) => state === 'failed' || (strict && state === 'warning');
  const bad = exams.filter(([, those]) => those.some(isBad)).length;
  const counts = states.flatMap((state) => {
    const number = rows.filter((row) => row.state === state).length;
    return number > 0 ? `${number} ${state}` : [];
  });
  const ready = bad === 0 ? 'Ready:' : `Not ready: ${bad} of`;
  const message = sentence`${ready} ${count(exams.length, 'exam')}. ${count(rows.length, 'check')}: ${counts.join(', ')}.`;
  const hint = 'Run the command of each failed check, then preflight again. Nothing was changed.';
  const told = exams.flatMap(([exam, those]): Row[] => {
    const notOk = those.filter(({ state }) => state !== 'ok');
    return notOk.length > 0 ? notOk : [{ exam, check: 'all', state: 'ok', detail: count(those.length, 'check') }];
  });
  // The commands that correct what was found, each once, behind what it is for.
  const remedies = Map.groupBy(rows, ({ remedy }) => remedy);
  remedies.delete(null);
  const advice = [...remedies].map(
    ([remedy, those]) => sentence`${those.map(({ exam, check }) => `exam ${exam}, ${check}`).join('; ')}: ${remedy ?? ''}`,
  );
  const list = { kind: 'list', rows, columns, id: 'exam', sheet: { rows: exams.length === 1 ? rows : told, columns } } as const;
  if (bad === 0) return { ...list, advice: [message, ...advice] };
  return { ...list, advice, failure: new CliError('differences', message, { hint }) };
}
