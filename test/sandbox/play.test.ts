/** `sandbox play`: an exam goes by while others look on. */
import { describe, expect, test } from 'vitest';
import { sessionStatuses } from '../../src/model/status.ts';
import { leadMinutes, timelineOf } from '../../src/sandbox/timeline.ts';
import { type Data, type Embedded, embedded } from '../commands/embedded.ts';

const now = '2026-11-21T09:00:00Z';
const world = { now, clockRuns: true } as const;

type Step = { at: string; session: number; field: string; from: unknown; to: unknown };

async function play(service: Embedded, line = 'sandbox play --exam 3'): Promise<Step[]> {
  const { code, stdout, stderr } = await service.run(`${line} -o ndjson`, world);
  expect(code, stderr).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
}

/** The data as they are at that time, so that the embedded service's first data do not move with the clock. */
async function fresh(): Promise<Embedded> {
  const service = embedded();
  await service.run('sandbox reset --yes', { now });
  return service;
}

test('the exam begins soon and goes by at the given speed, and it is said how to watch it', async () => {
  const service = await fresh();
  const { stderr } = await service.run('sandbox play --exam 3 --speed 120', world);
  const exam = await service.json('exams get 3');
  expect(exam).toMatchObject({ start_time: '2026-11-21T09:00:15Z', end_time: '2026-11-21T09:01:15Z' });
  expect(stderr).toContain(
    'was moved: it starts at 2026-11-21 09:00:15 +00:00 and ends at 2026-11-21 09:01:15 +00:00. Its 12 students start over.',
  );
  expect(stderr).toContain('proctor-cli --profile sandbox sessions watch --exam 3 --interval 1s --late 5s');
});

test('each step is what has happened to a student, one after the other, and stands in the data at the end', async () => {
  const service = await fresh();
  const steps = await play(service);
  expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).sort());
  const last = new Map(steps.filter(({ field }) => field === 'status').map(({ session, to }) => [session, to]));
  const sessions = await service.json<Data[]>('sessions list --exam 3');
  for (const { id, status } of sessions)
    expect(status).toBe(last.get(Number(id)) ?? (status === 'registered' ? 'registered' : 'mail_sent'));
  for (const { from, to, field } of steps.filter(({ field }) => field === 'status')) {
    expect(sessionStatuses.indexOf(to as never), field).toBe(Math.max(sessionStatuses.indexOf(from as never), 1) + 1);
  }
});

test('other exams and their students stay as they are', async () => {
  const service = await fresh();
  const others = async () => (await service.json<Data[]>('sessions list')).filter(({ exam_id }) => exam_id !== 3);
  const before = await others();
  await play(service);
  expect(await others()).toEqual(before);
});

test('the same word gives the same course, another word another', async () => {
  const courses = [];
  for (const word of ['apple', 'apple', 'pear']) courses.push(await play(await fresh(), `sandbox play --exam 3 --seed ${word}`));
  expect(courses[1]).toEqual(courses[0]);
  expect(courses[2]).not.toEqual(courses[0]);
});

test('an exam can be played again, and takes as long as before', async () => {
  const service = await fresh();
  const first = await play(service);
  const again = await play(service);
  expect(again.length).toBe(first.length);
  const { start_time, end_time } = await service.json('exams get 3');
  expect(Date.parse(String(end_time)) - Date.parse(String(start_time))).toBe(120_000);
});

test('an exam without times is played too', async () => {
  const service = await fresh();
  await service.run('api PATCH /exams/3 -F start_time=null -F end_time=null', { now });
  expect((await play(service)).length).toBeGreaterThan(0);
});

test('a student removed meanwhile is skipped; deleting the exam ends the play', async () => {
  const service = await fresh();
  const [{ session }] = (await play(service)) as [Step];
  let acts = 0;
  const { code, stdout, stderr } = await service.run('sandbox play --exam 3 -o ndjson', {
    ...world,
    async onSleep() {
      acts += 1;
      if (acts === 1) await service.run(`sessions delete ${session} --yes`);
      if (acts === 20) await service.run('exams delete 3 --yes');
    },
  });
  expect(stdout).not.toContain(`"session":${session},`);
  expect(code).toBe(6);
  expect(stderr).toContain('The embedded service has no exam 3.');
});

test.each([
  ['--exam 77', 6],
  ['--exam x', 6],
  ['--exam 3 --speed 0', 2],
  ['--exam 3 --speed fast', 2],
])('%s is refused', async (flags, status) => {
  expect((await embedded().run(`sandbox play ${flags}`, world)).code).toBe(status);
});

describe('the course', () => {
  const students = Array.from({ length: 24 }, (_, index) => index + 1);
  const course = timelineOf(students, { minutes: 120, seed: 'proctor' });

  test('lies between its lead and the end of the exam', () => {
    for (const { minute } of course) expect(minute > -leadMinutes && minute < 120).toBe(true);
  });

  test('has every problem, and most students without one', () => {
    const levels = course.flatMap((step) => ('level_of_suspicion' in step ? [step.level_of_suspicion] : []));
    expect(new Set(levels)).toEqual(new Set([1, 2, 3]));
    const came = new Set(course.map(({ student }) => student));
    expect(students.length - came.size).toBe(2);
    const late = course.filter((step) => 'status' in step && step.status === 'check_completed' && step.minute > 20);
    expect(late).toHaveLength(2);
  });
});
