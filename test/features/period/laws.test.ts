/** Whatever is lost, refused or stopped, and whoever edits meanwhile: applied until it ends with 0, each exam and each student is there once, as the timetable has them. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { minute } from '../../campaign/story/stage.ts';
import { header, type Office, office } from './office.ts';

/** Numbers from a seed (mulberry32). */
function numbers(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const names = Array.from({ length: 8 }, (_, at) => `Exam ${at + 10}`);
const lines = (day: string, hour: number) =>
  names.map((name, at) => `K${at},${name},${day},${hour}:00,${hour + 2}:00,${1 + (at % 3)},${at < 3 ? 'roster.csv' : ''}`);
const people = ['ada', 'bob', 'cy', 'dan'];

/** Applies until nothing is left to be done, as a person would who reads the errors. */
async function settled(made: Office, random: () => number) {
  for (let turn = 1; turn <= 40; turn += 1) {
    const stop = new AbortController();
    let left = Math.floor(random() * 30);
    made.service.onAnswer = ({ method }) => {
      if (method !== 'GET') left -= 1;
      if (left === 0 && turn < 8) stop.abort(new CliError('interrupted', 'Interrupted.'));
    };
    const troubled = turn < 8;
    made.service.fault = ({ method }) => {
      const drawn = random();
      if (!troubled || method === 'GET') return undefined;
      if (drawn < 0.08) return { answer: 'lost' };
      if (drawn < 0.14) return { done: 'never', answer: 'lost' };
      if (drawn < 0.18) return { answer: { status: 503, body: {} } };
      return drawn < 0.21 ? { answer: { status: 429, headers: { 'retry-after': '1' }, body: {} } } : undefined;
    };
    const ran = await made.apply('', { interrupt: stop.signal });
    expect([0, 7, 8, 9, 10, 11, 130], ran.stderr).toContain(ran.code);
    if (ran.code === 0 && turn >= 8) return;
    await made.clock.pass(10 * minute);
    const hint = ran.error?.hint ?? '';
    const [, way = ''] = /proctor-cli (runs (?:resume|undo) \S+?)(?=;|$|\.| )/.exec(hint) ?? [];
    made.service.fault = () => undefined;
    made.service.onAnswer = () => {};
    if (way !== '' && random() < 0.7) await made.run(way);
  }
  throw new Error('It did not come to an end.');
}

function shown({ service: { truth } }: Office) {
  const exams = [...truth.exams.values()].filter(({ id }) => id !== 6);
  return exams
    .map(({ id, name, start_time, end_time }) => [
      name,
      start_time,
      end_time,
      [...(truth.pools.get(id) ?? [])],
      truth
        .inExam(id)
        .map(({ email, close_time }) => [email, close_time])
        .toSorted(),
    ])
    .toSorted();
}

const seeds = Array.from({ length: Number(process.env.PERIOD_SEEDS ?? 4) }, (_, at) => at + 1 + Number(process.env.PERIOD_FROM ?? 0));

describe('Applied until it ends with 0', () => {
  test.each(seeds)('a timetable is there, each exam and student once (seed %i)', async (seed) => {
    const random = numbers(seed);
    const made = await office();
    const columns = `${header},proctors,roster`;
    made.machine.file('roster.csv', `email,name\n${people.map((name) => `${name}@example.org,${name}\n`).join('')}`);
    made.timetable(columns, ...lines('2027-02-08', 9));
    await settled(made, random);
    const expected = (day: string, hour: string, closes: string | null) =>
      names.map((name, at) => [
        name,
        `${day}T${hour}:00:00Z`,
        `${day}T${String(Number(hour) + 2).padStart(2, '0')}:00:00Z`,
        [1 + (at % 3)],
        at < 3 ? people.map((who) => [`${who}@example.org`, closes]) : [],
      ]);
    expect(shown(made)).toEqual(expected('2027-02-08', '09', null));
    // Everybody gets half an hour more, and then the exams move.
    for (const session of made.service.truth.sessions.values())
      made.service.truth.change('session', session.id, { close_time: '2027-02-08T11:30:00Z' });
    made.timetable(columns, ...lines('2027-02-15', 10));
    await settled(made, random);
    expect(shown(made)).toEqual(expected('2027-02-15', '10', '2027-02-15T12:30:00Z'));
  });
});

describe('A colleague', () => {
  async function applied() {
    const made = await office();
    made.timetable(header, 'A,Algebra,2027-02-08,09:00,11:00', 'B,Analysis,2027-02-09,09:00,11:00');
    await made.apply();
    const [algebra] = [...made.service.truth.exams.values()].filter(({ name }) => name === 'Algebra');
    made.timetable(header, 'A,Algebra,2027-02-08,09:00,11:30', 'B,Analysis,2027-02-09,09:00,11:30');
    const moves = () => made.service.truth.change('exam', algebra?.id ?? 0, { end_time: '2027-02-08T12:00:00Z' });
    return { made, moves };
  }

  test('who changes an exam while the question is open makes it a conflict: the others are applied', async () => {
    const { made, moves } = await applied();
    const answer = async () => {
      moves();
      await made.clock.pass(5000);
      return true;
    };
    const { code, questions } = await made.apply('', { tty: true, answers: [answer, true] });
    expect([code, questions.length]).toEqual([9, 1]);
    expect(made.exams()).toEqual([
      ['Algebra', '2027-02-08T09:00:00Z', '2027-02-08T12:00:00Z'],
      ['Analysis', '2027-02-09T09:00:00Z', '2027-02-09T11:30:00Z'],
    ]);
  });

  test('who changes an exam after it was read for the plan keeps the change, and is named; the others are applied', async () => {
    const { made, moves } = await applied();
    made.service.onArrival = ({ path }) => {
      if (path.endsWith('/student_sessions')) moves();
    };
    const { code, error, plan } = await made.apply();
    expect([code, error?.message]).toEqual([9, expect.stringMatching(/Exam \d+ was changed meanwhile: end_time is now 2027-02-08 12:00/)]);
    expect(plan?.plan.map(({ result }) => result)).toEqual(['kept', 'updated']);
    expect(made.exams()[0]?.[2]).toBe('2027-02-08T12:00:00Z');
    made.service.onArrival = () => {};
    expect((await made.apply()).error?.code).toBe('different');
  });
});
