/** Taking an import back when deletions fail, are interrupted, or were begun before. */
import { expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import type { Fault } from '../../campaign/service.ts';
import { run, type World } from '../../support/run.ts';
import { exam, states, three } from './importing.ts';

/** An exam with an import of three that can be taken back; of its POSTs, some may go wrong. */
async function imported(faults: Record<number, Fault> = {}) {
  const made = await exam();
  made.posts(faults);
  const { report } = await made.imports(three, '--concurrency 1');
  const env = { PROCTOR_BASE_URL: made.service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests' };
  async function undo(world: World = {}) {
    const ended = await run(['imports', 'undo', String(report.run), '--yes', '-o', 'json'], { home: made.home, ...world, env });
    const rows = JSON.parse(ended.stdout) as { email: string; result: string }[];
    return { ...ended, results: rows.map(({ email, result }) => [email.split('@')[0], result]) };
  }
  const list = async () => JSON.parse((await run(['imports', 'list', '-o', 'json'], { home: made.home })).stdout) as unknown;
  return { ...made, undo, list };
}

test('A deletion that fails does not keep the others, and is made up for by the same command.', async () => {
  const { service, undo } = await imported();
  service.fault = ({ method, count }) => (method === 'DELETE' && count === 2 ? { answer: { status: 409 } } : undefined);
  const ended = await undo();
  expect(ended.code).toBe(9);
  expect(ended.results).toEqual([
    ['ann', 'deleted'],
    ['bob', 'failed'],
    ['cy', 'deleted'],
  ]);
  expect(JSON.parse(ended.stderr).error.message).toMatch(/^1 of 3 sessions are not deleted/);
  const again = await undo();
  expect(again).toMatchObject({ code: 0, results: [['bob', 'deleted']] });
  expect(service.students()).toEqual([]);
});

test('A deletion that may not have happened is said to be unknown.', async () => {
  const { service, undo } = await imported();
  service.fault = ({ method, count }) => (method === 'DELETE' && count === 3 ? { answer: { status: 500 } } : undefined);
  expect((await undo()).code).toBe(10);
  expect((await undo()).code).toBe(0);
  expect(service.students()).toEqual([]);
});

test('A deletion whose answer was lost is known to be done once the student is seen to be gone.', async () => {
  const { service, undo, list } = await imported();
  service.fault = ({ method, count }) => (method === 'DELETE' && count === 3 ? { answer: 'reset' } : undefined);
  expect((await undo()).code).toBe(10);
  expect(await list()).toMatchObject([{ state: 'unfinished', deleted: 2, unknown: 1 }]);
  expect(await undo()).toMatchObject({ code: 0, results: [] });
  expect(await list()).toMatchObject([{ state: 'finished', deleted: 3, unknown: 0 }]);
});

test('An import that is not finished, and of which nobody is there, can still be gone on with.', async () => {
  const { service, imports, posts, undo } = await imported({ 1: { answer: { status: 401 } } });
  expect(await undo()).toMatchObject({ code: 0, results: [] });
  posts({});
  expect(states(await imports(three))).toEqual({ created: 3 });
  expect(service.students()).toHaveLength(3);
});

test.each([
  ['a refused token', 4],
  ['an interruption', 143],
])('After %s nobody else is deleted.', async (_, code) => {
  const { service, undo } = await imported();
  const interruption = new AbortController();
  service.fault = ({ method }) => {
    if (method !== 'DELETE') return undefined;
    if (code === 4) return { answer: { status: 401 } };
    interruption.abort(new CliError('terminated', 'Stopped by SIGTERM.'));
    return undefined;
  };
  const ended = await undo({ interrupt: interruption.signal });
  expect(ended.code).toBe(code);
  expect(ended.results.slice(1)).toEqual([
    ['bob', 'not tried'],
    ['cy', 'not tried'],
  ]);
  expect(service.requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1);
});

test('An undo that was stopped is named as what to go on with.', async () => {
  const { service, undo, list } = await imported();
  const interruption = new AbortController();
  service.fault = ({ method }) => {
    if (method === 'DELETE') interruption.abort(new CliError('terminated', 'Stopped by SIGTERM.'));
    return undefined;
  };
  await undo({ interrupt: interruption.signal });
  expect(await list()).toMatchObject([{ state: 'unfinished', deleted: 1, next: expect.stringMatching(/proctor-cli imports undo \d/) }]);
  service.fault = () => undefined;
  await undo();
  expect(await list()).toMatchObject([{ state: 'finished', deleted: 3, next: null }]);
});

test('A run that is being taken back is not gone on with: the same import begins anew.', async () => {
  const { service, undo, imports } = await imported();
  service.fault = ({ method, count }) => (method === 'DELETE' && count === 2 ? { answer: { status: 401 } } : undefined);
  await undo();
  service.fault = () => undefined;
  const ended = await imports(three);
  expect(states(ended)).toEqual({ created: 1, unchanged: 2 });
  expect(service.students()).toHaveLength(3);
});

test('Whom the run may have created, and nobody knows, is named and kept.', async () => {
  const { service, imports, home } = await exam();
  service.fault = ({ method, count }) => {
    if (method === 'POST') return count === 2 ? { answer: 'reset' } : undefined;
    return count > 1 ? { answer: { status: 500 } } : undefined;
  };
  const { report } = await imports(three, '--concurrency 1');
  expect(report.unknown).toBe(1);
  service.fault = () => undefined;
  const env = { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests' };
  const ended = await run(['imports', 'undo', String(report.run), '--yes', '-o', 'json'], { home, env });
  expect(ended.code).toBe(10);
  expect(JSON.parse(ended.stdout)).toMatchObject([
    { email: 'ann@example.org', result: 'deleted' },
    { email: 'cy@example.org', result: 'deleted' },
    { email: 'bob@example.org', result: 'kept, perhaps created' },
  ]);
  expect(service.students()).toHaveLength(1);
});
