/** Old runs are erased when a new one begins (keepRuns). */
import { expect, test } from 'vitest';
import { serviceWithExam } from '../support/algebra.ts';

test.each([
  ['26w', ['2127-01-01', '2127-01-20', '2127-07-10'], ['2127-07-10', '2127-01-20']],
  ['520w', ['2127-01-01', '2130-01-01'], ['2130-01-01', '2127-01-01']],
])('what is older than %s is erased, and the service is asked nothing about it', async (time, days, kept) => {
  const service = serviceWithExam();
  // Half a year needs no setting.
  if (time !== '26w') expect((await service.run(`config set keepRuns ${time}`)).code).toBe(0);
  const sent: string[] = [];
  for (const day of days) {
    const before = service.requests().length;
    const { code, stderr } = await service.run(`sessions create --exam 1 --email s${day}@example.org`, { now: `${day}T08:00:00Z` });
    expect(code, stderr).toBe(0);
    sent.push(service.requests().slice(before).join().replace(/\d+$/, 'ID'));
  }
  expect(sent.at(-1)).toEqual(sent[1]);
  const runs = JSON.parse((await service.run('runs list -o json')).stdout) as { when: string }[];
  expect(runs.map(({ when }) => when.slice(0, 10))).toEqual(kept);
});

test('a time of less than a day is no setting, because 6m are six minutes', async () => {
  const { code, stderr } = await serviceWithExam().run('config set keepRuns 6m');
  expect([code, stderr]).toEqual([3, expect.stringContaining('less than a day')]);
});
