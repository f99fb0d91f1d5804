/** The commands of the embedded service, and its profile. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { run, temporaryFolder, type World } from '../support/run.ts';
import { type Data, embedded, seededExams } from './embedded.ts';

const stopped = (): World => {
  const stop = new AbortController();
  stop.abort(new CliError('interrupted', 'Stopped by the test.'));
  return { interrupt: stop.signal };
};

test('serve prints base URL, token and institute, and ends with 0 when it is stopped', async () => {
  const { code, stdout, stderr } = await run(['sandbox', 'serve', '-o', 'json'], stopped());
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
    token: expect.stringMatching(/^\S{16,}$/),
    institute: '1',
  });
  expect(stderr).not.toContain('error');
});

test('serve refuses a port that is taken, or none', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const taken = await run(['sandbox', 'serve', '--port', String(port)], stopped());
  other.close();
  expect([taken.code, taken.stderr]).toEqual([3, expect.stringContaining(String(port))]);
  expect(taken.stderr).toContain('hoose another');
  for (const wrong of ['80000', 'http', '-1', '1.5', ''])
    expect((await run(['sandbox', 'serve', `--port=${wrong}`], stopped())).code).toBe(2);
});

test('serve refuses a fault that it does not have', async () => {
  const { code, stdout, stderr } = await run(['sandbox', 'serve', '--fault', 'lost-after', '--fault', 'lst-after'], stopped());
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('lst-after');
});

test('serve says which faults requests meet; the built-in profile has none', async () => {
  const { stderr } = await run(['sandbox', 'serve', '--fault', '500', '--fault', 'lost-after=5,POST'], stopped());
  expect(stderr).toContain('Requests meet faults: 500 lost-after=5,POST.\n');
  expect((await run(['sandbox', 'serve'], stopped())).stderr).not.toContain('fault');
  expect((await embedded().run('exams list --fault 500=1')).code).toBe(2);
});

test('serve says that a seed makes no new data where data are kept', async () => {
  const home = temporaryFolder();
  const told = async () => (await run(['sandbox', 'serve', '--seed', '7'], { home, ...stopped() })).stderr;
  const [first, second] = [await told(), await told()];
  const remedy = 'To replace it: proctor-cli sandbox reset --seed 7';
  expect([first.includes(remedy), second.includes(remedy)]).toEqual([false, true]);
});

test('reset begins anew, with the same data for the same word', async () => {
  const service = embedded();
  const now = '2026-11-21T09:00:00Z';
  const all = async () => [await service.json('exams list'), await service.json('sessions list'), await service.json('sandbox outbox')];
  await service.run('sandbox reset --yes', { now });
  const first = await all();
  await service.run('exams delete 1 2 --yes');
  await service.run('exams send-emails 5 --yes');
  const { code, stdout } = await service.run('sandbox reset --yes -o json', { now });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ exams: seededExams.length });
  expect(await all()).toEqual(first);
  await service.run('sandbox reset --yes --seed other', { now });
  expect(await all()).not.toEqual(first);
});

test('reset erases the runs of its data, and those of no other service', async () => {
  const service = embedded();
  const delay = () => service.run('exams delay 3 --by 15m --yes');
  const kinds = async () =>
    (await service.json<Data[]>('runs list --all-services')).map(({ command, exam }) => [
      String(command).split(' ').slice(0, 2).join(' '),
      exam,
    ]);
  const roster = join(service.home, 'roster.csv');
  writeFileSync(roster, 'email\nnew@example.org\n');
  expect([(await delay()).code, (await service.run(['sessions', 'import', roster, '--exam', '6', '--yes'])).code]).toEqual([0, 0]);
  expect((await (await service.under([])).run('exams delay 5 --by 15m --yes')).code).toBe(0);
  const elsewhere = ['exams delay', 5];
  const all = [elsewhere, ['sessions import', 6], ['exams delay', 3]];

  expect((await service.run(['sandbox', 'reset', '--yes', '--folder', temporaryFolder()])).code).toBe(0);
  expect(await kinds()).toEqual(expect.arrayContaining(all));

  const { code, stderr } = await service.run('sandbox reset --yes');
  expect([code, stderr]).toEqual([0, expect.stringContaining('Erased with the data: 2 runs.')]);
  expect(await kinds()).toEqual([elsewhere]);
  expect((await delay()).code).toBe(0);
});
