/**
 * An exam at a moment, with each of its students. The watch, the report, its page and `sessions find` show this, and read sessions in no
 * other way.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { commandOf } from '../../config/profiles.ts';
import { firstInLine, firstLines } from '../../model/count.ts';
import { examNamed, studentNamed } from '../../model/describe.ts';
import { phaseIn } from '../../model/exam-phase.ts';
import { idOf, shownId } from '../../model/id.ts';
import { type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { countedStatus, phaseOf, statusOf, statusText } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { cell } from '../../output/cell.ts';
import { folded } from '../../text/fold.ts';
import { hasWords, soughtWords } from '../../text/search.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';

export type ExamView = SelectedExam & {
  /** The ID as the service shows it. */
  exam: string | number | bigint;
  /** When the list of its students arrived: milliseconds since 1970. */
  at: number;
  /** `open` where no end is known. */
  standing: 'ahead' | 'running' | 'over' | 'open';
  students: readonly ViewedStudent[];
};

/** `quiet`: without a word about repetitions. */
type Looking = { now(): number; late?: number; quiet?: boolean };

/** Reads the students of an exam once. Throws the client's errors. */
export async function viewExam(client: Client, exam: SelectedExam, { now, late, quiet }: Looking): Promise<ExamView> {
  const sessions = await client.list(operations.listExamSessions, { params: { exam_id: exam.id } }, { unsure: 'warn', quiet });
  const at = now();
  const { id, start = at, end, shown } = exam;
  const standing = end === undefined ? 'open' : at > end ? 'over' : at < start ? 'ahead' : 'running';
  const students = sessions.map((session) => viewStudent(client, exam, session, at, late));
  return { ...exam, exam: shownId(shown.id) ?? id, at, standing, students };
}

export type Seen = { view: ExamView; student: ViewedStudent };

/** The students of a group, the most urgent first. */
export function studentsIn(views: readonly ExamView[], isMeant: (student: ViewedStudent) => boolean): Seen[] {
  const found = views.flatMap((view) => view.students.filter(isMeant).map((student) => ({ view, student })));
  return found.sort((one, other) => urgencyOf(one.student.problem) - urgencyOf(other.student.problem));
}

/** "Exam 3, Algebra: Ada Example, ada@example.org: not started" for the first of those who need help. */
export function problemLines(views: readonly ExamView[], others: string): Sentence[] {
  const of = (view: ExamView) => (views.length > 1 ? sentence`Exam ${examNamed(view)}: ` : '');
  const line = ({ view, student }: Seen) => sentence`${of(view)}${studentNamed(student)}: ${spelled(student.problem)}`;
  return firstLines(studentsIn(views, groups.problems), line, others);
}

/** A word of data as people read it. */
export function spelled(word: Json): string {
  return String(word).replaceAll('_', ' ');
}

/** "students 12, with problems 8, present 10": the numbers that are not 0. */
export function numbersInWords(views: readonly ExamView[]): string {
  const numbers = Object.entries(numbersOf(views.flatMap(({ students }) => students)));
  return numbers.flatMap(([key, number]) => (number > 0 || key === 'students' ? `${spelled(key)} ${number}` : [])).join(', ');
}

/** Why the numbers may still change by themselves; undefined where they cannot. */
export function whyPreliminary({ standing, students }: ExamView): string | undefined {
  if (standing !== 'over') return { ahead: 'has not started', running: 'is not over', open: 'shows no end' }[standing];
  const open = students.filter((student) => groups['in-progress'](student) || groups['not-started'](student));
  return open.length === 0 ? undefined : `is over, but not for ${firstInLine(open, studentNamed, 3)}`;
}

const followed = ['status', 'level_of_suspicion', 'open_time', 'close_time', 'problem'] as const;

/** `field`: one of `followed`; or `added` or `removed`, which carry the status. */
export type Change = Pick<ViewedStudent, 'session' | 'email' | 'name'> &
  Pick<ExamView, 'exam'> & { at: string; field: string; from: Json; to: Json };

