/**
 * What holds for every change of times, whatever the windows of students, the clocks of the zone, and the request after which it is
 * stopped. What is wanted is computed here, by rules of its own.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { restrictionKeys } from '../../../src/model/fields.ts';
import { killed } from '../../runs/small-office.ts';
import { lostAfter, Service } from '../../support/service.ts';
import type { Exam, Fields, Session } from '../../support/truth.ts';

/** Times in milliseconds since 1970. */
type Student = { id: number; exam: number; status: string; opens: number | null; closes: number | null };
type World = { zone: string; exams: { id: number; start: number; end: number; allowed: Fields }[]; students: Student[] };

/** Zones, each with a day on which its clocks are set: by an hour or by half of one, on, back, or not at all. */
const nights =
  'Europe/Vienna 2027-03-28 Europe/Vienna 2027-10-31 America/New_York 2027-03-14 America/St_Johns 2027-11-07 Australia/Lord_Howe 2027-04-04 Australia/Lord_Howe 2027-10-03 Asia/Kathmandu 2027-06-01';
/** Minutes after the start of the exam. */
const student = fc.record({
  exam: fc.constantFrom(5, 5, 7),
  status: fc.constantFrom('registered', 'mail_sent', 'check_completed', 'exam_started', 'exam_finished'),
  opens: fc.option(fc.integer({ min: 0, max: 20 })),
  closes: fc.option(fc.integer({ min: 25, max: 400 })),
});
const minute = 60_000;

/** `quarters`: of an hour, after midnight. */
const worldsAt = (quarters: fc.Arbitrary<number>) =>
  fc
    .record({
      night: fc.constantFrom(...(nights.match(/\S+ \S+/g) ?? [])),
      day: fc.constantFrom(-7, -1, 0, 1),
      quarter: quarters,
      minutes: fc.integer({ min: 8, max: 75 }),
      allowed: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
      students: fc.array(student, { minLength: 3, maxLength: 4 }),
    })
    .map(({ night, day, quarter, minutes, allowed, students }): World => {
      const [zone = '', date = ''] = night.split(' ');
      const midnight = Temporal.PlainDate.from(date).add({ days: day }).toZonedDateTime(zone).epochMilliseconds;
      const after = (number: number) => midnight + (15 * quarter + number) * minute;
      const own = (number: number | null) => (number === null ? null : after(number));
      const times = { start: after(0), end: after(4 * minutes) };
      const restrictions = Object.fromEntries(restrictionKeys.map((key, at) => [key, allowed[at]]));
      // One who waits and one who is taking the exam, always.
      const all = students.map((each, at) => (at < 2 ? { ...each, exam: 5, status: at === 0 ? 'mail_sent' : 'exam_started' } : each));
      return {
        zone,
        exams: [5, 7].map((id) => ({ id, ...times, allowed: restrictions })),
        students: all.map(({ opens, closes, ...more }, at) => ({ id: 51 + at, ...more, opens: own(opens), closes: own(closes) })),
      };
    });
const worlds = worldsAt(fc.oneof(fc.nat({ max: 16 }), fc.nat({ max: 95 })));

/** Students who are taking an exam keep it from being shifted. */
const waiting = ({ students, ...more }: World): World => {
  return { ...more, students: students.map((each) => (each.status === 'exam_started' ? { ...each, status: 'mail_sent' } : each)) };
};

const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString().replace('.000Z', 'Z'));
const recordsOf = ({ exams, students }: World): { exams: Exam[]; sessions: Session[] } => ({
  exams: exams.map(({ id, start, end, allowed }) => ({ id, name: `Exam ${id}`, start_time: iso(start), end_time: iso(end), ...allowed })),
  sessions: students.map(({ id, exam, status, opens, closes }) => ({
    ...{ id, exam_id: exam, email: `s${id}@example.org`, name: `Student ${id}`, status },
    ...{ open_time: iso(opens), close_time: iso(closes) },
  })),
});

