/** What holds for every exam, zone and amount. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseShift, shiftedBy } from '../../../src/features/exam-times/amount.ts';
import type { Fields } from '../../support/truth.ts';
import { exam, type Office, office } from './exams.ts';

/** Clocks that change by an hour or by half an hour, in both hemispheres, and offsets that are no whole hours. */
const zones = fc.constantFrom(
  'Europe/Vienna',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Australia/Adelaide',
  'Asia/Kathmandu',
  'Asia/Kolkata',
);
const minute = 60_000;
const instants = fc.integer({ min: Date.UTC(2027, 0) / minute, max: Date.UTC(2030, 0) / minute }).map((minutes) => minutes * minute);
const amounts = fc
  .record({ days: fc.integer({ min: -400, max: 400 }), minutes: fc.integer({ min: 0, max: 2000 }) })
  .filter(({ days, minutes }) => days !== 0 || minutes !== 0)
  .map(({ days, minutes }) => ({ days, milliseconds: minutes === 0 ? 0 : (days < 0 ? -1 : 1) * minutes * minute }));

const onTheWall = (instant: number, zone: string) =>
  new Date(instant).toLocaleTimeString('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });

/** The instant; undefined where the clocks of the zone skip it or show it twice. */
async function moved(...given: Parameters<typeof shiftedBy>): Promise<number | undefined> {
  return shiftedBy(...given).catch((error: Error) => {
    expect(error.message).toMatch(/does not exist|happens twice/);
    return undefined;
  });
}

describe('A shift', () => {
  test('by days and back is where it began, with the same time of day in between', async () => {
    await fc.assert(
      fc.asyncProperty(instants, fc.integer({ min: -400, max: 400 }), zones, async (at, days, zone) => {
        const there = await moved(at, { days, milliseconds: 0 }, zone);
        if (there === undefined) return;
        expect(onTheWall(there, zone)).toBe(onTheWall(at, zone));
        const back = await moved(there, { days: -days, milliseconds: 0 }, zone);
        if (back !== undefined) expect(back).toBe(at);
      }),
      { numRuns: 500 },
    );
  });

  test('never makes two exams change their order, as far as their days tell', async () => {
    await fc.assert(
      fc.asyncProperty(instants, fc.integer({ min: 3 * 60, max: 5000 }), amounts, zones, async (at, minutes, amount, zone) => {
        const [first, second] = [await moved(at, amount, zone), await moved(at + minutes * minute, amount, zone)];
        if (first !== undefined && second !== undefined) expect(second).toBeGreaterThan(first);
      }),
    );
  });

  test('is read as it is written', () => {
    fc.assert(
      fc.property(amounts, ({ days, milliseconds }) => {
        const text = `${days < 0 || milliseconds < 0 ? '-' : ''}${days === 0 ? '' : `${Math.abs(days)}d`}${milliseconds === 0 ? '' : `${Math.abs(milliseconds) / minute}m`}`;
        expect(parseShift(text)).toEqual({ days, milliseconds });
      }),
    );
  });
});

type Window = { from: number; until: number };

/** When the student of a session can take the exam, as the service has it at this moment. */
function windowOf(session: Fields, exams: readonly Fields[]): Window {
  const { start_time, end_time } = exams.find(({ id }) => id === session.exam_id) ?? {};
  const at = (time: unknown) => Date.parse(String(time));
  return {
    from: Math.max(at(start_time), at(session.open_time ?? start_time)),
    until: Math.min(at(end_time), at(session.close_time ?? end_time)),
  };
}

const iso = (instant: number) => `${new Date(instant).toISOString().slice(0, 19)}Z`;

type Student = { exam: 5 | 7; opens: number | null; closes: number | null; status: string };
const statuses = ['registered', 'mail_sent', 'check_completed'];
/** Starts at the full hour or half past, during the day: no clock is set then. */
const starts = fc
  .record({ day: fc.integer({ min: 1, max: 300 }), half: fc.integer({ min: 12, max: 30 }) })
  .map(({ day, half }) => Date.UTC(2027, 0, day) + half * 30 * minute);
const worlds = fc.record({
  start: starts,
  minutes: fc.integer({ min: 30, max: 300 }),
  students: fc.array(
    fc.record<Student>({
      exam: fc.constantFrom(5, 7),
      opens: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 2 }),
      closes: fc.option(fc.integer({ min: 25, max: 400 }), { freq: 2 }),
      status: fc.constantFrom(...statuses, 'exam_finished'),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

async function world(
  { start, minutes, students }: { start: number; minutes: number; students: readonly Student[] },
  zone: string,
): Promise<Office> {
  const at = (after: number | null) => (after === null ? null : iso(start + after * minute));
  const exams = ([5, 7] as const).map((id) => exam(id, iso(start), iso(start + minutes * minute)));
  const made = office(
    exams,
    students.map(({ exam: exam_id, opens, closes, status }) => ({ exam_id, open_time: at(opens), close_time: at(closes), status })),
    zone,
  );
  // Students in the check make an exam run.
  await made.run('config set protectRunningExams off');
  return made;
}

describe('Whatever fails in between', () => {
  test('a shift leaves every student the whole old window or the whole new one, after each request, and undo restores everything', async () => {
    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.constantFrom('7d', '-1w', '30d', '90m', '-3h', '1d2h'),
        zones,
        fc.integer({ min: 0, max: 6 }),
        async (drawn, by, zone, fails) => {
          const { service, run, everything, runs } = await world(drawn, zone);
          const before = everything();
          const moments: ReturnType<typeof everything>[] = [];
          let patched = 0;
          service.fault = ({ method }) => {
            moments.push(everything());
            return method === 'PATCH' && ++patched === fails ? { answer: { status: 422, body: {} } } : undefined;
          };
          const shifted = await run(`exams shift --exam 5 --exam 7 --by ${by} --yes`, { now: '2026-01-01T00:00:00Z' });
          if (shifted.code === 3) return;
          service.fault = () => {
            moments.push(everything());
            return undefined;
          };
          // Run again, the same command does only what is left.
          const again =
            shifted.code === 0 ? shifted : await run(`exams shift --exam 5 --exam 7 --by ${by} --yes`, { now: '2026-01-01T00:01:00Z' });
          expect(again.code, again.stderr).toBe(0);
          const after = everything();
          const [{ run: id } = {}] = await runs();
          const undone = await run(`runs undo ${id} --yes`);
          expect(undone.code, undone.stderr).toBe(0);
          for (const moment of [...moments, after]) {
            for (const [at, session] of moment.students.entries()) {
              if (session.status === 'exam_finished') continue;
              const now = windowOf(session, moment.exams);
              const whole = [before, after].some(({ exams, students }) => {
                const { from, until } = windowOf(students[at] ?? {}, exams);
                return now.from <= from && until <= now.until;
              });
              expect(whole, JSON.stringify({ session, moment: moment.exams })).toBe(true);
            }
          }
          expect(everything()).toEqual(before);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('a delay never takes time from anybody, and its undo restores everything', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer({ min: 1, max: 200 }), zones, async (drawn, minutes, zone) => {
        const { service, run, everything, runs } = await world(drawn, zone);
        for (const student of service.sessions) if (student.status === 'registered') student.status = 'exam_started';
        const before = everything();
        const least = { ...before };
        service.fault = () => {
          const now = everything();
          for (const [at, session] of now.students.entries())
            expect(windowOf(session, now.exams).until).toBeGreaterThanOrEqual(windowOf(least.students[at] ?? {}, before.exams).until);
          return undefined;
        };
        expect((await run(`exams delay 5 --by ${minutes}m --yes`)).code).toBe(0);
        const delayed = everything();
        for (const [at, session] of delayed.students.entries()) {
          const { exam_id, status, close_time } = before.students[at] ?? {};
          const moves = exam_id === 5 && status !== 'exam_finished' && close_time !== null;
          expect(session.close_time).toBe(moves ? iso(Date.parse(String(close_time)) + minutes * minute) : close_time);
        }
        service.fault = () => undefined;
        const [{ run: id } = {}] = await runs();
        if (id !== undefined) expect((await run(`runs undo ${id} --yes`)).code).toBe(0);
        expect(everything()).toEqual(before);
      }),
      { numRuns: 10 },
    );
  });
});
