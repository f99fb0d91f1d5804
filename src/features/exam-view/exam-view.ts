/**
 * An exam at a moment, with each of its students. The watch, the report, its page and `sessions find` show this, and read sessions in no
 * other way.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { firstInLine, firstLines } from '../../model/count.ts';
import { examNamed, studentNamed } from '../../model/describe.ts';
import { idOf, shownId } from '../../model/id.ts';
import type { Json } from '../../model/json.ts';
import { countedStatus } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { groups, numbersOf, urgencyOf, type ViewedStudent, viewStudent } from './viewed-student.ts';

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

/** Whether somebody needs help, or more urgently than before. */
export function isAlarm({ field, from, to }: Change): boolean {
  return field === 'problem' && urgencyOf(to) < urgencyOf(from);
}

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
