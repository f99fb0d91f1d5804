/** The view of an exam: each student is counted once, who needs help is named, and a difference is a change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesOf, numbersOf, whyPreliminary } from '../../../src/features/monitoring/exam-view.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { sessionStatuses } from '../../../src/model/status.ts';
import { algebra, minute, start, view } from './view.ts';

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

test('whatever the students are, each is counted once by outcome', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyone), fc.integer({ min: -3000, max: 3000 }), async (students, minutes) => {
      const seen = await view(students as JsonObject[], { minutes });
      const numbers = numbersOf(seen.students);
      const sum = (...keys: string[]) => keys.reduce((all, key) => all + (numbers[key] ?? 0), 0);
      expect(sum('finished', 'in_progress', 'stuck')).toBe(numbers.present);
      expect(sum('present', 'not_started', 'no_shows', 'unknown')).toBe(students.length);
      expect(whyPreliminary(seen) !== undefined || sum('not_started', 'in_progress') === 0).toBe(true);
    }),
  );
});

test('a status counts in all its spellings, and is shown in the one of the service', async () => {
  const { students } = await view(['REGISTERED', 'Registered', 'paused', null, 'EXAM_FINISHED'].map((status, id) => ({ id, status })));
  expect(numbersOf(students)).toMatchObject({ students: 5, finished: 1, no_shows: 2, not_mailed: 2, unknown: 2 });
  expect(students.map(({ status }) => status)).toEqual(['REGISTERED', 'Registered', 'paused', null, 'EXAM_FINISHED']);
});

test('suspicion 0, and none, is not rated; 2 and 3 are suspicion, as text, too', async () => {
  const { students } = await view([3, '3', 0, null, 1, 2, undefined].map((level, id) => ({ id, level_of_suspicion: level }) as JsonObject));
  expect(numbersOf(students)).toMatchObject({ suspicion: 3, not_rated: 3, problems: 3 });
});

describe('what becomes of a student', () => {
  const become = async (status: string, minutes: number, close_time: unknown = null, exam: JsonObject = algebra) =>
    (await view([{ id: 1, status, close_time } as JsonObject], { exam, minutes })).students[0]?.outcome;
  /** In minutes after the start; the exam ends at 120. */
  const closing = (minutes: number | null) => (minutes === null ? null : new Date(start + minutes * minute).toISOString());

  test.each<[string, number, string, number?]>([
    ['registered', 120, 'not_started'],
    ['mail_sent', 120.1, 'no_show'],
    ['check_completed', 119, 'in_progress'],
    ['exam_session_opened', 120.1, 'stuck'],
    ['exam_started', 120, 'in_progress'],
    ['exam_started', 120.1, 'stuck'],
    ['exam_finished', -60, 'finished'],
    ['paused', 240, 'unknown'],
    // Whose own window is over can no longer start, but may write to the end of the exam.
    ['mail_sent', 16, 'no_show', 15],
    ['check_completed', 16, 'stuck', 15],
    ['exam_started', 16, 'in_progress', 15],
    ['exam_started', 121, 'stuck', 15],
    // Whose window was extended beyond the exam has until then.
    ['registered', 150, 'not_started', 180],
    ['check_started', 150, 'in_progress', 180],
    ['exam_started', 150, 'in_progress', 180],
    ['exam_started', 180.1, 'stuck', 180],
  ])('who is %s after %d minutes of 120 is %s, where the own window closes after %s', async (status, minutes, outcome, closes) => {
    expect(await become(status, minutes, closing(closes ?? null))).toBe(outcome);
  });

  test.each([null, undefined, 'soon', ''])('where the exam ends at %j, the own window decides, and nothing for who writes', async (end) => {
    const exam = { ...algebra, end_time: end } as JsonObject;
    const late = (status: string, closes: number | null) => become(status, 900, closing(closes), exam);
    expect(await Promise.all([late('registered', null), late('registered', 15), late('exam_started', 15)])).toEqual([
      ...['not_started', 'no_show', 'in_progress'],
    ]);
  });
});

test('an exam is ahead, running or over, and open where its end is not known', async () => {
  const standing = async (minutes: number, exam: JsonObject = algebra) => (await view([], { minutes, exam })).standing;
  expect(await Promise.all([-0.1, 0, 120, 120.1].map((minutes) => standing(minutes)))).toEqual(['ahead', 'running', 'running', 'over']);
  expect(await standing(240, { ...algebra, end_time: null })).toBe('open');
  expect(await standing(-60, { ...algebra, start_time: null })).toBe('running');
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
    ['in the check, when it is over', { status: 'check_started' }, 121, 'check_not_completed'],
    ['who waits after the check', { status: 'exam_session_opened' }, 10, 'waiting_after_check'],
    ['who can no longer start', { status: 'mail_sent' }, 121, 'no_show'],
    ['who has started', { status: 'exam_started' }, 60, null],
    ['with an unknown status', { status: 'beamed_up' }, 60, null],
    ['without a status', {}, 60, null],
    ['of suspicion 1', { status: 'exam_started', level_of_suspicion: 1 }, 60, null],
    ['of suspicion 2', { status: 'exam_started', level_of_suspicion: 2 }, 0, 'suspicion_2'],
    ['of suspicion 3, and who has not started', { status: 'mail_sent', level_of_suspicion: 3 }, 60, 'suspicion_3'],
  ])('%s', async (_what, session, minutes, problem, exam = algebra) => {
    expect((await view([{ id: 1, ...session }], { minutes, exam })).students[0]?.problem).toBe(problem);
  });
});

describe('between two looks', () => {
  const one = { id: 1, status: 'exam_started', level_of_suspicion: 0, close_time: '2027-02-01T09:15:00Z' };
  const changes = async (before: JsonObject[], after: JsonObject[]) => changesOf(await view(before), await view(after));
  const big = [2n ** 53n, 2n ** 53n + 1n].map((id) => ({ ...one, id }));
  const [open_time, close_time] = ['2027-02-01T07:00:00Z', '2027-02-01T09:45:00Z'];
  test.each<[string, JsonObject[], JsonObject[], string]>([
    ['a field that differs is a change', [one], [{ ...one, level_of_suspicion: 1 }], '1 level_of_suspicion 0 1'],
    [
      'each is one of its own',
      [one],
      [{ ...one, status: 'exam_finished', open_time, close_time }],
      `1 status exam_started exam_finished, 1 open_time null ${open_time}, 1 close_time 2027-02-01T09:15:00Z ${close_time}`,
    ],
    ['who comes or goes has the status', [one], [{ id: 2, status: 'registered' }], '2 added null registered, 1 removed exam_started null'],
    ['another order is none', [one, { id: 2 }], [{ id: 2 }, one], ''],
    ['IDs beyond 2^53 are told apart', big, [big[1] ?? {}, { ...big[0], status: null }], `${2n ** 53n} status exam_started null`],
  ])('%s', async (_what, before, after, expected) => {
    const told = (await changes(before, after)).map(({ session, field, from, to }) => [session, field, from, to].map(String).join(' '));
    expect(told.join(', ')).toBe(expected);
  });
});
