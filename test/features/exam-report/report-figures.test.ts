/** The report as a value: each student is counted once in each respect, and none is named without a reason. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportOf } from '../../../src/features/exam-report/report-figures.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { sessionStatuses } from '../../../src/model/status.ts';
import { afterwards, exam, report, student } from './sample.ts';

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

describe('whatever the students are', () => {
  test('each is counted once by outcome, by status and by level', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyone), fc.integer({ min: -48, max: 48 }), async (students, hours) => {
        const made = await report(students as JsonObject[], exam, afterwards + hours * 3_600_000);
        const { counts } = made;
        const sum = (rows: { count: number }[]) => rows.reduce((total, { count }) => total + count, 0);
        expect(counts.students).toBe(students.length);
        expect(counts.finished + counts.in_progress + counts.stuck).toBe(counts.present);
        expect(counts.present + counts.not_started_yet + counts.no_shows + counts.unknown).toBe(students.length);
        expect([sum(made.statuses), sum(made.suspicion)]).toEqual([students.length, students.length]);
        expect([made.no_show_students.length, made.stuck_students.length]).toEqual([counts.no_shows, counts.stuck]);
        expect(made.preliminary || counts.not_started_yet + counts.in_progress === 0).toBe(true);
      }),
    );
  });
});

test('statuses stand in the order of an exam, unknown ones after them as they are', async () => {
  const { statuses, counts } = await report([student({ status: 'paused' }), student({ status: null }), student({ status: 'mail_sent' })]);
  expect(statuses.map(({ status }) => status)).toEqual([...sessionStatuses, 'paused', null]);
  expect(counts).toMatchObject({ students: 3, unknown: 2, no_shows: 1 });
});

test('a status is counted once in all its spellings, and the student is shown with the one of the service', async () => {
  const { statuses, counts, no_show_students } = await report(
    ['REGISTERED', 'Registered', 'EXAM_FINISHED'].map((status) => student({ status })),
  );
  expect(statuses.map(({ status }) => status)).toEqual([...sessionStatuses]);
  expect(counts).toMatchObject({ students: 3, finished: 1, no_shows: 2, not_mailed: 2, unknown: 0 });
  expect(no_show_students.map(({ status }) => status)).toEqual(['REGISTERED', 'Registered']);
});

test('levels stand from 0 to 3, and a level that is not shown is not 0', async () => {
  const students = [3, 0, null, 2, 2].map((level) => student({ level_of_suspicion: level }));
  const { suspicion, suspicious_students } = await report(students);
  expect(suspicion).toEqual([
    { level: 0, count: 1 },
    { level: 1, count: 0 },
    { level: 2, count: 2 },
    { level: 3, count: 1 },
    { level: null, count: 1 },
  ]);
  expect(suspicious_students.map(({ level_of_suspicion }) => level_of_suspicion)).toEqual([3, 2, 2]);
});

test('a listed student has the fields that the service shows, and null for the others', async () => {
  const { no_show_students: no_shows, stuck_students: stuck } = await report([
    { id: 2n ** 60n, status: 'registered' },
    student({ id: 9, status: 'exam_started' }),
  ]);
  expect(no_shows).toEqual([{ id: 2n ** 60n, email: null, name: null, status: 'registered', close_time: null, level_of_suspicion: null }]);
  expect(stuck).toMatchObject([{ id: 9, status: 'exam_started' }]);
});

test('names are found under the names that the dialect gives them', async () => {
  const dialect = { examNameKey: 'title', sessionNameKey: 'full_name' };
  const circumstances = { now: afterwards, origin: '', dialect };
  const made = await reportOf(
    { id: 'e-1', title: 'Algebra', end_time: '2027-02-01T10:00:00Z' },
    [{ id: 's-1', full_name: 'Ada', status: 'registered' }],
    circumstances,
  );
  expect([made.exam, made.name, made.no_show_students[0]?.id, made.no_show_students[0]?.name]).toEqual(['e-1', 'Algebra', 's-1', 'Ada']);
});
