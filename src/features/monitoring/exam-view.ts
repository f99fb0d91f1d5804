/** An exam at a moment, with its students: what watch, report and `sessions find` show. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { commandOf } from '../../config/profiles.ts';
import { examNamed, studentNamed } from '../../model/describe.ts';
import { idOf, type Json, type JsonObject, shownId, textOfJson } from '../../model/json.ts';
import { type Phase, phaseOf, statusOf, statusText } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { hasWords, plainNumber, soughtWords, spellings } from '../../text/fold.ts';
import { count, firstInLine, firstLines, type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';

export type ExamView = SelectedExam & {
  /** The ID as the service shows it. */
  exam: string | number | bigint;
  /** When it was read: milliseconds since 1970. */
  at: number;
  /** `open` where no end is known. */
  standing: 'ahead' | 'running' | 'over' | 'open';
  students: readonly ViewedStudent[];
};

/** `late`: milliseconds after which a student who could start needs help. */
export async function viewExam(client: Client, exam: SelectedExam, { now }: { now(): number }, late = 0, quiet = false): Promise<ExamView> {
  const params = { exam_id: exam.id };
  const sessions = await client.list(operations.listExamSessions, { params }, { unsure: 'warn', quiet });
  const at = now();
  const students = sessions.map((session) => viewStudent(client, exam, session, at, late));
  return {
    ...exam,
    exam: shownId(exam.shown.id) ?? exam.id,
    at,
    standing: standingOf(exam, at),
    students,
  };
}

function standingOf({ start, end }: SelectedExam, at: number): ExamView['standing'] {
  if (end === undefined) return 'open';
  if (at > end) return 'over';
  return start !== undefined && at < start ? 'ahead' : 'running';
}

export type StudentSeen = { view: ExamView; student: ViewedStudent };

/** The most urgent first. */
export function studentsIn(views: readonly ExamView[], isMeant: (student: ViewedStudent) => boolean): StudentSeen[] {
  const found = views.flatMap((view) => view.students.filter(isMeant).map((student) => ({ view, student })));
  return found.sort((one, other) => urgencyOf(one.student.problem) - urgencyOf(other.student.problem));
}

export function problemLines(views: readonly ExamView[], others?: string): Sentence[] {
  const line = ({ view, student }: StudentSeen) => {
    const exam = views.length > 1 ? sentence`Exam ${examNamed(view)}: ` : '';
    return sentence`${exam}${studentNamed(student)}: ${inPlainWords(student.problem)}`;
  };
  return firstLines(studentsIn(views, groups.problems), line, others);
}

export function examsNamed(views: readonly ExamView[]): string {
  const [first] = views;
  return first && views.length === 1 ? `exam ${examNamed(first)}` : count(views.length, 'exam');
}

export function inPlainWords(word: Json): string {
  return String(word).replaceAll('_', ' ');
}

export function numbersInWords(views: readonly ExamView[]): string {
  const numbers = Object.entries(numbersOf(views.flatMap(({ students }) => students)));
  const shown = numbers.filter(([key, number]) => number > 0 || key === 'students');
  return shown.map(([key, number]) => `${inPlainWords(key)} ${number}`).join(', ');
}

export function whyPreliminary({ standing, students }: ExamView): string | undefined {
  const unended = { ahead: 'has not started', running: 'is not over', open: 'shows no end that can be read' };
  if (standing !== 'over') return unended[standing];
  const open = students.filter(({ outcome }) => outcome === 'in_progress' || outcome === 'not_started');
  return open.length === 0 ? undefined : `is over, but not for ${firstInLine(open, studentNamed, 3)}`;
}

const followed = ['status', 'level_of_suspicion', 'open_time', 'close_time', 'problem'] as const;

/** `field`: one of `followed`; or `added` or `removed`, with the status. */
export type ViewChange = Pick<ViewedStudent, 'session' | 'email' | 'name'> &
  Pick<ExamView, 'exam'> & {
    at: string;
    field: string;
    from: Json;
    to: Json;
  };

export function changesOf(before: ExamView, after: ExamView): ViewChange[] {
  const byId = ({ students }: ExamView) => new Map(students.map((student) => [idOf(student.shown), student]));
  const [earlier, later] = [byId(before), byId(after)];
  const change = ({ session, email, name }: ViewedStudent, field: string, from: Json, to: Json) => ({
    at: new Date(after.at).toISOString(),
    exam: after.exam,
    session,
    field,
    from,
    to,
    email,
    name,
  });
  const rows = [...later].flatMap(([id, student]) => {
    const was = earlier.get(id);
    if (!was) return [change(student, 'added', null, student.status)];
    const differ = followed.filter((field) => was[field] !== student[field]);
    return differ.map((field) => change(student, field, was[field], student[field]));
  });
  const removed = [...earlier].filter(([id]) => !later.has(id));
  return [...rows, ...removed.map(([, student]) => change(student, 'removed', student.status, null))];
}

/** The most urgent first. */
const problems = ['suspicion_3', 'suspicion_2', 'check_not_completed', 'waiting_after_check', 'not_started', 'no_show', null] as const;