/** Days by the clocks of the zone, then minutes by none. */
type By = { days?: number; minutes?: number };
const onTheWall = (instant: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDateTime();
/** Throws a `RangeError` for a time that never was, or was twice. */
function later(instant: number, { days = 0, minutes = 0 }: By, zone: string): number {
  const wall = onTheWall(instant, zone).add({ days });
  const there = days === 0 ? instant : wall.toZonedDateTime(zone, { disambiguation: 'reject' }).epochMilliseconds;
  return there + minutes * minute;
}

/** The windows that students have move along with their exam; who is taking it keeps the start. Throws where clocks turn one round. */
function moved(world: World, ids: readonly number[], { start = {}, end = {} }: { start?: By; end?: By }, more: Fields = {}): World {
  const by = (time: number, amount: By) => later(time, amount, world.zone);
  const own = (time: number | null, amount: By) => (time === null ? null : by(time, amount));
  const exams = world.exams.map((exam) => {
    if (!ids.includes(exam.id)) return exam;
    return { ...exam, start: by(exam.start, start), end: by(exam.end, end), allowed: { ...exam.allowed, ...more } };
  });
  const students = world.students.map((each) => {
    if (!ids.includes(each.exam) || each.status === 'exam_finished') return each;
    return { ...each, opens: own(each.opens, each.status === 'exam_started' ? {} : start), closes: own(each.closes, end) };
  });
  for (const { status, exam, opens, closes } of students) {
    const { start, end } = exams.find(({ id }) => id === exam) ?? { start: 0, end: 1 };
    if (status !== 'exam_finished' && (start >= end || (opens ?? start) >= (closes ?? end)))
      throw new RangeError('It closes before it opens.');
  }
  return { ...world, exams, students };
}

/** No window of a student's own is shorter than the exam: a share can mean one thing only. */
function unambiguous(world: World): World {
  const length = (world.exams[0]?.end ?? 0) - (world.exams[0]?.start ?? 0);
  const isShort = ({ opens, closes }: Student) => opens !== null && closes !== null && closes - opens < length;
  return { ...world, students: world.students.map((each) => (isShort(each) ? { ...each, opens: null } : each)) };
}

/** Students of exam 5 who have not finished get another close time. */
function closed(world: World, closes: (window: { id: number; opens: number; closes: number; length: number }) => number): World {
  const { start, end } = world.exams[0] ?? { start: 0, end: 0 };
  const students = world.students.map((each) => {
    if (each.exam !== 5 || each.status === 'exam_finished') return each;
    return { ...each, closes: closes({ id: each.id, opens: each.opens ?? start, closes: each.closes ?? end, length: end - start }) };
  });
  return { ...world, students };
}

/** `wanted` throws a `RangeError` where it cannot be: it is refused, and nothing is sent. `again`: what the same command ends with once more. */
type Changing = { line: string; stdin?: string; again: 0 | 11; wanted(): World };

/** By the number of a student: what stands in the list, the share and the minutes. */
const extras: [text: string, share: number, minutes: number][] = [
  ['25%', 1.25, 0],
  ['30m', 1, 30],
  ['1.25×', 1.25, 0],
  ['50% + 10m', 1.5, 10],
];
const extraOf = ({ id }: { id: number }) => extras[id % 4] as (typeof extras)[number];

function extraTime(world: World): Changing {
  const rows = world.students.filter(({ exam }) => exam === 5).map((each) => `s${each.id}@example.org,${extraOf(each)[0]}\n`);
  const wanted = () =>
    closed(world, ({ id, opens, closes, length }) => {
      const [, share, minutes] = extraOf({ id });
      // Time is never taken away.
      return Math.max(closes, opens + length * share + minutes * minute);
    });
  return { line: 'accommodations apply - --exam 5', stdin: `email,extra\n${rows.join('')}`, again: 0, wanted };
}

/** An office at which it is run, and what the service holds there. */
function officeOf(world: World) {
  const service = new Service({ ...recordsOf(world), gate: 'off' });
  const changes = service.truth.record.length;
  const env = { PROCTOR_TIMEZONE: world.zone };
  return {
    ...{ service, env },
    holds: () => structuredClone({ exams: service.exams, sessions: service.sessions }),
    async run(line: string, stdin = '', home = service.home) {
      await service.clock.pass(1000);
      return service.run(`${line} --yes`, { home, env, stdin });
    },
    async undo(home = service.home) {
      const { stdout } = await service.run('runs list -o json', { home });
      for (const { run } of JSON.parse(stdout) as { run: string }[]) {
        const { code, stderr } = await service.run(`runs undo ${run} --yes`, { home });
        expect(code, stderr).toBe(0);
      }
    },
    changes: () => service.truth.record.slice(changes),
  };
}
type Office = ReturnType<typeof officeOf>;
type Records = ReturnType<typeof recordsOf>;

/** When a student can take the exam: by what the session shows, and by what its exam leaves of that. */
function windowOf({ exams, sessions }: Records, at: number): { from: number[]; until: number[] } {
  const { exam_id, open_time, close_time } = sessions[at] as Session;
  const { start_time, end_time } = exams.find(({ id }) => id === exam_id) as Exam;
  const times = [start_time, end_time, open_time ?? start_time, close_time ?? end_time].map((time) => Date.parse(time ?? ''));
  const [start = 0, end = 0, opens = 0, closes = 0] = times;
  return { from: [opens, Math.max(start, opens)], until: [closes, Math.min(end, closes)] };
}

/** After each request each student has the whole old window or the whole new one, and each exam all old or all new restrictions. */
function expectWhole({ changes }: Office, before: Records, after: Records): void {
  const now = structuredClone(before);
  const allowedIn = ({ exams }: Records) => exams.map((exam) => restrictionKeys.map((key) => exam[key]));
  for (const { kind, id, after: record } of changes()) {
    const all: Fields[] = kind === 'exam' ? now.exams : now.sessions;
    all[all.findIndex((each) => each.id === id)] = record as Fields;
    expect([before, after].map(allowedIn)).toContainEqual(allowedIn(now));
    for (const [at, { status }] of now.sessions.entries()) {
      const has = windowOf(now, at);
      const isWhole = [before, after].some((records) => {
        const { from, until } = windowOf(records, at);
        return has.from.every((time, way) => time <= (from[way] ?? 0)) && has.until.every((time, way) => time >= (until[way] ?? 0));
      });
      expect(isWhole || status === 'exam_finished', JSON.stringify({ at, now, before, after })).toBe(true);
    }
  }
}

/** Runs it until so many writes were done; resolves to the folder of the next process. */
async function stopped(
  { service, run, env }: Office,
  { line, stdin = '' }: Changing,
  { at, way }: { at: number; way: string },
): Promise<string> {
  if (way === 'killed') return killed(service, `${line} --yes`, { writes: at, env, stdin });
  const isLast = ({ method }: { method: string }) => method !== 'GET' && service.written().length === at;
  service.fault = (request) => (isLast(request) && way === 'lost' ? lostAfter : undefined);
  service.onAnswer = (request) => {
    service.isAway ||= isLast(request);
  };
  expect((await run(line, stdin)).code).toBeGreaterThan(0);
  Object.assign(service, { isAway: false, fault: () => undefined, onAnswer: () => {} });
  return service.home;
}

async function expectLaws(world: World, changing: Changing, first: number): Promise<void> {
  const { line, stdin, again } = changing;
  const before = recordsOf(world);
  const wanted = await (async () => recordsOf(changing.wanted()))().catch((error: unknown) => {
    expect(error).toBeInstanceOf(RangeError);
  });
  // It is run as it is, and stopped after every second of its writes: killed, the service away, that and the last answer lost.
  let writes = 0;
  for (let at = 0; at <= writes; at += at === 0 ? 1 + (first % 2) : 2) {
    const office = officeOf(world);
    const { service, run, holds, undo } = office;
    const way = ['killed', 'away', 'lost'][(first + at) % 3] ?? '';
    const what = `${line}${at === 0 ? '' : `, ${way} at write ${at} of ${writes}`}\n`;
    const home = at === 0 ? service.home : await stopped(office, changing, { at, way });
    const { code, stderr } = await run(line, stdin, home);
    const sent = service.writes().length;
    expect(wanted ? code : [code, sent], what + stderr).toEqual(wanted ? 0 : [3, 0]);
    if (!wanted) return;
    expect(holds(), what).toEqual(wanted);
    if (at === 0) writes = sent;
    const repeated = await run(line, stdin, home);
    expect([repeated.code, service.writes().length], what + repeated.stderr).toEqual([sent > 0 ? again : 0, sent]);
    await undo(home);
    expect(holds(), `${what}undone`).toEqual(before);
    expectWhole(office, before, wanted);
  }
}

const runs = { numRuns: 6, unbiased: true };

function expectLawsOf<T>(drawn: fc.Arbitrary<T>, of: (world: World, drawn: T) => Changing, among = worlds): Promise<void> {
  const laws = (world: World, drawn: T, first: number) => expectLaws(world, of(world, drawn), first);
  return fc.assert(fc.asyncProperty(among, drawn, fc.nat({ max: 5 }), laws), runs);
}

const amounts = fc.constantFrom('7d', '1d', '-7d', '20d90m', '400m', '-15m');
function readAmount(text: string): By {
  const [, days = 0, minutes = 0] = /^-?(?:(\d+)d)?(?:(\d+)m)?$/.exec(text) ?? [];
  const sign = text.startsWith('-') ? -1 : 1;
  return { days: sign * Number(days), minutes: sign * Number(minutes) };
}
const both = '--exam 5 --exam 7';

describe('Wherever it is stopped, windows are whole, the same command leads to the same end, once, and undo restores all', () => {
  test('exams shift', () =>
    expectLawsOf(
      amounts,
      (world, by) => {
        const wanted = () => moved(world, [5, 7], { start: readAmount(by), end: readAmount(by) });
        return { line: `exams shift ${both} --by ${by}`, again: 11, wanted };
      },
      worlds.map(waiting),
    ));

  test('exams delay', () =>
    expectLawsOf(fc.integer({ min: 1, max: 300 }), (world, minutes) => {
      return { line: `exams delay ${both} --by ${minutes}m`, again: 11, wanted: () => moved(world, [5, 7], { end: { minutes } }) };
    }));

  test('sessions extend', () =>
    expectLawsOf(
      fc.constantFrom('25%', '15m'),
      (world, by) => ({
        ...{ line: `sessions extend --exam 5 --by ${by}`, again: 11 },
        wanted: () => closed(world, ({ closes, length }) => closes + (by === '25%' ? Math.ceil(length / 4 / minute) : 15) * minute),
      }),
      worlds.map(unambiguous),
    ));

  test('accommodations apply', () => expectLawsOf(fc.constant(undefined), extraTime, worlds.map(unambiguous)));

  // By how much the start and the end are moved. A student who is taking the exam keeps the start, and cannot end before it.
  test.each([
    ['later', ['7d 7d', '1d 1d', '90m 95m', '300m 296m', '0m 20m', '0m -4m', '-15m 0m', '0m 0m'], worlds],
    ['earlier', ['-7d -7d', '-1d -1d', '-90m -80m'], worlds.map(waiting)],
  ])('exams update, %s', (_which, moves, among) => {
    const drawn = fc.record({ by: fc.constantFrom(...moves), allowed: fc.option(fc.boolean()) });
    const update = (world: World, { by, allowed }: { by: string; allowed: boolean | null }): Changing => {
      const { zone, exams } = world;
      const [start = {}, end = {}] = by.split(' ').map(readAmount);
      const typed = (old = 0, amount: By = {}) =>
        amount.days ? onTheWall(old, zone).add({ days: amount.days }) : iso(later(old, amount, zone));
      const times = `--start ${typed(exams[0]?.start, start)} --end ${typed(exams[0]?.end, end)}`;
      const restriction = allowed === null ? '' : ` --${allowed ? '' : 'no-'}allow-headphones`;
      const more = allowed === null ? {} : { allow_headphones: allowed };
      return { line: `exams update 5 ${times}${restriction}`, again: 0, wanted: () => moved(world, [5], { start, end }, more) };
    };
    return expectLawsOf(drawn, update, among);
  });
});

test('Extra time moves along with its exam: applied again at its new time, it changes nothing.', async () => {
  const byDay = worldsAt(fc.integer({ min: 32, max: 64 })).map(waiting);
  const law = async (world: World, by: string) => {
    const { service, run, holds, undo } = officeOf(world);
    const { line, stdin } = extraTime(world);
    expect((await run(line, stdin)).code).toBe(0);
    const { code, stderr } = await run(`exams shift --exam 5 --by ${by}`);
    expect(code, stderr).toBe(0);
    const sent = service.writes().length;
    expect([(await run(`${line} --check`, stdin)).code, (await run(line, stdin)).code, service.writes().length]).toEqual([0, 0, sent]);
    await undo();
    expect(holds()).toEqual(recordsOf(world));
  };
  await fc.assert(fc.asyncProperty(byDay.map(unambiguous), amounts, law), runs);
});
