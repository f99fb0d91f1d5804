/** Two processes of one machine: the same command is never at work twice, and what is written to is one run's at a time. */
import { describe, expect, test } from 'vitest';
import type { Run, World } from '../support/run.ts';
import type { Service } from '../support/service.ts';
import { create, failureIn, interruption, killed, office, openRun } from './small-office.ts';

type Beside = World & { n?: number; waits?: boolean };

/** The second begins when the nth request of the first arrives; `waits`: the first goes on once the second has ended. */
async function beside(service: Service, [one = '', two = '']: readonly string[], { n = 1, waits = false, home, ...world }: Beside = {}) {
  const machine = { env: { USER: 'ada' }, home: home ?? service.home };
  let second: Promise<Run & { took: number }> | undefined;
  service.onArrival = async () => {
    if (service.arrived.length !== n || second) return;
    const began = service.clock.now();
    // Until it waits for something, it is at work.
    const working = service.clock.busy();
    const ended = service.run(two, { ...world, ...machine, onSleep: working }).finally(working);
    second = ended.then((run) => ({ ...run, took: service.clock.now() - began }));
    if (waits) await second;
  };
  const first = await service.run(one, machine);
  service.onArrival = () => {};
  if (!second) throw new Error('The second has not begun.');
  return { first, second: await second };
}

/** `again`: what it ends with where it is run again right after it has ended. */
test.each<[line: string, again: number]>([
  ['exams update 1 --allow-headphones', 0],
  ['sessions update 7 --name Eve', 0],
  [create, 11],
  ['sessions delete 7 8 --yes', 6],
  ['exams delete 2 --yes', 6],
  ['exams send-emails 1 --yes', 11],
  ['proctors add 4 --exam 1', 0],
  ['api PATCH /exams/1 -F save_recording=false', 0],
  ['exams shift --exam 1 --by 7d --yes', 11],
  ['exams delay --exam 1 --by 15m --yes', 11],
  ['exams update 1 --end 2127-02-01T11:00Z', 0],
  ['sessions extend 7 8 --by 25%', 11],
  ['sessions update 7 8 --close-time 2127-02-01T11:00Z --yes', 0],
])('While a command is at work, the same one ends at once, and says which it is: %s', async (line, again) => {
  const alone = office();
  expect((await alone.run(line)).code).toBe(0);
  const writes = alone.writes();
  for (const n of [1, 2, 3]) {
    const service = office();
    const { first, second } = await beside(service, [line, line], { n, waits: true });
    expect([first.code, second.code, second.took], second.stderr).toEqual([0, 8, 0]);
    const words = `This command is running already: ada@test, process ${process.pid}, since 2027-01-04 08:00 +00:00`;
    expect([second.stderr, service.writes()]).toEqual([expect.stringContaining(words), writes]);
  }
  expect((await alone.run(line)).code).toBe(again);
  if (!/^(api|proctors)/.test(line)) expect(alone.writes()).toEqual(writes);
});

test.each([1, 2, 3])('Two restrictions of one exam at once are both so in the end (at request %i).', async (n) => {
  const service = office();
  const { first, second } = await beside(service, ['exams update 1 --allow-headphones', 'exams update 1 --no-allow-whiteboard'], { n });
  expect([first.code, second.code], second.stderr).toEqual([0, 0]);
  expect(service.exams[0]).toMatchObject({ allow_headphones: true, allow_whiteboard: false, allow_leave_room: true });
});

test.each(['resume', 'close'])('`runs %s` beside the command of its run ends at once, and so does that beside it.', async (verb) => {
  const line = 'sessions delete 7 8 --yes';
  for (const isFirst of [true, false]) {
    const service = office();
    const home = await killed(service, line);
    const ofRun = `runs ${verb} ${await openRun(service, home)} --yes`;
    const n = service.arrived.length + 1;
    const { first, second } = await beside(service, isFirst ? [ofRun, line] : [line, ofRun], { n, home, waits: true });
    expect([first.code, second.code], second.stderr).toEqual([0, 8]);
    expect(service.writes().filter((each) => each === 'DELETE /student_sessions/7')).toHaveLength(1);
  }
});

describe('While a create is at work in an exam for twenty seconds,', () => {
  const other = 'sessions create --exam 1 --email fay@example.org';
  const clone = 'exams clone 1 --start 2127-03-01T08:00:00Z';
  const slow = () => {
    const service = office();
    service.next('POST', { takes: 20_000 });
    return service;
  };

  test.each([
    ...[other, 'students add --exam 1 --email fay@example.org', 'sessions update 7 --email fay@example.org', 'exams send-emails 1 --yes'],
    `${clone} --with-students --yes`,
  ])('a script waits for ten of them, and says for whom: %s', async (line) => {
    const service = slow();
    const { first, second } = await beside(service, [create, `${line} -o json`], { n: 2 });
    expect([first.code, second.code, service.writes().length], second.stderr).toEqual([0, 8, 1]);
    expect(10_000 <= second.took && second.took <= 12_000).toBe(true);
    const words = /students of exam 1: ada@test, .*since 2027-01-04 08:00 \+00:00.*sessions create --exam 1/;
    expect(failureIn(second)).toEqual({ code: 'already_running', message: expect.stringMatching(words) });
  });

  test('a terminal waits, says for whom, and goes on from what is there then; Ctrl-C ends that.', async () => {
    const waited = await beside(slow(), [create, other], { n: 2, tty: true });
    expect([waited.first.code, waited.second.code, waited.second.stderr]).toEqual([0, 0, expect.stringContaining('ada@test')]);
    expect(waited.second.took).toBeGreaterThanOrEqual(20_000);
    const service = slow();
    const stop = new AbortController();
    service.clock.later(15_000, () => stop.abort(interruption));
    const { second } = await beside(service, [create, other], { n: 2, tty: true, interrupt: stop.signal });
    expect([second.code, second.took < 16_000, service.posts()]).toEqual([130, true, 1]);
  });

  test.each(['exams update 2 --allow-headphones', 'exams update 1 --allow-headphones', create.replace('exam 1', 'exam 2'), clone])(
    'what is written elsewhere is free: %s',
    async (line) => {
      const { first, second } = await beside(slow(), [create, line], { n: 2 });
      expect([first.code, second.code, second.took], second.stderr).toEqual([0, 0, 0]);
    },
  );
});
