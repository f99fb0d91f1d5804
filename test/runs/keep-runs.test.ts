/** Old runs are erased when a new one begins (keepRuns). */
import { expect, test } from 'vitest';
import { held } from '../support/algebra.ts';
import type { Service } from '../support/service.ts';

const runsOf = async (service: Service) => JSON.parse((await service.run('runs list -o json')).stdout) as { when: string }[];

/** One student after the other is registered for exam 1; resolves to the requests of each. */
async function registered(service: Service, students: Readonly<Record<string, string>>): Promise<string[][]> {
  const requests: string[][] = [];
  for (const [email, now] of Object.entries(students)) {
    const before = service.requests().length;
    const { code, stderr } = await service.run(`sessions create --exam 1 --email ${email}`, { now });
    expect(code, stderr).toBe(0);
    const sent = service.requests().slice(before);
    requests.push(sent.map((request) => request.replace(/\d+$/, 'ID')));
  }
  return requests;
}

test('a new run erases what is older than half a year, and asks the service nothing about it', async () => {
  const service = held();
  const [, early, late] = await registered(service, {
    'ada@example.org': '2127-01-01T08:00:00Z',
    'bob@example.org': '2127-01-20T08:00:00Z',
    'cy@example.org': '2127-07-10T08:00:00Z',
  });
  expect(late).toEqual(early);
  expect((await runsOf(service)).map(({ when }) => when.slice(0, 10))).toEqual(['2127-07-10', '2127-01-20']);
});

test('keepRuns sets another time', async () => {
  const service = held();
  expect((await service.run('config set keepRuns 520w')).code).toBe(0);
  await registered(service, { 'ada@example.org': '2127-01-01T08:00:00Z', 'bob@example.org': '2130-01-01T08:00:00Z' });
  expect(await runsOf(service)).toHaveLength(2);
});

test('a time of less than a day is no setting, because 6m are six minutes', async () => {
  const service = held();
  const { code, stderr } = await service.run('config set keepRuns 6m');
  expect([code, stderr]).toEqual([3, expect.stringContaining('less than a day')]);
});