/** `stuck` has begun and can no longer continue, `no_show` can no longer start. */
type Standing = 'finished' | 'in_progress' | 'stuck' | 'not_started' | 'no_show' | 'unknown';

type StudentProblem = (typeof problems)[number];

export type ViewedStudent = ReturnType<typeof viewStudent>;

/** `null` for what the service does not show. */
export function viewStudent({ dialect }: Client, exam: SelectedExam | undefined, session: JsonObject, at: number, late = 0) {
  const { status, open_time = null, close_time = null } = session;
  const level = Number(session.level_of_suspicion ?? NaN);
  const opens = instantOf(open_time) ?? exam?.start ?? NaN;
  const starts = Math.max(opens, exam?.start ?? opens);
  const outcome = studentStanding(phaseOf(status), instantOf(close_time), exam?.end, at);
  return {
    session: shownId(session.id),
    email: textOrNull(session.email),
    name: textOrNull(session[dialect.sessionNameKey]),
    status: statusText(status) ?? textOrNull(status),
    level_of_suspicion: Number.isNaN(level) ? null : level,
    open_time,
    close_time,
    outcome,
    problem: studentProblem(level, at >= starts + late, status, outcome),
    shown: session,
  };
}

function textOrNull(value: Json = null): string | null {
  return value === null ? null : textOfJson(value);
}

/** A time that is not known has not passed. */
function studentStanding(phase: Phase | undefined, closes: number | undefined, end: number | undefined, at: number): Standing {
  if (phase === undefined) return 'unknown';
  if (phase === 'finished') return 'finished';
  const startsUntil = closes ?? end ?? at;
  if (phase === 'waiting') return at > startsUntil ? 'no_show' : 'not_started';
  // A student who has started has the whole exam, and a window that was extended beyond it.
  const until = phase === 'checking' ? startsUntil : Math.max(end ?? at, closes ?? 0);
  return at > until ? 'stuck' : 'in_progress';
}

function studentProblem(level: number, isLate: boolean, status: Json | undefined, outcome: Standing): StudentProblem {
  if (level === 3) return 'suspicion_3';
  if (level === 2) return 'suspicion_2';
  if (!isLate) return null;
  if (outcome === 'not_started' || outcome === 'no_show') return outcome;
  if (phaseOf(status) !== 'checking') return null;
  return statusOf(status) === 'check_started' ? 'check_not_completed' : 'waiting_after_check';
}

function hasStanding(...outcomes: readonly Standing[]) {
  return ({ outcome }: ViewedStudent): boolean => outcomes.includes(outcome);
}

/** The numbers of a report, and its lists. */
export const groups = {
  problems: ({ problem }) => problem !== null,
  present: hasStanding('finished', 'in_progress', 'stuck'),
  finished: hasStanding('finished'),
  'in-progress': hasStanding('in_progress'),
  absent: hasStanding('not_started', 'no_show'),
  'not-started': hasStanding('not_started'),
  'no-shows': hasStanding('no_show'),
  stuck: hasStanding('stuck'),
  suspicion: ({ level_of_suspicion: level }) => (level ?? 0) >= 2,
  'not-rated': ({ level_of_suspicion: level }) => (level ?? 0) === 0,
  'not-mailed': ({ status }) => statusOf(status) === 'registered',
  unknown: hasStanding('unknown'),
} as const satisfies Record<string, (student: ViewedStudent) => boolean>;
export type Group = keyof typeof groups;

export function numbersOf(students: readonly ViewedStudent[]): Record<string, number> {
  const { absent: _, ...counted } = groups;
  const counts = Object.entries(counted).map(([group, isMeant]) => {
    return [group.replaceAll('-', '_'), students.filter(isMeant).length];
  });
  return { students: students.length, ...Object.fromEntries(counts) };
}

export function urgencyOf(problem: Json): number {
  return (problems as readonly Json[]).indexOf(problem);
}

export function isFound({ shown, email, name }: ViewedStudent, text: string, { dialect }: Pick<Client, 'dialect'>): boolean {
  if (hasWords(spellings([email, name].join(' ')), soughtWords(text))) return true;
  const { [dialect.sessionExamKey]: _exam, level_of_suspicion: _level, id = null, ...own } = shown;
  if (textOfJson(id) === text.trim()) return true;
  const values = Object.values(own).filter((value) => ['string', 'number', 'bigint'].includes(typeof value));
  // A number that was dictated is written in groups, and without the zeros before it.
  return values.some((value) => plainNumber(textOfJson(value)) === plainNumber(text));
}

export function commandsFor({ session, outcome }: ViewedStudent, profile: string): Sentence[] {
  const command = (line: string, option = '') => commandOf(profile, line, [textOfJson(session)], option);
  const show = sentence`Show:       ${command('sessions get')}`;
  if (outcome === 'finished' || outcome === 'unknown') return [show];
  const what = outcome === 'no_show' ? 'Start late:' : 'More time: ';
  return [show, sentence`${what} ${command('sessions extend', '--by 15m')}`];
}
