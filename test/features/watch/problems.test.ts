/** The students who need attention, and since when. */
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../../src/features/watch/problems.ts';
import type { WatchedStudent } from '../../../src/features/watch/watched-students.ts';
import { sessionStatuses } from '../../../src/model/status.ts';
import { student } from './student.ts';

const minute = 60_000;
const start = Date.parse('2026-11-21T09:00:00Z');
const exam = { start, end: start + 120 * minute };

const kinds = (given: Partial<WatchedStudent>, minutes: number, times: typeof exam | { start: undefined; end: undefined } = exam) =>
  problemsOf([student(given)], times, { now: start + minutes * minute, late: 10 * minute }).map(({ problem }) => problem);

describe('not started', () => {
  test('is a problem from the given minutes after the start, to the millisecond', () => {
    const at = (now: number) => problemsOf([student()], exam, { now, late: 10 * minute });
    expect(at(start + 10 * minute - 1)).toEqual([]);
    expect(at(start + 10 * minute)).toMatchObject([{ session: 1, problem: 'not_started', since: start + 10 * minute }]);
  });

  test.each(sessionStatuses.map((status) => [status]))('with the status %s', (status) => {
    const begun = status === 'exam_started' || status === 'exam_finished';
    const expected = begun ? [] : [status === 'check_started' ? 'check_not_completed' : 'not_started'];
    expect(kinds({ status }, 11)).toEqual(expected);
  });

  test('counts from the own window where that opens later, and not where it opens earlier', () => {
    expect(kinds({ open_time: '2026-11-21T09:30:00Z' }, 39)).toEqual([]);
    expect(kinds({ open_time: '2026-11-21T09:30:00Z' }, 40)).toEqual(['not_started']);
    expect(kinds({ open_time: '2026-11-21T08:30:00Z' }, 5)).toEqual([]);
  });

  test('in an exam without times only the own window tells', () => {
    const without = { start: undefined, end: undefined };
    expect(kinds({}, 1_000_000, without)).toEqual([]);
    expect(kinds({ status: 'check_started' }, 1_000_000, without)).toEqual([]);
    expect(kinds({ open_time: '2026-11-21T09:00:00Z' }, 10, without)).toEqual(['not_started']);
  });
});

describe('a check that is not completed', () => {
  const check = student({ status: 'check_started' });
  const at = (minutes: number, began?: number) =>
    problemsOf([check], exam, { now: start + minutes * minute, late: 10 * minute, checkBegan: () => began });

  test('is a problem from the given minutes after the start, and nobody knows since when it is under way', () => {
    expect(at(9.9)).toEqual([]);
    expect(at(10)).toMatchObject([{ problem: 'check_not_completed', since: undefined }]);
  });

  test('that was seen to begin is one since then, and has as long from there', () => {
    expect(at(10, start - 5 * minute)).toMatchObject([{ problem: 'check_not_completed', since: start - 5 * minute }]);
    expect(at(21.9, start + 12 * minute)).toEqual([]);
    expect(at(22, start + 12 * minute)).toMatchObject([{ problem: 'check_not_completed', since: start + 12 * minute }]);
  });
});

test.each([
  [0, []],
  [1, []],
  [2, ['suspicion_2']],
  [3, ['suspicion_3']],
  [4, []],
  [null, []],
])('suspicion %s', (level_of_suspicion, expected) => {
  expect(kinds({ status: 'exam_started', level_of_suspicion }, 60)).toEqual(expected);
});

test('an unknown status raises no alarm', () => {
  expect(kinds({ status: 'beamed_up' }, 60)).toEqual([]);
  expect(kinds({ status: null }, 60)).toEqual([]);
});

test('the most urgent stand first, and one student may have two', () => {
  const students = [
    student({ session: 1 }),
    student({ session: 2, level_of_suspicion: 2 }),
    student({ session: 3, level_of_suspicion: 3 }),
  ];
  const found = problemsOf(students, exam, { now: start + 60 * minute, late: 0 });
  expect(found.map(({ session, problem }) => [session, problem])).toEqual([
    [3, 'suspicion_3'],
    [2, 'suspicion_2'],
    [1, 'not_started'],
    [2, 'not_started'],
    [3, 'not_started'],
  ]);
});
