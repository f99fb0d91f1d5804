/**
 * An exam at a moment: each of its students with the outcome so far, and who needs help. The watch, the report, its page and
 * `sessions find` show this, and read sessions in no other way.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { profileOption } from '../../config/named-profiles.ts';
import { CliError, type ErrorCode } from '../../errors.ts';
import { idAndName, namedStudent } from '../../model/describe.ts';
import { firstInLine, firstLines } from '../../model/first-of.ts';
import { idOf, shownId } from '../../model/id.ts';
import { type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { type Exam, type Outcome, outcomeOf, type Standing, type StudentSession, standingOf } from '../../model/outcome.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { countedStatus, phaseOf, sessionStatuses, statusOf, statusText } from '../../model/status.ts';
import { instantOf, sameInstant } from '../../model/time.ts';
import { phaseIn } from '../../runs/index.ts';
import { folded, hasWords, soughtWords } from '../../text/fold.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';

/** The most urgent first. */
const problems = ['suspicion_3', 'suspicion_2', 'check_not_completed', 'not_started'] as const;

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
  /** When the check was seen to begin: milliseconds since 1970. */
  checkSeen: number | null;
  shown: JsonObject;
};

export type ExamView = SelectedExam & {
  /** The ID as the service shows it. */
  exam: string | number | bigint;
  /** When the list of its students arrived: milliseconds since 1970. */
  at: number;
  standing: Standing;
  students: readonly ViewedStudent[];
};

/**
 * `late`: milliseconds after which a student who could start, and has not, needs help. `before`: the look before this one. `unsure`: what
 * becomes of a list that may not be whole, where more than reading rests on it.
 */
type Looking = { now(): number; late: number; before?: ExamView; unsure?: 'refuse' };

/** Reads the students of an exam once. Throws the client's errors. */
export async function viewExam(client: Client, exam: SelectedExam, { now, late, before, unsure }: Looking): Promise<ExamView> {
  const how = { unsure: unsure ?? 'warn', quiet: before !== undefined } as const;
  const sessions = await client.list(operations.listExamSessions, { params: { exam_id: exam.id } }, how);
  const at = now();
  const earlier = before && studentsById(before);
  const students = sessions.map((session) =>
    viewStudent(client, exam, session, { at, late, was: earlier && (earlier.get(idOf(session)) ?? null) }),
  );
  return { ...exam, exam: shownId(exam.shown.id) ?? exam.id, at, standing: standingOf(exam.shown as Exam, at), students };
}

const ofOneExam: readonly ErrorCode[] = ['not_found', 'rejected', 'bad_answer'];

/**
 * Views exams, as many at a time as the pacer allows. An error that concerns one exam only leaves the others; any other, which the next
 * exam would meet as well, ends the whole. `seen`: a view for each of the exams that did not fail. Throws where each of them failed.
 */
export async function viewEach<Exam>({ pacer }: Pick<Client, 'pacer'>, exams: readonly Exam[], view: (exam: Exam) => Promise<ExamView>) {
  const failed: { exam: Exam; error: CliError }[] = [];
  const seen = await pacer.map(exams, (exam) =>
    view(exam).catch((error: unknown) => {
      if (!(error instanceof CliError) || !ofOneExam.includes(error.code)) throw error;
      failed.push({ exam, error });
    }),
  );
  const worst = failed.find(({ error }) => error.code !== 'not_found') ?? failed[0];
  if (worst && failed.length === exams.length) throw worst.error;
  return { seen, failed };
}

function studentsById({ students }: ExamView): Map<string | undefined, ViewedStudent> {
  return new Map(students.map((student) => [idOf(student.shown), student]));
}