/** The differences of two looks, field by field; another way to write a time or a status is none. A student without an ID is not followed. */
export function changesOf(before: ExamView, after: ExamView): Change[] {
  const byId = ({ students }: ExamView) => {
    const identified = students.filter(({ shown }) => idOf(shown) !== undefined);
    return new Map(identified.map((student) => [idOf(student.shown), student]));
  };
  const [earlier, later] = [byId(before), byId(after)];
  const change = ({ session, email, name }: ViewedStudent, field: string, from: Json, to: Json): Change => {
    return { at: new Date(after.at).toISOString(), exam: after.exam, session, field, from, to, email, name };
  };
  const meaning = (value: Json, field: string) =>
    field === 'status' ? countedStatus(value as string | null) : field.endsWith('_time') ? (instantOf(value) ?? value) : value;
  const rows = [...later].flatMap(([id, student]) => {
    const was = earlier.get(id);
    if (!was) return [change(student, 'added', null, student.status)];
    const differ = followed.filter((field) => meaning(was[field], field) !== meaning(student[field], field));
    return differ.map((field) => change(student, field, was[field], student[field]));
  });
  const removed = [...earlier].filter(([id]) => !later.has(id));
  return [...rows, ...removed.map(([, student]) => change(student, 'removed', student.status, null))];
}

/** The most urgent first. */
const problems = ['suspicion_3', 'suspicion_2', 'check_not_completed', 'waiting_after_check', 'not_started', 'no_show'] as const;

/** `in_progress` and `stuck` have begun, `not_started` and `no_show` have not; the second of each pair no longer can. */
type Outcome = 'finished' | 'in_progress' | 'stuck' | 'not_started' | 'no_show' | 'unknown';

/** Whether the student has not come. */
function isAbsent(outcome: Outcome): outcome is 'not_started' | 'no_show' {
  return outcome === 'not_started' || outcome === 'no_show';
}

/** `null` for what the service does not show. */
export type ViewedStudent = {
  session: string | number | bigint | null;
  email: string | null;
  name: string | null;
  status: string | null;
  level_of_suspicion: number | null;
  open_time: Json;
  close_time: Json;
  outcome: Outcome;
  problem: (typeof problems)[number] | null;
  shown: JsonObject;
};

/** A student as a list shows the session. `exam`: undefined where it is not known. `late`: milliseconds after which one who has not started needs help. */
export function viewStudent({ dialect }: Client, exam: SelectedExam | undefined, session: JsonObject, at: number, late = 0): ViewedStudent {
  const { status, open_time = null, close_time = null, level_of_suspicion: shownLevel } = session;
  const level = typeof shownLevel === 'string' && /^\d$/.test(shownLevel) ? Number(shownLevel) : shownLevel;
  const opens = instantOf(open_time) ?? exam?.start ?? Number.NaN;
  const starts = Math.max(opens, exam?.start ?? opens);
  const isLate = at >= starts + late && ['waiting', 'checking'].includes(phaseOf(status) ?? '');
  const outcome = outcomeOf(status, { closes: instantOf(close_time), end: exam?.end, at });
  const checked = statusOf(status) === 'check_started' ? 'check_not_completed' : 'waiting_after_check';
  const lateness = isAbsent(outcome) ? outcome : checked;
  return {
    session: shownId(session.id),
    email: textOf(session.email),
    name: textOf(session[dialect.sessionNameKey]),
    status: statusText(status) ?? textOf(status),
    level_of_suspicion: typeof level === 'number' ? level : null,
    open_time,
    close_time,
    outcome,
    problem: level === 3 ? 'suspicion_3' : level === 2 ? 'suspicion_2' : isLate ? lateness : null,
    shown: session,
  };
}

function textOf(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : textOfJson(value);
}

/** Who may still start is never a no-show, and who may still continue is never stuck: a time that is not known has not passed. */
function outcomeOf(status: Json | undefined, { closes, end, at }: Record<'closes' | 'end', number | undefined> & { at: number }): Outcome {
  const phase = phaseOf(status);
  if (phase === undefined) return 'unknown';
  if (phase === 'finished') return 'finished';
  const startsUntil = closes ?? end ?? at;
  if (phase === 'waiting') return at > startsUntil ? 'no_show' : 'not_started';
  // Who writes has the whole exam, and a window that was extended beyond it.
  const until = phase === 'checking' ? startsUntil : Math.max(end ?? at, closes ?? 0);
  return at > until ? 'stuck' : 'in_progress';
}

