/** The exam period among the first data: when it is, and what is in it on purpose. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextChange, periodExams } from '../../src/sandbox/seed-period.ts';
import { type Item, now, serve } from './harness.ts';

const hour = 3_600_000;
const day = 24 * hour;
const vienna = (instant: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Vienna', timeStyle: 'short' }).format(instant);

test('the clocks of Vienna change in the middle of the period, and its exams begin at the times of the table there', () => {
  const instants = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2037, 0, 1) });
  fc.assert(
    fc.property(instants, (instant) => {
      const { sunday, before, after } = nextChange(instant);
      expect([vienna(sunday + hour - 1), vienna(sunday + hour)]).toEqual(before < after ? ['01:59', '03:00'] : ['02:59', '02:00']);
      const exams = periodExams(instant);
      expect(exams.map(({ begins }) => vienna(begins))).toEqual([
        ...['09:00', '09:00', '10:00', '14:00', '09:00', '13:00'],
        ...['18:00', '09:00', '11:30', '10:00', '09:00', '21:00'],
      ]);
      const [first = 0, last = 0] = [exams[0]?.begins, exams.at(-1)?.ends];
      expect(first - instant).toBeGreaterThanOrEqual(7 * day);
      expect(last - first).toBeLessThan(14 * day);
      expect(first < sunday && sunday < last).toBe(true);
      const across = exams.filter(({ begins, ends }) => begins < sunday && sunday < ends);
      expect(across.map(({ begins, ends }) => vienna(begins) === vienna(ends) && ends - begins !== day)).toEqual([true]);
    }),
  );
});

test('the exams of the period stand behind the others; no student of theirs is in another exam', async () => {
  const { send } = await serve();
  const exams = (await send<Item[]>('GET', '/exams')).body;
  expect(exams.map(({ id, name }) => [id, String(name).endsWith('(main term)')])).toEqual(
    Array.from({ length: 18 }, (_, index) => [index + 1, index >= 6]),
  );
  const sessions = (await send<Item[]>('GET', '/student_sessions')).body;
  const of = (inPeriod: boolean) =>
    new Set(
      sessions
        .filter(({ exam_id, email }) => Number(exam_id) > 6 === inPeriod && email !== null)
        .map(({ email }) => String(email).toLowerCase()),
    );
  expect(of(true).size).toBe(42);
  expect([...of(true)].filter((address) => of(false).has(address))).toEqual([]);
});

test('every student of the sample accommodations takes an exam of the period', () => {
  const sample = readFileSync(join(import.meta.dirname, '../demo/accommodations.csv'), 'utf8');
  const named = [...sample.matchAll(/^(\S+@[^,]+),/gm)].map(([, address = '']) => address);
  expect(named).toHaveLength(6);
  const taking = new Set(periodExams(now).flatMap(({ students }) => students.map(({ email }) => email)));
  expect(named.filter((address) => !taking.has(address))).toEqual([]);
});
