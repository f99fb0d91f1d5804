/** The differences between two polls, field by field. */
import { expect, test } from 'vitest';
import { problemsOf } from '../../../src/features/watch/problems.ts';
import { changesBetween, problemChanges } from '../../../src/features/watch/status-changes.ts';
import { student } from './student.ts';

const short = (changes: ReturnType<typeof changesBetween>) => changes.map(({ session, field, from, to }) => [session, field, from, to]);

test('each field that differs is a change of its own', () => {
  const before = [student({ close_time: '2026-11-21T09:15:00Z' })];
  const after = [
    student({ status: 'exam_started', level_of_suspicion: 1, open_time: '2026-11-21T08:00:00Z', close_time: '2026-11-21T09:45:00Z' }),
  ];
  expect(short(changesBetween(before, after))).toEqual([
    [1, 'status', 'mail_sent', 'exam_started'],
    [1, 'level_of_suspicion', 0, 1],
    [1, 'open_time', null, '2026-11-21T08:00:00Z'],
    [1, 'close_time', '2026-11-21T09:15:00Z', '2026-11-21T09:45:00Z'],
  ]);
  expect(changesBetween(after, after)).toEqual([]);
});

test('added and removed students, with the status', () => {
  const [one, two] = [student({ session: 1 }), student({ session: 2, status: 'registered' })];
  expect(short(changesBetween([one], [two]))).toEqual([
    [2, 'added', null, 'registered'],
    [1, 'removed', 'mail_sent', null],
  ]);
});

test('another order, or another way to write a time, is no change', () => {
  const [one, two] = [student({ session: 1, close_time: '2026-11-21T09:15:00Z' }), student({ session: 2 })];
  expect(changesBetween([one, two], [two, { ...one, close_time: '2026-11-21T10:15:00+01:00' }])).toEqual([]);
});

test('another spelling of a status is no change, and a change shows the status as it is', () => {
  const [small, capitals, further] = ['mail_sent', 'MAIL_SENT', 'CHECK_STARTED'].map((status) => [student({ status })]);
  expect(changesBetween(small ?? [], capitals ?? [])).toEqual([]);
  expect(short(changesBetween(small ?? [], further ?? []))).toEqual([[1, 'status', 'mail_sent', 'CHECK_STARTED']]);
});

test('IDs beyond 2^53 are told apart', () => {
  const [one, two] = [student({ session: 9007199254740993n }), student({ session: 9007199254740992n })];
  const changed = { ...two, status: 'exam_started' };
  expect(changesBetween([one, two], [{ ...one }, changed]).map(({ session }) => session)).toEqual([9007199254740992n]);
});

test('students without an ID are not followed, and disturb no others', () => {
  const nobody = student({ session: null });
  expect(changesBetween([nobody, nobody], [{ ...nobody, status: 'exam_started' }])).toEqual([]);
});

test('a problem comes once, changes its kind, and goes', () => {
  const at = (level_of_suspicion: number) =>
    problemsOf([student({ status: 'exam_started', level_of_suspicion })], { start: 0, end: undefined }, { now: 1, late: 0 });
  expect(short(problemChanges(at(0), at(2)))).toEqual([[1, 'problem', null, 'suspicion_2']]);
  expect(problemChanges(at(2), at(2))).toEqual([]);
  expect(short(problemChanges(at(2), at(3)))).toEqual([
    [1, 'problem', null, 'suspicion_3'],
    [1, 'problem', 'suspicion_2', null],
  ]);
  expect(short(problemChanges(at(3), at(0)))).toEqual([[1, 'problem', 'suspicion_3', null]]);
});
