/** The log of an import: what it decided, beside each of its requests, and no word about a student. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliError } from '../../../../src/errors.ts';
import { validator } from '../../../commands/schemas.ts';
import { exam, states } from './importing.ts';

const roster = (rows: number) => `email\n${Array.from({ length: rows }, (_, row) => `student${row}@example.org\n`).join('')}`;

async function logOf(home: string): Promise<Record<string, unknown>[]> {
  const problemOf = await validator('log', { closed: true });
  const text = readFileSync(join(home, 'log.ndjson'), 'utf8');
  expect(text).not.toMatch(/student\d|example\.org|a-token-of-the-tests/);
  const all = text.trimEnd().split('\n');
  return all.map((line) => {
    expect(problemOf(JSON.parse(line)), line).toBe(undefined);
    return JSON.parse(line);
  });
}

test('a burst of 429 stands in the log once, with the pace that follows it, beside each refused request', async () => {
  const { home, imports, posts } = await exam();
  const refused = { answer: { status: 429, headers: { 'retry-after': '2' } }, done: 'never' } as const;
  posts({ 3: refused, 4: refused });
  // More than are sent one by one.
  const ended = await imports(roster(20), `--log-file ${join(home, 'log.ndjson')} --concurrency 4`);
  expect(states(ended)).toEqual({ created: 20 });
  const all = await logOf(home);
  expect(all.filter(({ event, status }) => event === 'request' && status === 429)).toHaveLength(2);
  const slowed = all.filter(({ event }) => event === 'slow_down');
  expect(slowed).toHaveLength(1);
  expect(slowed[0]).toMatchObject({ wait: 2000, rate: expect.any(Number) });
  // What a run sends again is a request of its own, which it has justified anew.
  expect(all.filter(({ event, operation }) => event === 'request' && operation === 'createSession')).toHaveLength(22);
  expect(all.filter(({ operation, status }) => operation === 'createSession' && status === 201)).toHaveLength(20);
  expect(all.at(-1)).toMatchObject({ event: 'exit', exit: 0 });
});

test('a stop and a resume stand in the log, and no wait where a look shows at once what was lost', async () => {
  const { home, imports, posts } = await exam();
  const line = `--log-file ${join(home, 'log.ndjson')} --concurrency 1`;
  posts({ 2: { answer: 'reset', done: 'now' }, 4: { answer: { status: 401 }, done: 'never' } });
  const stopped = await imports(roster(5), line);
  expect(stopped.code).toBe(10);
  const finished = await imports(roster(5), line);
  expect(states(finished)).toMatchObject({ created: 5 });
  const all = await logOf(home);
  const events = all.filter(({ event }) => event !== 'request' && event !== 'retry');
  expect(events.map(({ event, reason = '', code = '' }) => `${event} ${reason}${code ?? ''}`.trim())).toEqual([
    'start',
    'stop token_refused',
    'exit outcome_unknown',
    'start',
    'resume',
    'exit',
  ]);
  expect(events.find(({ event }) => event === 'resume')).toMatchObject({ run: expect.stringMatching(/^\d{8}T/) });
  expect(all.find(({ failure }) => failure === 'broken')).toMatchObject({ operation: 'createSession', sent: true, status: null });
});

test('rows that a listing has shown to be missing are sent again, which stands in the log', async () => {
  const { home, imports, posts } = await exam();
  posts({ 2: { answer: 'reset', done: 'never' } });
  const ended = await imports(roster(5), `--log-file ${join(home, 'log.ndjson')} --concurrency 1 --resend-absent`);
  expect(states(ended)).toEqual({ created: 5 });
  const decisions = (await logOf(home)).filter(({ event }) => event === 'wait' || event === 'resend');
  expect(decisions).toMatchObject([
    { event: 'wait', reason: 'late_requests' },
    { event: 'resend', requests: 1 },
  ]);
});

test('an interruption is a stop', async () => {
  const { home, imports, service } = await exam();
  const stop = new AbortController();
  service.fault = ({ method, count }) => {
    if (method === 'POST' && count === 3) stop.abort(new CliError('interrupted', 'Stopped by the test.'));
    return undefined;
  };
  const ended = await imports(roster(9), `--log-file ${join(home, 'log.ndjson')} --concurrency 1`, { interrupt: stop.signal });
  expect(ended.code).toBe(130);
  const all = await logOf(home);
  expect(all.find(({ event }) => event === 'stop')).toMatchObject({ reason: 'interrupted', status: null });
  expect(all.at(-1)).toMatchObject({ event: 'exit', exit: 130, code: 'interrupted' });
});
