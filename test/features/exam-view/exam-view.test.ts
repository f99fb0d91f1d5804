/** The view of an exam: each student is counted once, who needs help is named, and a difference is a change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pacer } from '../../../src/api/pacer.ts';
import { CliError } from '../../../src/errors.ts';
import {
  changesOf,
  countStatuses,
  groups,
  isAlarm,
  numbersOf,
  studentsIn,
  viewEach,
  whyPreliminary,
} from '../../../src/features/exam-view/exam-view.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { sessionStatuses } from '../../../src/model/status.ts';
import { algebra, view } from './view.ts';

const anyone = fc.record(
  {
    id: fc.oneof(fc.nat(), fc.bigInt({ min: 2n ** 60n, max: 2n ** 62n }), fc.string()),
    email: fc.option(fc.string()),
    status: fc.option(fc.oneof(fc.constantFrom(...sessionStatuses), fc.string())),
    close_time: fc.option(fc.constantFrom('2027-02-01T09:00:00Z', '2027-02-03T09:00:00Z', 'never')),
    level_of_suspicion: fc.option(fc.constantFrom(0, 1, 2, 3, 7)),
  },
  { requiredKeys: [] },
);

test('whatever the students are, each is counted once by outcome and by status', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyone), fc.integer({ min: -3000, max: 3000 }), async (students, minutes) => {
      const seen = await view(students as JsonObject[], { minutes });
      const {
        present = 0,
        finished = 0,
        in_progress = 0,
        stuck = 0,
        not_started = 0,
        no_shows = 0,
        unknown = 0,
      } = numbersOf(seen.students);
      expect(finished + in_progress + stuck).toBe(present);
      expect(present + not_started + no_shows + unknown).toBe(students.length);
      expect(countStatuses(seen.students).reduce((sum, { count }) => sum + count, 0)).toBe(students.length);
      expect(whyPreliminary(seen) !== undefined || not_started + in_progress === 0).toBe(true);
    }),
  );
});

test('a status is counted once in all its spellings, in the order of an exam, and a student is shown with the one of the service', async () => {
  const { students } = await view(['REGISTERED', 'Registered', 'paused', null, 'EXAM_FINISHED'].map((status, id) => ({ id, status })));
  expect(countStatuses(students).map(({ status }) => status)).toEqual([...sessionStatuses, 'paused', null]);
  expect(countStatuses(students)[0]).toEqual({ status: 'registered', count: 2 });
  expect(numbersOf(students)).toMatchObject({ students: 5, finished: 1, no_shows: 2, not_mailed: 2, unknown: 2 });
  expect(students.map(({ status }) => status)).toEqual(['REGISTERED', 'Registered', 'paused', null, 'EXAM_FINISHED']);
});

test('suspicion 0, and none, is not rated; 2 and 3 are suspicion, as text, too', async () => {
  const { students } = await view([3, '3', 0, null, 1, 2, undefined].map((level, id) => ({ id, level_of_suspicion: level }) as JsonObject));
  expect(numbersOf(students)).toMatchObject({ suspicion: 3, not_rated: 3, with_problems: 3 });
});

describe('a student needs help', () => {
  const half = { open_time: '2027-02-01T08:30:00Z' };
  const noTimes = { id: 1, name: 'Endless' };
  test.each<[string, JsonObject, number, string | null, JsonObject?]>([
    ['a millisecond too early', { status: 'mail_sent' }, 10 - 1 / 60_000, null],
    ['after the given minutes', { status: 'mail_sent' }, 10, 'not_started'],
    ['before an own window that opens later', { status: 'mail_sent', ...half }, 39, null],
    ['after such a window has opened', { status: 'mail_sent', ...half }, 40, 'not_started'],
    ['in an own window that opens earlier', { status: 'mail_sent', open_time: '2027-02-01T07:30:00Z' }, 5, null],
    ['in an exam without times', { status: 'mail_sent' }, 1e6, null, noTimes],
    ['in an exam without times, with a window', { status: 'mail_sent', ...half }, 40, 'not_started', noTimes],
    ['in the check, too early', { status: 'check_started' }, 9.9, null],
    ['in the check', { status: 'check_started' }, 10, 'check_not_completed'],
    ['with the check behind, and the exam not started', { status: 'exam_session_opened' }, 10, 'not_started'],
    ['who has started', { status: 'exam_started' }, 60, null],
    ['with an unknown status', { status: 'beamed_up' }, 60, null],
    ['without a status', {}, 60, null],
    ['of suspicion 1', { status: 'exam_started', level_of_suspicion: 1 }, 60, null],
    ['of suspicion 2', { status: 'exam_started', level_of_suspicion: 2 }, 0, 'suspicion_2'],
    ['of suspicion 3, and who has not started', { status: 'mail_sent', level_of_suspicion: 3 }, 60, 'suspicion_3'],
  ])('%s', async (_what, session, minutes, problem, exam = algebra) => {
    expect((await view([{ id: 1, ...session }], { minutes, exam })).students[0]?.problem).toBe(problem);
  });

  test('in a check that was seen to begin later, as many minutes after that', async () => {
    const student = (status: string) => [{ id: 1, status }];
    const waiting = await view(student('mail_sent'), { minutes: 9 });
    const begun = await view(student('check_started'), { minutes: 12, before: waiting });
    const late = await view(student('check_started'), { minutes: 21.9, before: begun });
    const later = await view(student('check_started'), { minutes: 22, before: late });
    const problems = [begun, late, later].map(({ students }) => students[0]?.problem);
    expect(problems).toEqual([null, null, 'check_not_completed']);
  });

  test('the most urgent first', async () => {
    const all = await view(
      [0, 2, 3, 0].map((level, id) => ({ id, status: id === 3 ? 'check_started' : 'mail_sent', level_of_suspicion: level })),
    );
    expect(studentsIn([all], groups.problems).map(({ student }) => student.session)).toEqual([2, 1, 3, 0]);
  });
});

test.each(['token_refused', 'network', 'interrupted'] as const)(
  'views of many exams end with the first %s, and no other exam is begun',
  async (code) => {
    const begun: number[] = [];
    const read = async (exam: number) => {
      begun.push(exam);
      if (exam === 5) throw new CliError(code, 'over');
      return view([]);
    };
    const pacer = new Pacer({ now: Date.now, sleep: async () => {} });
    await expect(viewEach({ pacer }, [...Array(50).keys()], read)).rejects.toMatchObject({ code });
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun.length).toBeLessThan(20);
  },
);

describe('between two looks', () => {
  const one = { id: 1, status: 'exam_started', level_of_suspicion: 0, close_time: '2027-02-01T09:15:00Z' };
  const changes = async (before: JsonObject[], after: JsonObject[]) => changesOf(await view(before), await view(after));
  const big = [2n ** 53n, 2n ** 53n + 1n].map((id) => ({ ...one, id }));
  test.each<[string, JsonObject[], JsonObject[], unknown[][]]>([
    [
      'each field that differs is a change of its own',
      [one],
      [{ ...one, status: 'exam_finished', level_of_suspicion: 1, open_time: '2027-02-01T07:00:00Z', close_time: '2027-02-01T09:45:00Z' }],
      [
        [1, 'status', 'exam_started', 'exam_finished'],
        [1, 'level_of_suspicion', 0, 1],
        [1, 'open_time', null, '2027-02-01T07:00:00Z'],
        [1, 'close_time', '2027-02-01T09:15:00Z', '2027-02-01T09:45:00Z'],
      ],
    ],
    [
      'added and removed students are named with the status',
      [one],
      [{ id: 2, status: 'registered' }],
      [
        [2, 'added', null, 'registered'],
        [1, 'removed', 'exam_started', null],
      ],
    ],
    [
      'another order, and another way to write a time or a status, is none',
      [one, { id: 2 }],
      [{ id: 2 }, { ...one, status: 'Exam-Started', close_time: '2027-02-01T10:15+01:00' }],
      [],
    ],
    [
      'IDs beyond 2^53 are told apart',
      big,
      [big[1] as JsonObject, { ...big[0], level_of_suspicion: 1 }],
      [[2n ** 53n, 'level_of_suspicion', 0, 1]],
    ],
    ['students without an ID are not followed', [{ status: 'registered' }], [], []],
  ])('%s', async (_what, before, after, expected) => {
    expect((await changes(before, after)).map(({ session, field, from, to }) => [session, field, from, to])).toEqual(expected);
  });

  test('rising suspicion is an alarm, and falling suspicion is none', async () => {
    const at = (level: number) => [{ ...one, level_of_suspicion: level }];
    const problems = async (from: number, to: number) => (await changes(at(from), at(to))).filter(({ field }) => field === 'problem');
    const told = async (from: number, to: number) => (await problems(from, to)).map((change) => [change.from, change.to, isAlarm(change)]);
    expect(await told(0, 2)).toEqual([[null, 'suspicion_2', true]]);
    expect(await told(2, 3)).toEqual([['suspicion_2', 'suspicion_3', true]]);
    expect(await told(3, 2)).toEqual([['suspicion_3', 'suspicion_2', false]]);
    expect(await told(3, 0)).toEqual([['suspicion_3', null, false]]);
    expect(await told(2, 2)).toEqual([]);
  });
});
