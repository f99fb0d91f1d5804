/** The differences between two polls of an exam, field by field. */
import type { Column } from '../../command.ts';
import { stringifyJson } from '../../model/json.ts';
import { countedStatus } from '../../model/status.ts';
import { sameInstant } from '../../model/time.ts';
import type { WatchProblem } from './problems.ts';
import type { WatchedStudent } from './watched-students.ts';

type Value = string | number | null;

/** `added` and `removed` carry the student's status, `problem` its kind; the others are the service's fields. */
export type Field = (typeof watched)[number] | 'added' | 'removed' | 'problem';
export type WatchChange = Pick<WatchedStudent, 'session' | 'email' | 'name'> & { field: Field; from: Value; to: Value };

/** How a change is printed, with the moment at which it was seen. */
export const changeColumns: readonly Column[] = [
  { key: 'at', as: 'time' },
  { key: 'session' },
  { key: 'email' },
  { key: 'field' },
  { key: 'from', as: 'field' },
  { key: 'to', as: 'field' },
];

const watched = ['status', 'level_of_suspicion', 'open_time', 'close_time'] as const;

/** The changes in the order of the later listing, then the removed students. */
export function changesBetween(before: readonly WatchedStudent[], after: readonly WatchedStudent[]): WatchChange[] {
  const earlier = bySession(before);
  const later = bySession(after);
  const changes: WatchChange[] = [];
  for (const [session, student] of later) {
    const was = earlier.get(session);
    if (!was) changes.push(change(student, 'added', null, student.status));
    else for (const field of watched) if (!same(field, was, student)) changes.push(change(student, field, was[field], student[field]));
  }
  for (const [session, student] of earlier) {
    if (!later.has(session)) changes.push(change(student, 'removed', student.status, null));
  }
  return changes;
}

/** The problems that have come and gone. */
export function problemChanges(before: readonly WatchProblem[], after: readonly WatchProblem[]): WatchChange[] {
  const earlier = new Set(before.map(problemKey));
  const later = new Set(after.map(problemKey));
  return [
    ...after.filter((each) => !earlier.has(problemKey(each))).map((each) => change(each, 'problem', null, each.problem)),
    ...before.filter((each) => !later.has(problemKey(each))).map((each) => change(each, 'problem', each.problem, null)),
  ];
}

/** Identifies a problem from one poll to the next. */
export function problemKey({ session, problem }: WatchProblem): string {
  return stringifyJson([session, problem]);
}

function bySession(students: readonly WatchedStudent[]): Map<WatchedStudent['session'], WatchedStudent> {
  return new Map(students.filter(({ session }) => session !== null).map((student) => [student.session, student]));
}

/** Another spelling of a time or a status is no change. */
function same(field: (typeof watched)[number], before: WatchedStudent, after: WatchedStudent): boolean {
  const [from, to] = [before[field], after[field]];
  if (field === 'status') return countedStatus(before.status) === countedStatus(after.status);
  return from === to || ((field === 'open_time' || field === 'close_time') && sameInstant(from, to));
}

function change(
  { session, email, name }: Pick<WatchedStudent, 'session' | 'email' | 'name'>,
  field: Field,
  from: Value,
  to: Value,
): WatchChange {
  return { session, email, name, field, from, to };
}
