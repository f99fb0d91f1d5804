/** Node 22 and 24 have no calendar of their own: a command that runs there brings one, and nothing else does. */
import { afterEach, expect, test, vi } from 'vitest';
import { completed } from '../../src/cli/complete/complete.ts';
import { answer, faultServer } from '../faults/server.ts';
import { hostOf, run } from '../support/run.ts';

afterEach(() => vi.unstubAllGlobals());

test('a command reads the same times where Node has no calendar as where it has one', async () => {
  const line = '--profile sandbox exams create --start 2027-02-01T09:00 --end 11:00 --timezone Europe/Vienna --dry-run';
  const body = async () => (await run(line.split(' '))).stdout.split('Body')[1];
  const here = await body();
  vi.stubGlobal('Temporal', undefined);
  expect(await body()).toBe(here);
  expect(here).toContain('"start_time":"2027-02-01T08:00:00Z","end_time":"2027-02-01T10:00:00Z"');
});

test.each(['--version', '--help', 'help times', 'exams list --help', 'exams lst'])('%s brings none', async (line) => {
  vi.stubGlobal('Temporal', undefined);
  await run(line.split(' '));
  expect(globalThis.Temporal).toBeUndefined();
});

test('Tab says when an exam is where Node has no calendar', async () => {
  const server = await faultServer([answer(200, [{ id: 8, name: 'Logic', start_time: '2027-02-01T08:00:00Z' }])]);
  const host = hostOf({ env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: 'a-token', PROCTOR_TIMEZONE: 'Europe/Vienna' } });
  vi.stubGlobal('Temporal', undefined);
  expect(await completed(host, ['exams', 'get', ':'])).toBe('words 0\n8\tLogic, 2027-02-01 09:00 +01:00\n');
});
