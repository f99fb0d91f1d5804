/** `sessions update` with times: set as they were typed, as often as wanted; a run that was stopped is resumed with the same times. */
import { expect, test } from 'vitest';
import { killed, office } from '../../runs/small-office.ts';
import { ada, bob } from '../../support/algebra.ts';

const [ten, eleven] = ['2127-02-01T10:00:00Z', '2127-02-01T11:00:00Z'];
const closes = (service: ReturnType<typeof office>) => service.sessions.map(({ close_time }) => close_time);

test.each<[line: string, stdin?: string]>([['sessions update 7 8'], ['sessions update -', '7\n8\n']])(
  'Several sessions get the same times, and nothing else, with a row each: %s',
  async (line, stdin = '') => {
    const service = office();
    const { code, stdout } = await service.run(`${line} --close-time ${ten} -o json`, { stdin });
    const row = { exam: 1, result: 'updated', reason: null };
    expect({ code, rows: JSON.parse(stdout) }).toEqual({
      code: 0,
      rows: [
        { ...row, session: ada.id, email: ada.email },
        { ...row, session: bob.id, email: bob.email },
      ],
    });
    expect(service.written().map(({ line: sent, body }) => [sent, body])).toEqual([
      ['PATCH /student_sessions/7', { close_time: ten }],
      ['PATCH /student_sessions/8', { close_time: ten }],
    ]);
  },
);

test('A time may be set as often as wanted: nothing is sent where it is shown, and it is sent again where somebody changed it.', async () => {
  const service = office();
  for (const writes of [1, 1]) {
    expect((await service.run(`sessions update 7 --close-time ${ten}`)).code).toBe(0);
    expect(service.writes()).toHaveLength(writes);
  }
  service.change('session', 7, { close_time: eleven }, 'colleague');
  expect((await service.run(`sessions update 7 --close-time ${ten}`)).code).toBe(0);
  expect(closes(service)).toEqual([ten, null]);
});

test('A run that was stopped is resumed by the same command, with the time that it meant then.', async () => {
  const service = office();
  const line = 'sessions update 7 8 --close-time +30m';
  const home = await killed(service, line);
  await service.clock.pass(10 * 60_000);
  const { code, stderr } = await service.run(line, { home });
  expect(code, stderr).toBe(0);
  const [one, other] = closes(service);
  expect(one).toBe('2027-01-04T08:30:00Z');
  expect(other).toBe(one);
  expect(service.writes()).toHaveLength(2);
});

test('A new address beside a time is refused where a student who is being added has it.', async () => {
  const service = office();
  service.next('POST', { done: 3_000, takes: 5_000, answer: 'lost' });
  let other: ReturnType<typeof service.run> | undefined;
  service.onArrival = ({ method }) => {
    if (method !== 'POST' || other) return;
    const working = service.clock.busy();
    other = service.run(`sessions update 7 --email eve@example.org --close-time ${ten}`, { onSleep: working }).finally(working);
  };
  expect((await service.run('sessions create --exam 1 --email eve@example.org')).code).toBe(0);
  expect((await other)?.code).toBe(11);
  expect(service.writes()).toHaveLength(1);
});
