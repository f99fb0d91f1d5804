/** The students who need attention, and since when. */
import { expect, test } from 'vitest';
import { problemsOf } from '../../../src/features/watch/problems.ts';
import type { WatchedStudent } from '../../../src/features/watch/watched-students.ts';
import { sessionStatuses } from '../../../src/model/status.ts';
import { student } from './student.ts';

const minute = 60_000;
const start = Date.parse('2026-11-21T09:00:00Z');
const exam = { start, end: start + 120 * minute };
const noTimes = { start: undefined, end: undefined };

const found = (given: Partial<WatchedStudent>, minutes: number, { times = exam as typeof exam | typeof noTimes, began = NaN } = {}) => {
  const checkBegan = () => (Number.isNaN(began) ? undefined : start + began * minute);
  return problemsOf([student(given)], times, { now: start + minutes * minute, late: 10 * minute, checkBegan });
};
const checking = { status: 'check_started' };
const half = { open_time: '2026-11-21T09:30:00Z' };

test.each<[string, ReturnType<typeof found>, string[], number?]>([
  ['a millisecond too early', found({}, 10 - 1 / minute), []],
  ['after the given minutes', found({}, 10), ['not_started'], 10],
  ['before an own window that opens later', found(half, 39), []],
  ['after such a window has opened', found(half, 40), ['not_started'], 40],
  ['in an own window that opens earlier', found({ open_time: '2026-11-21T08:30:00Z' }, 5), []],
  ['in an exam without times', found({}, 1e6, { times: noTimes }), []],
  ['in the check of an exam without times', found(checking, 1e6, { times: noTimes }), []],
  ['in an exam without times that has a window', found({ open_time: '2026-11-21T09:00:00Z' }, 10, { times: noTimes }), ['not_started'], 10],
  ['in a check, too early', found(checking, 9.9), []],
  ['in a check of which nobody knows when it began', found(checking, 10), ['check_not_completed']],
  ['in a check that began before the exam', found(checking, 10, { began: -5 }), ['check_not_completed'], -5],
  ['in a check that began later', found(checking, 21.9, { began: 12 }), []],
  ['in a check that began as long ago', found(checking, 22, { began: 12 }), ['check_not_completed'], 12],
  ['with an unknown status', found({ status: 'beamed_up' }, 60), []],
  ['without a status', found({ status: null }, 60), []],
  ...[0, 1, 4, null].map(
    (level) => [`of suspicion ${level}`, found({ status: 'exam_started', level_of_suspicion: level }, 60), []] as never,
  ),
])('a student %s', (_what, problems, kinds, since) => {
  expect(problems.map(({ problem }) => problem)).toEqual(kinds);
  expect(problems[0]?.since).toBe(since === undefined ? undefined : start + since * minute);
});

test.each(sessionStatuses)('not started with the status %s', (status) => {
  const begun = status === 'exam_started' || status === 'exam_finished';
  const expected = begun ? [] : [status === 'check_started' ? 'check_not_completed' : 'not_started'];
  expect(found({ status }, 11).map(({ problem }) => problem)).toEqual(expected);
});

test('the most urgent stand first, and one student may have two', () => {
  const students = [undefined, 2, 3].map((level, index) => student({ session: index + 1, level_of_suspicion: level ?? 0 }));
  expect(problemsOf(students, exam, { now: start + 60 * minute, late: 0 }).map(({ session, problem }) => [session, problem])).toEqual([
    [3, 'suspicion_3'],
    [2, 'suspicion_2'],
    [1, 'not_started'],
    [2, 'not_started'],
    [3, 'not_started'],
  ]);
});
