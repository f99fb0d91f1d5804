/** The differences between two polls, field by field. */
import { expect, test } from 'vitest';
import { problemsOf } from '../../../src/features/watch/problems.ts';
import { changesBetween, problemChanges } from '../../../src/features/watch/status-changes.ts';
import type { WatchedStudent } from '../../../src/features/watch/watched-students.ts';
import { student } from './student.ts';

const [quarter, later] = ['2026-11-21T09:15:00Z', '2026-11-21T09:45:00Z'];
const [one, two] = [student({ close_time: quarter }), student({ session: 2, status: 'registered' })];
const changed = { ...one, status: 'exam_started', level_of_suspicion: 1, open_time: '2026-11-21T08:00:00Z', close_time: later };
const [big, bigger] = [9007199254740992n, 9007199254740993n].map((session) => student({ session })) as [WatchedStudent, WatchedStudent];
const nobody = student({ session: null });

test.each<[string, WatchedStudent[], WatchedStudent[], unknown[][]]>([
  [
    'each field that differs is a change of its own',
    [one],
    [changed],
    [
      [1, 'status', 'mail_sent', 'exam_started'],
      [1, 'level_of_suspicion', 0, 1],
      [1, 'open_time', null, '2026-11-21T08:00:00Z'],
      [1, 'close_time', quarter, later],
    ],
  ],
  [
    'added and removed students, with the status',
    [one],
    [two],
    [
      [2, 'added', null, 'registered'],
      [1, 'removed', 'mail_sent', null],
    ],
  ],
  ['another order, or another way to write a time, is no change', [one, two], [two, { ...one, close_time: '2026-11-21T10:15+01:00' }], []],
  ['another spelling of a status is no change', [one], [{ ...one, status: 'MAIL_SENT' }], []],
  ['a status is shown as it is', [one], [{ ...one, status: 'CHECKING' }], [[1, 'status', 'mail_sent', 'CHECKING']]],
  [
    'IDs beyond 2^53 are told apart',
    [bigger, big],
    [bigger, { ...big, level_of_suspicion: 3 }],
    [[big.session, 'level_of_suspicion', 0, 3]],
  ],
  ['students without an ID are not followed', [nobody, nobody], [{ ...nobody, status: 'exam_started' }], []],
])('%s', (_what, before, after, changes) => {
  expect(changesBetween(before, after).map(({ session, field, from, to }) => [session, field, from, to])).toEqual(changes);
});

test('a problem comes once, changes its kind, and goes', () => {
  const at = (level_of_suspicion: number) =>
    problemsOf([student({ status: 'exam_started', level_of_suspicion })], { start: 0, end: undefined }, { now: 1, late: 0 });
  const changes = (before: number, after: number) => problemChanges(at(before), at(after)).map(({ from, to }) => [from, to]);
  expect([changes(0, 2), changes(2, 2), changes(3, 0)]).toEqual([[[null, 'suspicion_2']], [], [['suspicion_3', null]]]);
  expect(changes(2, 3)).toEqual([
    [null, 'suspicion_3'],
    ['suspicion_2', null],
  ]);
});
