/** Old runs are erased on request or by a setting, and claims once their exam has ended. */
import { expect, test } from 'vitest';
import { answer } from '../faults/server.ts';
import { type Held, held } from './held-service.ts';

const began = '2127-01-01T08:00:00Z';
const halfAYearLater = { now: '2127-07-10T08:00:00Z' };
const pruning = 'runs prune --older-than 180d --yes -o json';

/** One student was registered for exam 1 in a run of her own. */
async function registered(): Promise<Held> {
  const service = await held();
  const { code, stderr } = await service.run('sessions create --exam 1 --email ada@example.org', { now: began });
  expect(code, stderr).toBe(0);
  return service;
}

const pruned = async (service: Held, line = pruning, now = halfAYearLater.now) => {
  const { code, stdout, stderr } = await service.run(line, { now });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};
const runsOf = async (service: Held) => JSON.parse((await service.run('runs list -o json')).stdout) as { command: string }[];

test('pruning erases old runs, and claims as soon as their exam has ended', async () => {
  const service = await registered();
  Object.assign(service.exams[0] ?? {}, { end_time: '2127-07-10T09:00:00Z' });
  expect(await pruned(service)).toEqual({ runs: 1, claims: 0 });
  expect(await runsOf(service)).toEqual([]);
  expect(await pruned(service, pruning, '2127-07-10T09:00:01Z')).toEqual({ runs: 0, claims: 1 });
  const before = service.requests().length;
  expect(await pruned(service)).toEqual({ runs: 0, claims: 0 });
  expect(service.requests()).toHaveLength(before);
});

test('an exam that is gone has ended', async () => {
  const service = await registered();
  service.exams.length = 0;
  expect(await pruned(service)).toEqual({ runs: 1, claims: 1 });
});

test('nothing is erased where the service does not show an exam, nor in a dry run, which says what would be', async () => {
  const service = await registered();
  service.onRequest = () => answer(502);
  expect((await service.run(pruning, halfAYearLater)).code).not.toBe(0);
  service.onRequest = () => undefined;
  const { code, stderr } = await service.run('runs prune --older-than 180d --dry-run', halfAYearLater);
  expect([code, stderr]).toEqual([0, '1 finished run would be erased, with the claims in 1 exam that ended.\n']);
  expect(await pruned(service)).toEqual({ runs: 1, claims: 1 });
});

test('with keepRuns, a new run erases what is older, and asks the service nothing about it', async () => {
  const service = await registered();
  expect((await service.run('config set keepRuns 180d')).code).toBe(0);
  const asked = async (email: string, now: string) => {
    const before = service.requests().length;
    await service.run(`sessions create --exam 1 --email ${email}`, { now });
    return service
      .requests()
      .slice(before)
      .map((request) => request.replace(/\d+$/, 'ID'));
  };
  const early = await asked('bob@example.org', '2127-01-20T08:00:00Z');
  expect(await runsOf(service)).toHaveLength(2);
  Object.assign(service.exams[0] ?? {}, { end_time: '2127-07-11T08:00:00Z' });
  expect(await asked('cy@example.org', '2127-07-10T08:00:00Z')).toEqual(early);
  expect(await runsOf(service)).toHaveLength(2);
});

test('a time of less than a day is no setting, because 6m are six minutes', async () => {
  const service = await held();
  const { code, stderr } = await service.run('config set keepRuns 6m');
  expect([code, stderr]).toEqual([3, expect.stringContaining('The time "6m" is less than a day.')]);
});
