/** Two extensions of the same students at the same time: what another one has set is shown, asked about again, or left; a loss is named. */
import { expect, test } from 'vitest';
import { algebra, held } from '../../support/algebra.ts';
import type { Run, World } from '../../support/run.ts';

const ten = '2027-03-01T10:00:00Z';

/** An exam of five whose window closes at ten, and a machine to extend it from. */
function five() {
  const service = held({ exams: [{ ...algebra, id: 6 }] });
  for (let at = 1; at <= 5; at++) service.add({ email: `s${at}@example.org`, close_time: ten });
  const run = (line: string, world?: World) => service.run(line, world);
  return { service, run, closeTimes: () => service.sessions.map(({ close_time }) => close_time) };
}

test('An extension that was shown before another one was applied is shown and asked about again.', async () => {
  const { run, closeTimes } = five();
  let first: Run | undefined;
  const during = async () => {
    first = await run('sessions extend --exam 6 --by 30m --yes');
    return true;
  };
  const second = await run('sessions extend --exam 6 --by 1h', { tty: true, answers: [during, false] });
  expect(first?.code).toBe(0);
  expect(second.code).toBe(130);
  expect(second.questions[1]).toContain('5 of them again');
  expect(second.stderr).toMatch(/Already extended by run \S+ at /);
  expect(closeTimes()).toEqual(Array(5).fill('2027-03-01T10:30:00Z'));
});

test('An extension whose requests wait leaves what another one has set meanwhile, and names each student.', async () => {
  const { service, run, closeTimes } = five();
  let waits = true;
  service.fault = ({ method }) => {
    if (method !== 'PATCH' || !waits) return undefined;
    waits = false;
    for (const student of service.sessions) student.close_time = '2027-03-01T10:30:00Z';
    return { answer: { status: 429, headers: { 'retry-after': '20' } } };
  };
  const { code, stdout } = await run('sessions extend --exam 6 --by 1h --yes -o csv', {});
  expect(code).toBe(11);
  expect(stdout.match(/,kept,/g)).toHaveLength(5);
  expect(closeTimes()).toEqual(Array(5).fill('2027-03-01T10:30:00Z'));
});

test('What another one replaces in the instant of the write is named with both values, and the status is not 0.', async () => {
  const { service, run } = five();
  service.fault = ({ method, count }) => {
    const [first] = service.sessions;
    if (method === 'PATCH' && count === 4 && first) first.close_time = '2027-03-01T10:15:00Z';
    return undefined;
  };
  const { code, stdout } = await run('sessions extend --exam 6 --by 1h --yes -o csv');
  expect(code).toBe(9);
  expect(stdout).toMatch(/,failed,.*close_time is 2027-03-01 10:15 \+00:00, not 2027-03-01 11:00/);
});

test.each([
  ['the same command', 'sessions extend --exam 6 --by 30m --yes'],
  ['runs resume', undefined],
])('A session that another student has got since is not extended by %s: the stranger is named', async (_, line) => {
  const { service, run, closeTimes } = five();
  service.fault = ({ method, count }) => (method === 'PATCH' && count === 3 ? { answer: { status: 401 } } : undefined);
  expect((await run('sessions extend --exam 6 --by 30m --yes')).code).toBe(9);
  service.fault = () => undefined;
  const before = closeTimes();
  const stranger = service.sessions.find(({ close_time }) => close_time === ten);
  Object.assign(stranger ?? {}, { email: 'eve@example.org' });
  const [{ run: id }] = JSON.parse((await run('runs list -o json')).stdout);
  const { code, stdout } = await run(`${line ?? `runs resume ${id} --yes`} -o json`);
  expect(code).toBe(9);
  expect(stdout).toContain('it now belongs to eve@example.org');
  expect(stranger?.close_time).toBe(ten);
  expect(closeTimes().filter((time) => time === ten)).toHaveLength(1);
  expect(before.filter((time) => time === ten).length).toBeGreaterThan(1);
});