/** A student as a list shows the session. `exam`: undefined where it is not known; `was`: in the look before; null for one who is new. */
export function viewStudent(
  { dialect }: Client,
  exam: SelectedExam | undefined,
  session: JsonObject,
  { at, late, was }: { at: number; late: number; was?: ViewedStudent | null | undefined },
): ViewedStudent {
  const { open_time = null, close_time = null, level_of_suspicion: shownLevel } = session;
  const level = typeof shownLevel === 'string' && /^\d$/.test(shownLevel) ? Number(shownLevel) : shownLevel;
  const isChecking = statusOf(session.status) === 'check_started';
  const checkSeen = !isChecking || was === undefined ? null : statusOf(was?.status) === 'check_started' ? (was?.checkSeen ?? null) : at;
  const starts = Math.max(...[exam?.start, instantOf(open_time), checkSeen].map((time) => time ?? Number.NEGATIVE_INFINITY));
  const isLate = Number.isFinite(starts) && at >= starts + late && ['waiting', 'checking'].includes(phaseOf(session.status) ?? '');
  const lateness = isChecking ? 'check_not_completed' : 'not_started';
  return {
    session: shownId(session.id),
    email: textOf(session.email),
    name: textOf(session[dialect.sessionNameKey]),
    status: statusText(session.status) ?? textOf(session.status),
    level_of_suspicion: typeof level === 'number' ? level : null,
    open_time,
    close_time,
    outcome: outcomeOf(session as StudentSession, (exam?.shown ?? {}) as Exam, at),
    problem: level === 3 ? 'suspicion_3' : level === 2 ? 'suspicion_2' : isLate ? lateness : null,
    checkSeen,
    shown: session,
  };
}

function textOf(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : textOfJson(value);
}

/** Students by what they have in common: the numbers of a report, and its lists. Suspicion 0 is not rated. */
export const groups = {
  problems: ({ problem }) => problem !== null,
  present: ({ outcome }) => ['finished', 'in_progress', 'stuck'].includes(outcome),
  finished: ({ outcome }) => outcome === 'finished',
  'in-progress': ({ outcome }) => outcome === 'in_progress',
  'not-started': ({ outcome }) => outcome === 'not_started_yet',
  'no-shows': ({ outcome }) => outcome === 'no_show',
  stuck: ({ outcome }) => outcome === 'stuck',
  suspicion: ({ level_of_suspicion: level }) => (level ?? 0) >= 2,
  'not-rated': ({ level_of_suspicion: level }) => (level ?? 0) === 0,
  'not-mailed': ({ status }) => statusOf(status) === 'registered',
  unknown: ({ outcome }) => outcome === 'unknown',
} as const satisfies Record<string, (student: ViewedStudent) => boolean>;
export type Group = keyof typeof groups;

/** The number of students in each group, under its name in data. */
export function numbersOf(students: readonly ViewedStudent[]): Record<string, number> {
  const key = (group: string) => (group === 'problems' ? 'with_problems' : group.replaceAll('-', '_'));
  const counts = Object.entries(groups).map(([group, isMeant]) => [key(group), students.filter(isMeant).length]);
  return { students: students.length, ...Object.fromEntries(counts) };
}

export type Seen = { view: ExamView; student: ViewedStudent };

/** The students of a group, the most urgent first. */
export function studentsIn(views: readonly ExamView[], isMeant: (student: ViewedStudent) => boolean): Seen[] {
  const found = views.flatMap((view) => view.students.filter(isMeant).map((student) => ({ view, student })));
  return found.sort((one, other) => urgencyOf(one.student.problem) - urgencyOf(other.student.problem));
}

/** 0 is the most urgent, and behind all others is what is no problem. */
export function urgencyOf(problem: Json): number {
  const place = (problems as readonly Json[]).indexOf(problem);
  return place < 0 ? problems.length : place;
}

/** How many students have each status, whatever its spelling: all of the specification in their order, then the others. */
export function countStatuses(students: readonly ViewedStudent[]): { status: string | null; count: number }[] {
  const counts = new Map<string | null, number>(sessionStatuses.map((status) => [status, 0]));
  for (const { status } of students) counts.set(countedStatus(status), (counts.get(countedStatus(status)) ?? 0) + 1);
  return [...counts].map(([status, count]) => ({ status, count }));
}

/** Whether the text is a value that tells the student apart, such as an ID or a number, or has parts of the name and the address alone. */
export function isFound({ shown, email, name }: ViewedStudent, text: string, { dialect }: Pick<Client, 'dialect'>): boolean {
  const isShared = (key: string) => key === dialect.sessionExamKey || key === 'level_of_suspicion';
  const isSought = ([key, value]: [string, Json]) =>
    ['string', 'number', 'bigint'].includes(typeof value) && !isShared(key) && folded(textOfJson(value)) === folded(text.trim());
  return Object.entries(shown).some(isSought) || hasWords(folded([email, name].join(' ')), soughtWords(text));
}

