/** An apply that was stopped, or whose requests were lost: the same command goes on, and each exam is there exactly once. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { minute } from '../../campaign/story/stage.ts';
import { header, type Office, office } from './office.ts';

const names = Array.from({ length: 12 }, (_, at) => `Exam ${String(at + 10)}`);
const lines = (hour: string, day = '2027-02-08') => names.map((name) => `${name.replace(' ', '')},${name},${day},${hour}:00,${hour}:45`);

/** Runs it, interrupted when so many writes have been answered. */
async function interrupted({ service, apply }: Office, writes: number, more = '') {
  const stop = new AbortController();
  let answered = 0;
  service.onAnswer = ({ method }) => {
    if (method !== 'GET') answered += 1;
    if (answered === writes) stop.abort(new CliError('interrupted', 'Interrupted.'));
  };
  const ran = await apply(more, { interrupt: stop.signal });
  service.onAnswer = () => {};
  return ran;
}

const created = ({ exams }: Office) =>
  exams()
    .map(([name]) => name)
    .toSorted();

describe('exams apply', () => {
  test.each([1, 5, 11])('stopped after %i of its creates is finished by the same command, each exam once', async (writes) => {
    const made = await office();
    made.timetable(header, ...lines('09'));
    expect((await interrupted(made, writes)).code).toBe(130);
    const again = await made.apply();
    expect(again.code, again.stderr).toBe(0);
    expect(created(made)).toEqual(names);
    expect((await made.apply()).writes).toEqual([]);
  });

  test('stopped before a pool is filled fills it, and applied once more sends nothing', async () => {
    for (const writes of [1, 2, 3]) {
      const made = await office();
      made.timetable(`${header},proctors`, 'A,Algebra,2027-02-08,09:00,11:00,1;2', 'B,Analysis,2027-02-08,09:00,11:00,3');
      await interrupted(made, writes);
      const again = await made.apply();
      expect(again.code, again.stderr).toBe(0);
      const { exams, pools } = made.service.truth;
      const shown = [...exams.values()].flatMap(({ id, name }) => (id === 6 ? [] : [[name, [...(pools.get(id) ?? [])].sort()]]));
      expect(shown.sort()).toEqual([
        ['Algebra', [1, 2]],
        ['Analysis', [3]],
      ]);
      expect((await made.apply()).writes).toEqual([]);
    }
  });

  test('stopped, with a timetable that was edited since, creates the exams of the new one', async () => {
    const made = await office();
    made.timetable(header, ...lines('09'));
    await interrupted(made, 4);
    made.timetable(header, ...lines('10'));
    const again = await made.apply();
    expect(again.code, again.stderr).toBe(0);
    expect(made.exams().map(([, start]) => start)).toEqual(Array(12).fill('2027-02-08T10:00:00Z'));
  });

  test('stopped while times move leaves no window behind', async () => {
    for (const writes of [1, 2, 3, 4, 5]) {
      const made = await office();
      made.timetable(header, 'A,Algebra,2027-02-08,09:00,11:00');
      await made.apply();
      const { truth } = made.service;
      const exam = Math.max(...truth.exams.keys());
      for (const name of ['ada', 'bob', 'cy'])
        truth.createSession(exam, { email: `${name}@example.org`, open_time: '2027-02-08T09:10:00Z', close_time: '2027-02-08T11:30:00Z' });
      made.timetable(header, 'A,Algebra,2027-02-15,10:00,12:00');
      await interrupted(made, writes);
      const again = await made.apply();
      expect(again.code, again.stderr).toBe(0);
      expect(truth.inExam(exam).map(({ open_time, close_time }) => [open_time, close_time])).toEqual(
        Array(3).fill(['2027-02-15T10:10:00Z', '2027-02-15T12:30:00Z']),
      );
      expect(made.exams()).toEqual([['Algebra', '2027-02-15T10:00:00Z', '2027-02-15T12:00:00Z']]);
    }
  });

  test('finds the exam of a create whose answer was lost by its name and start', async () => {
    const made = await office();
    made.timetable(header, ...lines('09'));
    made.service.fault = ({ method, body }) => (method === 'POST' && body.name === 'Exam 14' ? { answer: 'lost' } : undefined);
    const { code, stderr } = await made.apply();
    expect(code, stderr).toBe(0);
    expect(created(made)).toEqual(names);
    expect(made.ids()).toContain('Exam 14');
  });

  test('ends with 10 where such an exam is not there, and creates it again only with a consent', async () => {
    const made = await office();
    made.timetable(header, ...lines('09'));
    let lost = 0;
    made.service.fault = ({ method, body }) => {
      if (method !== 'POST' || body.name !== 'Exam 14' || lost > 0) return undefined;
      lost += 1;
      return { done: 'never', answer: 'lost' };
    };
    const first = await made.apply();
    expect(first.code, first.stderr).toBe(10);
    await made.clock.pass(10 * minute);
    const second = await made.apply();
    expect([second.code, second.writes]).toEqual([10, []]);
    const [, run = ''] = /runs resume (\S+)/.exec(second.error?.hint ?? '') ?? [];
    expect(run, second.error?.hint).not.toBe('');
    expect((await made.run(`runs resume ${run}`)).code).toBe(0);
    const last = await made.apply();
    expect([last.code, last.writes]).toEqual([0, []]);
    expect(created(made)).toEqual(names);
  });

  test('goes on with the other exams, and keeps saying 10, where one of a run that was stopped is neither there nor known not to be', async () => {
    const made = await office();
    made.timetable(header, ...lines('09'));
    let lost = 0;
    made.service.fault = ({ method, body }) => {
      if (method !== 'POST' || body.name !== 'Exam 12' || lost > 0) return undefined;
      lost += 1;
      return { done: 'never', answer: 'lost' };
    };
    expect((await interrupted(made, 4)).code).toBe(130);
    const again = await made.apply();
    expect([again.code, created(made)], again.stderr).toEqual([10, names.filter((name) => name !== 'Exam 12')]);
    expect(again.plan?.plan.filter(({ result }) => result === 'held back')).toMatchObject([{ name: 'Exam 12' }]);
    const third = await made.apply();
    expect([third.code, third.writes]).toEqual([10, []]);
    const [, run = ''] = /runs resume (\S+)/.exec(third.error?.hint ?? '') ?? [];
    expect((await made.run(`runs resume ${run}`)).code).toBe(0);
    const last = await made.apply();
    expect([last.code, last.writes, created(made)]).toEqual([0, [], names]);
  });

  test('holds the line of such an exam back although it was edited since, so that it is not there twice after the consent', async () => {
    const made = await office();
    made.timetable(header, ...lines('09'));
    let lost = 0;
    made.service.fault = ({ method, body }) => {
      if (method !== 'POST' || body.name !== 'Exam 14' || lost > 0) return undefined;
      lost += 1;
      return { done: 'never', answer: 'lost' };
    };
    expect((await made.apply()).code).toBe(10);
    made.timetable(header, ...lines('10'));
    const edited = await made.apply();
    expect([edited.code, created(made)]).toEqual([10, names.filter((name) => name !== 'Exam 14')]);
    const [, run = ''] = /runs resume (\S+)/.exec(edited.error?.hint ?? '') ?? [];
    await made.run(`runs resume ${run}`);
    const last = await made.apply();
    expect(last.code, last.stderr).toBe(0);
    expect([created(made), new Set(made.exams().map(([, start]) => start))]).toEqual([names, new Set(['2027-02-08T10:00:00Z'])]);
  });

  test('keeps the other exams where the service rejects one, and tries only that again', async () => {
    const made = await office();
    made.timetable(header, ...lines('09'));
    made.service.fault = ({ method, body }) =>
      method === 'POST' && body.name === 'Exam 14' ? { answer: { status: 400, body: { message: 'no room' } } } : undefined;
    const first = await made.apply();
    expect([first.code, first.error?.message]).toEqual([9, expect.stringMatching(/^11 of 12 done, 1 failed: .*no room/)]);
    made.service.fault = () => undefined;
    const second = await made.apply();
    expect([second.code, second.writes.length]).toEqual([0, 1]);
    expect(created(made)).toEqual(names);
  });

  test('that has moved an exam only in part does not move its students twice: it is taken back, and applied again', async () => {
    const made = await office();
    made.timetable(header, 'A,Algebra,2027-02-08,09:00,11:00');
    await made.apply();
    const { truth } = made.service;
    const exam = Math.max(...truth.exams.keys());
    const [, bob] = ['ada', 'bob'].map((name) =>
      truth.createSession(exam, { email: `${name}@example.org`, open_time: '2027-02-08T09:10:00Z', close_time: '2027-02-08T11:30:00Z' }),
    );
    made.timetable(header, 'A,Algebra,2027-02-15,10:00,12:00');
    made.service.fault = ({ method, path }) =>
      method === 'PATCH' && path === `/student_sessions/${bob?.id}` ? { answer: { status: 422, body: { message: 'no' } } } : undefined;
    const first = await made.apply();
    expect(first.code, first.stderr).toBe(9);
    made.service.fault = () => undefined;
    const held = await made.apply();
    expect([held.code, held.writes, held.error?.message]).toEqual([
      11,
      [],
      expect.stringMatching(/Line 2: run \S+ has moved exam \d+ and its students only in part\.$/),
    ]);
    const [, run = ''] = /runs undo (\S+);/.exec(held.error?.hint ?? '') ?? [];
    const undone = await made.run(`runs undo ${run}`);
    expect(undone.code, undone.stderr).not.toBe(1);
    const again = await made.apply();
    expect(again.code, again.stderr).toBe(0);
    expect(truth.inExam(exam).map(({ open_time, close_time }) => [open_time, close_time])).toEqual(
      Array(2).fill(['2027-02-15T10:10:00Z', '2027-02-15T12:30:00Z']),
    );
    expect(made.exams()).toEqual([['Algebra', '2027-02-15T10:00:00Z', '2027-02-15T12:00:00Z']]);
  });
});
