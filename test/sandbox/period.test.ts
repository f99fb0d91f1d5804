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

test('two students and a proctor are in two exams at once, one exam has no proctor, and one student is there twice', () => {
  const exams = periodExams(now);
  const overlaps = exams.flatMap((exam, index) =>
    exams.slice(index + 1).flatMap((other) => (other.begins < exam.ends && exam.begins < other.ends ? [[exam, other] as const] : [])),
  );
  expect(overlaps.map((pair) => pair.map(({ name }) => name))).toEqual([['Experimental Physics (main term)', 'Statistik II (main term)']]);
  const [[first, second] = []] = overlaps;
  const addresses = (students = first?.students) => students?.map(({ email }) => email) ?? [];
  expect(addresses().filter((address) => addresses(second?.students).includes(address))).toHaveLength(2);
  expect(first?.proctors.filter((proctor) => second?.proctors.includes(proctor))).toEqual([4]);
  expect(exams.filter(({ proctors }) => proctors.length === 0).map(({ name }) => name)).toEqual(['Databases (main term)']);
  const repeated = exams.filter(({ students }) => {
    const folded = students.flatMap(({ email }) => (email === null ? [] : [email.toLowerCase()]));
    return new Set(folded).size < folded.length;
  });
  expect(repeated.map(({ name }) => name)).toEqual(['Machine Learning (main term)']);
  expect(new Set(exams.flatMap(({ students }) => students.map(({ matriculation_number }) => matriculation_number))).size).toBe(42);
});

test('every student of the sample accommodations takes an exam of the period', () => {
  const sample = readFileSync(join(import.meta.dirname, '../demo/accommodations.csv'), 'utf8');
  const named = [...sample.matchAll(/^(\S+@[^,]+),/gm)].map(([, address = '']) => address);
  expect(named).toHaveLength(6);
  const taking = new Set(periodExams(now).flatMap(({ students }) => students.map(({ email }) => email)));
  expect(named.filter((address) => !taking.has(address))).toEqual([]);
});