/** Why the numbers may still change by themselves; undefined where they cannot. */
export function whyPreliminary({ standing, students }: ExamView): string | undefined {
  if (standing !== 'over') return { ahead: 'has not started', running: 'is not over', open: 'shows no end' }[standing];
  const open = students.filter((student) => groups['in-progress'](student) || groups['not-started'](student));
  return open.length === 0 ? undefined : `is over, but not for ${firstInLine(open, inWords, 3)}`;
}

/** "3, Linear Algebra". */
export function viewInWords({ exam, name }: ExamView): string {
  return idAndName(exam, name);
}

export function inWords({ name, email, session }: ViewedStudent): string {
  return namedStudent({ name, email, id: session });
}

export function problemInWords(problem: Json): string {
  return String(problem).replaceAll('_', ' ');
}

/** "Exam 3, Algebra: Ada Example, ada@example.org: not started" for the first of those who need help. */
export function problemLines(views: readonly ExamView[], others: string): Sentence[] {
  const line = ({ view, student }: Seen) => sentence`Exam ${viewInWords(view)}: ${inWords(student)}: ${problemInWords(student.problem)}`;
  return firstLines(studentsIn(views, groups.problems), line, others);
}

/** What can be done for a student now, ready to paste; while the exam runs, nothing that takes something away. */
export function commandsFor(
  { session, shown, outcome, status, email }: ViewedStudent,
  exam: SelectedExam | undefined,
  { now, zone, profile }: { now: number; zone: string; profile: string },
): Sentence[] {
  const [id, of] = [textOfJson(session), typedOption('--exam', exam?.id ?? '')];
  const command = (what: string, line: string, operands: readonly string[], ...options: string[]) =>
    sentence`${`${what}:`.padEnd(12)}proctor-cli ${typedCommand(line, operands, ...options, profileOption(profile))}`;
  const isAhead = outcome === 'not_started_yet' && exam !== undefined && phaseIn(exam.shown, [shown], now, zone) === undefined;
  const more = outcome === 'no_show' ? 'Start late' : 'More time';
  return [
    exam ? command('Show', 'students show', [], of, typedOption('--session', id)) : command('Show', 'sessions get', [id]),
    ...(outcome === 'finished' || outcome === 'unknown' ? [] : [command(more, 'sessions extend', [id], '--by 15m')]),
    ...(isAhead && statusOf(status) === 'registered' ? [command('Mail all', 'exams send-emails', [exam.id])] : []),
    ...(isAhead && email !== null ? [command('Other exam', 'sessions move', [id], '--exam ID')] : []),
  ];
}

const followed = ['status', 'level_of_suspicion', 'open_time', 'close_time', 'problem'] as const;

/** `field`: one of `followed`; or `added` or `removed`, which carry the status. */
export type Change = Pick<ViewedStudent, 'session' | 'email' | 'name'> &
  Pick<ExamView, 'exam'> & { at: string; field: string; from: Json; to: Json };

/** Whether somebody needs help, or more urgently than before. */
export function isAlarm({ field, from, to }: Change): boolean {
  return field === 'problem' && urgencyOf(to) < urgencyOf(from);
}

/** The differences of two looks, field by field; another way to write a time or a status is none. A student without an ID is not followed. */
export function changesOf(before: ExamView, after: ExamView): Change[] {
  const [earlier, later] = [studentsById(before), studentsById(after)];
  const change = ({ session, email, name }: ViewedStudent, field: string, from: Json, to: Json): Change => {
    return { at: new Date(after.at).toISOString(), exam: after.exam, session, field, from, to, email, name };
  };
  const isSame = (was: ViewedStudent, is: ViewedStudent, field: (typeof followed)[number]) =>
    was[field] === is[field] ||
    (field === 'status' && countedStatus(was.status) === countedStatus(is.status)) ||
    (field.endsWith('_time') && sameInstant(was[field], is[field]));
  const rows = [...later].flatMap(([id, student]) => {
    const was = earlier.get(id);
    if (id === undefined) return [];
    if (!was) return [change(student, 'added', null, student.status)];
    return followed.flatMap((field) => (isSame(was, student, field) ? [] : [change(student, field, was[field], student[field])]));
  });
  const removed = [...earlier].filter(([id]) => id !== undefined && !later.has(id));
  return [...rows, ...removed.map(([, student]) => change(student, 'removed', student.status, null))];
}