/** Students by what they have in common: the numbers of a report, and its lists. Suspicion 0 is not rated. */
export const groups = {
  problems: ({ problem }) => problem !== null,
  present: ({ outcome }) => ['finished', 'in_progress', 'stuck'].includes(outcome),
  finished: ({ outcome }) => outcome === 'finished',
  'in-progress': ({ outcome }) => outcome === 'in_progress',
  absent: ({ outcome }) => isAbsent(outcome),
  'not-started': ({ outcome }) => outcome === 'not_started',
  'no-shows': ({ outcome }) => outcome === 'no_show',
  stuck: ({ outcome }) => outcome === 'stuck',
  suspicion: ({ level_of_suspicion: level }) => (level ?? 0) >= 2,
  'not-rated': ({ level_of_suspicion: level }) => (level ?? 0) === 0,
  'not-mailed': ({ status }) => statusOf(status) === 'registered',
  unknown: ({ outcome }) => outcome === 'unknown',
} as const satisfies Record<string, (student: ViewedStudent) => boolean>;
export type Group = keyof typeof groups;

/** The number of students in each group that is no sum of others, under its name in data. */
export function numbersOf(students: readonly ViewedStudent[]): Record<string, number> {
  const key = (group: string) => (group === 'problems' ? 'with_problems' : group.replaceAll('-', '_'));
  const { absent: _, ...counted } = groups;
  const counts = Object.entries(counted).map(([group, isMeant]) => [key(group), students.filter(isMeant).length]);
  return { students: students.length, ...Object.fromEntries(counts) };
}

/** 0 is the most urgent, and behind all others is what is no problem. */
export function urgencyOf(problem: Json): number {
  const place = (problems as readonly Json[]).indexOf(problem);
  return place < 0 ? problems.length : place;
}

/** Whether the text is a value that tells the student apart, such as an ID or a number, or has parts of the name and the address alone. */
export function isFound({ shown, email, name }: ViewedStudent, text: string, { dialect }: Pick<Client, 'dialect'>): boolean {
  const isShared = (key: string) => key === dialect.sessionExamKey || key === 'level_of_suspicion';
  const isSought = ([key, value]: [string, Json]) =>
    ['string', 'number', 'bigint'].includes(typeof value) && !isShared(key) && folded(textOfJson(value)) === folded(text.trim());
  return Object.entries(shown).some(isSought) || hasWords(folded([email, name].join(' ')), soughtWords(text));
}

/** "closes 2027-02-01 11:00 +01:00", with the exam where the session has no time of its own. */
export function closing({ close_time }: ViewedStudent, exam: SelectedExam | undefined, zone: string): string {
  return `closes ${cell(close_time ?? exam?.shown.end_time, 'time', zone, 'at no time')}`;
}

/** What can be done for a student now, ready to paste; while the exam runs, nothing that takes something away. */
export function commandsFor(
  { session, shown, outcome, status, email }: ViewedStudent,
  exam: SelectedExam | undefined,
  { now, zone, profile }: { now: number; zone: string; profile: string },
): Sentence[] {
  const [id, of] = [textOfJson(session), typedOption('--exam', exam?.id ?? '')];
  const command = (what: string, line: string, operands: readonly string[], ...options: string[]) =>
    sentence`${`${what}:`.padEnd(12)}${commandOf(profile, line, operands, ...options)}`;
  const isAhead = outcome === 'not_started' && exam !== undefined && phaseIn(exam.shown, [shown], now, zone) === undefined;
  const commands = [exam ? command('Show', 'students show', [], of, typedOption('--session', id)) : command('Show', 'sessions get', [id])];
  if (outcome !== 'finished' && outcome !== 'unknown')
    commands.push(command(outcome === 'no_show' ? 'Start late' : 'More time', 'sessions extend', [id], '--by 15m'));
  if (isAhead && statusOf(status) === 'registered') commands.push(command('Mail all', 'exams send-emails', [exam.id]));
  else if (isAhead && email !== null) commands.push(command('Other exam', 'sessions move', [id], '--exam ID'));
  return commands;
}
