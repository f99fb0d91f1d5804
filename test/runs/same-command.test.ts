/** An interrupted command of any kind is resumed by the same command: what it leads to is what it would have led to, and nothing is sent twice. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { after, begins, ends, minute, type Stage, stage } from '../campaign/story/stage.ts';

const names = Array.from({ length: 12 }, (_, at) => `student${String(at).padStart(2, '0')}`);
const ids = names.map((_, at) => 100 + at);
const exams = Array.from({ length: 10 }, (_, at) => 7 + at);

/** Exam 6 with twelve students and two proctors, and further exams. */
async function set(): Promise<Stage> {
  const made = await stage();
  const { truth } = made.service;
  for (const name of names) truth.createSession(6, { email: `${name}@example.org`, name, open_time: begins, close_time: ends });
  truth.pool(6, [1, 2], 'add');
  for (const id of exams)
    truth.createExam({ name: `Exam ${id}`, start_time: after(begins, 1440), end_time: after(ends, 1440) }, 'colleague', id);
  await made.clock.pass(minute);
  return made;
}

/** What the service holds, whatever the IDs of what is new. */
function holdings({ service: { truth } }: Stage): string[] {
  const examOf = (id: number) => truth.exams.get(id)?.name;
  return [
    ...[...truth.exams.values()].map(({ id, ...exam }) => JSON.stringify([exam, [...(truth.pools.get(id) ?? [])].sort()])),
    ...[...truth.sessions.values()].map(({ id, exam_id, ...session }) =>
      JSON.stringify([session, examOf(exam_id), truth.exams.get(exam_id)?.start_time]),
    ),
  ].sort();
}

const roster = `email,name,open_time\n${names.map((name) => `new-${name}@example.org,${name},${begins}\n`).join('')}`;
const list = `email,extra\n${names.map((name) => `${name}@example.org,25%\n`).join('')}`;

const lines: [kind: string, lineOf: (stage: Stage) => string][] = [
  ['sessions import', ({ machine }) => `sessions import ${machine.file('roster.csv', roster)} --exam 6`],
  ['sessions update', () => `sessions update ${ids.join(' ')} --close-time ${after(ends, 30)}`],
  ['sessions delete', () => `sessions delete ${ids.join(' ')}`],
  ['sessions move', () => `sessions move ${ids.join(' ')} --exam 7`],
  ['sessions extend', () => 'sessions extend --exam 6 --by 15m'],
  ['accommodations apply', ({ machine }) => `accommodations apply ${machine.file('list.csv', list)} --exam 6`],
  ['exams shift', () => 'exams shift 6 7 8 --by 7d'],
  ['exams delay', () => 'exams delay 6 --by 15m'],
  ['exams clone', () => 'exams clone 6 --start 2027-03-01T08:00:00Z --with-students'],
  ['exams delete', () => `exams delete 6 ${exams.join(' ')}`],
];

/** Runs it, interrupted when so many writes have been answered. */
function interrupted({ service, run }: Stage, line: string, writes: number) {
  const stop = new AbortController();
  let answered = 0;
  service.onAnswer = ({ method }) => {
    if (method !== 'GET') answered += 1;
    if (answered === writes) stop.abort(new CliError('interrupted', 'Interrupted.'));
  };
  return run(line, { interrupt: stop.signal });
}

describe.each(lines)('%s', (_kind, lineOf) => {
  test.each([1, 9])('after %i of its writes', async (writes) => {
    const [whole, made] = [await set(), await set()];
    expect((await whole.run(lineOf(whole))).code).toBe(0);
    const line = lineOf(made);
    expect((await interrupted(made, line, writes)).code).toBe(130);
    made.service.onAnswer = () => {};
    await made.clock.pass(minute);
    const again = await made.run(line);
    expect(again.code, again.stderr).toBe(0);
    expect(holdings(made)).toEqual(holdings(whole));
    expect(made.service.writes()).toHaveLength(whole.service.writes().length);
  });
});
