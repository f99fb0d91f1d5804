/**
 * `exams clashes`: students who are in two of the selected exams at the same time. Addresses are compared without
 * case, individual windows and extra time count. Each exam is listed once; of a session only what is compared is kept.
 */
import type { Client } from '../api/client.ts';
import type { Column, Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { count, students } from '../model/count.ts';
import { durationInWords } from '../model/duration.ts';
import { firstInLine } from '../model/first-of.ts';
import { idAs } from '../model/id.ts';
import { type Overlap, overlapsIn, type Sitting, studentWindow } from '../model/overlaps.ts';
import { instantOf } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { type ExamSelection, lookingAt, type SelectedExam } from './exam-selection.ts';
import { listedSessions } from './listed-sessions.ts';

const columns: readonly Column[] = [
  { key: 'email' },
  { key: 'exam', identifies: true },
  { key: 'other_exam', identifies: true },
  { key: 'overlap' },
  { key: 'from', as: 'time' },
  { key: 'exam_name', title: 'name' },
  { key: 'other_exam_name', title: 'other name' },
  { key: 'until', as: 'time' },
  { key: 'session', detail: true },
  { key: 'other_session', detail: true },
];

type StudentSitting = Sitting & { email: string };
type ExamSittings = { exam: SelectedExam; sittings: StudentSitting[]; all: number; withoutAddress: number };

export async function examClashes(context: Context, selection: ExamSelection): Promise<Result> {
  return lookingAt(context, selection, (client, exams) => clashesNow(context, client, exams), { unsure: 'refuse' });
}

async function clashesNow(context: Context, client: Client, exams: readonly SelectedExam[]): Promise<Result> {
  // An exam that was not read may hold a clash: the answer would look complete.
  const listed = await client.pacer.map(exams, (exam) => sittingsOf(client, exam));
  const overlaps = overlapsIn(listed.flatMap(({ sittings }) => sittings)).toSorted(
    (a, b) => a.other.from - b.other.from || (a.own.person < b.own.person ? -1 : 1),
  );
  tellNotCompared(context, listed);
  const names = new Map(exams.map(({ id, name }) => [id, name]));
  const rows = overlaps.map((overlap) => rowOf(overlap, names, client));
  const compared = listed.reduce((sum, { sittings }) => sum + sittings.length, 0);
  const people = new Set(overlaps.map(({ own }) => own.person)).size;
  if (rows.length === 0) context.say(sentence`No clashes: ${count(compared, 'session')} of ${count(exams.length, 'exam')} compared.`);
  return { kind: 'list', rows, columns, id: 'email', ...(rows.length > 0 ? { failure: clashFailure(people, rows.length) } : {}) };
}

async function sittingsOf(client: Client, exam: SelectedExam): Promise<ExamSittings> {
  const listed = await listedSessions(client, exam.id);
  const withAddress = listed.flatMap(({ id, email, data }) => (email === undefined ? [] : [{ id, email, data }]));
  const sittings = withAddress.flatMap(({ id, email, data }): StudentSitting[] => {
    const window = studentWindow(exam, { opens: instantOf(data.open_time), closes: instantOf(data.close_time) });
    return window ? [{ exam: exam.id, person: addressKey(email), email, id, ...window }] : [];
  });
  return { exam, sittings, all: listed.length, withoutAddress: listed.length - withAddress.length };
}

function rowOf({ own, other }: Overlap<StudentSitting>, names: ReadonlyMap<string, string | undefined>, client: Client): Row {
  const from = Math.max(own.from, other.from);
  const until = Math.min(own.to, other.to);
  const [exams, sessions] = [client.idType('exam'), client.idType('session')];
  return {
    email: own.email,
    exam: idAs(own.exam, exams),
    exam_name: names.get(own.exam) ?? null,
    session: own.id === undefined ? null : idAs(own.id, sessions),
    other_exam: idAs(other.exam, exams),
    other_exam_name: names.get(other.exam) ?? null,
    other_session: other.id === undefined ? null : idAs(other.id, sessions),
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    overlap: durationInWords(until - from),
    minutes: Math.round((until - from) / 60_000),
  };
}

/** What could not be compared is named: it may hold a clash. */
function tellNotCompared({ warn }: Context, listed: readonly ExamSittings[]) {
  const timeless = listed.filter(({ exam, all }) => all > 0 && (exam.start === undefined || exam.end === undefined));
  if (timeless.length > 0) {
    const which = firstInLine(timeless, ({ exam }) => exam.id, 5);
    warn(
      sentence`warning: not compared, because the service shows no start or no end: ${timeless.length === 1 ? 'exam' : 'exams'} ${which}.`,
    );
  }
  const withoutAddress = listed.reduce((sum, each) => sum + each.withoutAddress, 0);
  if (withoutAddress > 0) warn(sentence`warning: not compared, because they show no address: ${count(withoutAddress, 'session')}.`);
}

function clashFailure(people: number, clashes: number): CliError {
  return new CliError('differences', sentence`${students(people)} in overlapping exams: ${count(clashes, 'clash', 'clashes')}.`, {
    hint: 'Move an exam or a student; each row names both exams. Nothing was changed.',
  });
}
