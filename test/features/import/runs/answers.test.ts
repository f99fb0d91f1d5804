/** What each end of a POST is taken for, line by line of the table: done, not done, or in doubt until a listing tells. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../campaign/service.ts';
import { run } from '../../../support/run.ts';
import { timeLimit } from '../../../support/time-limit.ts';
import { type Exam, exam, one, states, three } from './importing.ts';
import { brokenResends } from './promises.ts';

const said = (status: number, body: unknown = { message: 'the words of the service' }, headers = {}) => ({ status, body, headers });
const html = { 'content-type': 'text/html' };

const ambiguous: [string, Fault][] = [
  ['a reset', { answer: 'reset' }],
  ['an end without an answer', { answer: 'end' }],
  ['no answer in time', { answer: 'silence' }],
  ['a redirect', { answer: said(302, '', { location: '/elsewhere' }) }],
  ['408', { answer: said(408) }],
  ['500', { answer: said(500) }],
  ['502 as HTML', { answer: said(502, '<html><title>Bad gateway</title></html>', html) }],
  ['503 with Retry-After', { answer: said(503, {}, { 'retry-after': '7' }) }],
  ['504', { answer: said(504) }],
  ['HTML instead of JSON', { answer: said(200, '<html><title>Log in</title></html>', html) }],
];

describe.each(ambiguous)('%s', (_, fault) => {
  /** The first POST ends so; after silence, its time is over at once. Resolves to the option with the limit. */
  const firstEnds = ({ service }: Exam, done: NonNullable<Fault['done']>) => {
    const { option, end } = timeLimit();
    service.fault = ({ method, count }) => {
      if (method !== 'POST' || count !== 1) return undefined;
      if (fault.answer === 'silence') setImmediate(end);
      return { ...fault, done };
    };
    return option;
  };

  test('is looked up, and done if the student is there', async () => {
    const made = await exam();
    const { service, imports } = made;
    const limit = firstEnds(made, 'now');
    const ended = await imports(one, `${limit}`);
    expect(states(ended)).toEqual({ created: 1 });
    expect(ended.code).toBe(0);
    expect(service.posts()).toBe(1);
  });

  test('is looked up, and not sent again if the student is missing', async () => {
    const made = await exam();
    const { service, imports } = made;
    const limit = firstEnds(made, 'never');
    const ended = await imports(one, `${limit}`);
    expect(states(ended)).toEqual({ absent: 1 });
    expect(ended.code).toBe(9);
    expect(service.posts()).toBe(1);
    expect(ended.stderr).toContain('Run the same command again');
  });

  test('is sent again with --resend-absent, after a listing has proven it', async () => {
    const made = await exam();
    const { service, imports } = made;
    const limit = firstEnds(made, 'never');
    const ended = await imports(one, `${limit} --resend-absent`);
    expect(states(ended)).toEqual({ created: 1 });
    expect(ended.code).toBe(0);
    expect(brokenResends(service.log)).toEqual([]);
    expect(service.students()).toHaveLength(1);
  });

  test('that is obeyed late is found after the settle time', async () => {
    const made = await exam();
    const { service, imports } = made;
    const limit = firstEnds(made, 55_000);
    const ended = await imports(one, `${limit} --settle 60s --resend-absent`);
    expect(states(ended)).toEqual({ created: 1 });
    expect(service.posts()).toBe(1);
    expect(service.students()).toHaveLength(1);
  });
});

describe('a success that is cut short', () => {
  test.each(['cut', 'cut-chunks'] as const)('is found by listing, and never sent again (%s)', async (answer) => {
    const { service, imports, posts } = await exam();
    posts({ 1: { answer, done: 'now' } });
    const ended = await imports(one, '--resend-absent');
    expect(states(ended)).toEqual({ created: 1 });
    expect(service.posts()).toBe(1);
  });

  test('is absent if two readings do not show it, and not sent again by the same command', async () => {
    const { service, imports, posts } = await exam();
    posts({ 1: { answer: 'cut', done: 'never' } });
    expect(states(await imports(one))).toEqual({ absent: 1 });
    expect(states(await imports(one))).toEqual({ absent: 1 });
    expect(service.posts()).toBe(1);
  });
});

describe('a refusal', () => {
  test.each([400, 405, 413, 415, 422, 418])(
    'with %i rejects the row, in the words of the service, and the others continue',
    async (status) => {
      const { service, imports, posts } = await exam();
      posts({ 2: { answer: said(status) } });
      const ended = await imports(three, '--concurrency 1');
      expect(states(ended)).toEqual({ created: 2, rejected: 1 });
      expect(ended.code).toBe(9);
      expect(ended.report.problems).toMatchObject([{ line: 3, email: 'bob@example.org', state: 'rejected' }]);
      expect(ended.report.problems[0]?.reason).toContain('the words of the service');
      expect(service.posts()).toBe(3);
    },
  );

  test('with 404 is looked up: the line is rejected while the exam is there', async () => {
    const { imports, posts } = await exam();
    posts({ 1: { answer: said(404) } });
    const ended = await imports(three, '--concurrency 1');
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ rejected: 1, created: 2 });
  });

  test.each([401, 403])('with %i stops the run; with another token the same command resumes it', async (status) => {
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: said(status) } });
    const ended = await imports(three, '--concurrency 1');
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 1, not_sent: 2 });
    const { message, hint } = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error;
    expect(message).toMatch(/1 line done, 2 not done\.$/);
    expect(hint).toMatch(/token .* Run the same command again to resume\.$/);
    expect(service.posts()).toBe(2);
    const again = await imports(three);
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 3 });
    expect(service.students()).toHaveLength(3);
    expect(brokenResends(service.log)).toEqual([]);
  });
});

describe('"taken"', () => {
  const taken = [said(409), said(422, { errors: { email: ['has already been taken'] } })];

  test.each(taken)('is looked up: a student already in the exam stays unchanged ($status)', async (answer) => {
    const { service, imports, posts } = await exam();
    posts({ 1: { answer, done: 'now' } });
    const ended = await imports(one);
    expect(states(ended)).toEqual({ unchanged: 1 });
    expect(ended.code).toBe(0);
    expect(service.posts()).toBe(1);
  });

  test.each(taken)('is a rejection if no listing shows the student ($status)', async (answer) => {
    const { service, imports, posts } = await exam();
    posts({ 1: { answer } });
    const ended = await imports(one, '--resend-absent');
    expect(states(ended)).toEqual({ rejected: 1 });
    expect(ended.code).toBe(9);
    expect(service.posts()).toBe(1);
  });

  test('fails the row if the student in the exam differs from the file', async () => {
    const { imports, posts } = await exam();
    posts({ 1: { answer: said(409), done: 'now' } });
    const ended = await imports('email,open_time\nann@example.org,2027-01-10T09:00:00Z\n');
    expect(states(ended)).toEqual({ different: 1 });
    expect(ended.code).toBe(9);
  });
});

describe('too many requests', () => {
  const asks: [string, Record<string, string>][] = [
    ['without Retry-After', {}],
    ['with seconds', { 'retry-after': '3' }],
    ['with parts of a second', { 'retry-after': '0.25' }],
    ['with a date', { 'retry-after': new Date(Date.now() + 4000).toUTCString() }],
    ['with a date gone by', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
    ['with nonsense', { 'retry-after': 'soon' }],
    ['with a year', { 'retry-after': '31536000' }],
  ];

  test.each(asks)('waits, then sends, without being asked to (%s)', async (_, headers) => {
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: said(429, {}, headers) } });
    const ended = await imports(three, '--concurrency 1');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 3 });
    expect(service.posts('bob@example.org')).toBe(2);
    expect(brokenResends(service.log)).toEqual([]);
  });

  test('waits as long as it is asked to, and never longer than two minutes', async () => {
    const waits: number[] = [];
    const { service, imports, posts } = await exam();
    posts({ 1: { answer: said(429, {}, { 'retry-after': '9' }) }, 2: { answer: said(429, {}, { 'retry-after': '86400' }) } });
    await imports(one, '', {
      now: '2027-01-10T08:00:00Z',
      clockRuns: true,
      onSleep(milliseconds) {
        waits.push(milliseconds);
        service.pass(milliseconds);
      },
    });
    expect(waits).toContain(9000);
    expect(Math.max(...waits)).toBe(120_000);
  });

  test('that were obeyed all the same are looked up first, where the profile says that a 429 leaves it open', async () => {
    const { service, imports, posts, home } = await exam();
    expect((await run(['config', 'set', 'dialect.limitedMeans', 'unknown'], { home })).code).toBe(0);
    posts({ 1: { answer: said(429), done: 'now' } });
    const ended = await imports(one);
    expect(states(ended)).toEqual({ created: 1 });
    expect(service.posts()).toBe(1);
  });

  test('that may have been obeyed stay unknown where the list hides the addresses, and are not sent again', async () => {
    const { service, imports, posts, home } = await exam({ listed: () => undefined });
    expect((await run(['config', 'set', 'dialect.limitedMeans', 'unknown'], { home })).code).toBe(0);
    posts({ 1: { answer: said(429), done: 'now' } });
    const ended = await imports(one, '--allow-no-email --resend-absent');
    expect(states(ended)).toEqual({ unknown: 1 });
    expect(ended.code).toBe(10);
    await imports(one, '--allow-no-email --resend-absent');
    expect(service.posts()).toBe(1);
  });

  test('are waited for once, as long as Retry-After says, and no listing comes between', async () => {
    const waits: number[] = [];
    const { service, imports, posts } = await exam();
    posts({ 1: { answer: said(429, {}, { 'retry-after': '0.25' }) } });
    await imports(one, '', { now: '2027-01-10T08:00:00Z', clockRuns: true, onSleep: (milliseconds) => void waits.push(milliseconds) });
    // The listing after it leaves at the rate that the refusal has taught.
    expect(waits).toEqual([250, expect.any(Number)]);
    expect(service.requests.filter((line) => line !== 'GET /exams/6')).toEqual([
      'GET /exams/6/student_sessions',
      'POST /exams/6/student_sessions',
      'POST /exams/6/student_sessions',
      'GET /exams/6/student_sessions',
    ]);
  });

  test('without end stop the run, and the same command resumes it', async () => {
    const { service, imports } = await exam();
    service.fault = ({ method }) => (method === 'POST' ? { answer: said(429) } : undefined);
    const ended = await imports(three);
    expect(ended.code).toBe(8);
    expect(states(ended)).toEqual({ not_sent: 3 });
    expect(service.posts()).toBeLessThan(60);
    service.fault = () => undefined;
    const again = await imports(three);
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 3 });
    expect(brokenResends(service.log)).toEqual([]);
  });
});

describe('a request that never left', () => {
  test('is sent again by itself', async () => {
    const { service, imports } = await exam();
    service.afterNextAnswer = () => service.away(true);
    let waits = 0;
    const ended = await imports(one, '', { onSleep: () => (++waits === 2 ? service.away(false) : undefined) });
    expect(states(ended)).toEqual({ created: 1 });
    expect(ended.code).toBe(0);
    expect(service.posts()).toBe(1);
  });

  test('three times in a row stops the run; the same command resumes it', async () => {
    const { service, imports } = await exam();
    service.afterNextAnswer = () => service.away(true);
    const ended = await imports(three);
    expect(ended.code).toBe(8);
    expect(states(ended)).toEqual({ not_sent: 3 });
    await service.away(false);
    const again = await imports(three);
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 3 });
  });
});

describe('many doubts', () => {
  const roster = (rows: number) => `email\n${Array.from({ length: rows }, (_, at) => `s${at + 1}@example.org`).join('\n')}\n`;

  test('three in a row stop the run', async () => {
    const { service, imports, posts } = await exam();
    const fault: Fault = { answer: 'reset', done: 'now' };
    posts({ 4: fault, 5: fault, 6: fault });
    const ended = await imports(roster(100), '--concurrency 1');
    expect(service.posts()).toBe(6);
    // A listing has settled all three, so no outcome is unknown any more.
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 6, not_sent: 94 });
    const { message, hint } = JSON.parse(ended.stderr).error;
    expect(message).toMatch(/^3 requests had no clear answer.* 6 lines done, 94 not done\.$/);
    expect(hint).toBe('Run the same command again to resume.');
    const again = await imports(roster(100));
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 100 });
    expect(service.students()).toHaveLength(100);
  });

  test('with several requests in flight: half as many are proposed, and that command resumes the run', async () => {
    const { service, imports } = await exam();
    // Eight are in flight, and no answer comes back; the next ones are answered.
    service.fault = ({ method, count }) => (method === 'POST' && count <= 8 ? { answer: 'reset', done: 'now' } : undefined);
    const ended = await imports(roster(40));
    expect(ended.code, ended.stderr).toBe(9);
    const { hint } = JSON.parse(ended.stderr).error;
    expect(hint).toBe('Run the same command again to resume, with --concurrency 4 so that fewer requests are in flight.');
    const again = await imports(roster(40), '--concurrency 4');
    expect([again.code, states(again)]).toEqual([0, { created: 40 }]);
  });

  test('one in twenty stop the run', async () => {
    const { service, imports } = await exam();
    service.fault = ({ method, count }) => (method === 'POST' && count % 3 === 0 ? { answer: 'reset', done: 'now' } : undefined);
    const ended = await imports(roster(100), '--concurrency 1');
    expect(service.posts()).toBe(12);
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 12, not_sent: 88 });
  });

  test('that are cleared up at the end of a run are no failure', async () => {
    const { service, imports, posts } = await exam();
    const fault: Fault = { answer: 'reset', done: 'now' };
    posts({ 2: fault, 3: fault, 4: fault });
    const ended = await imports(roster(4), '--concurrency 1');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 4 });
    expect(ended.report.verified).toBe(true);
    expect(states(await imports(roster(4)))).toEqual({ unchanged: 4 });
    expect(service.posts()).toBe(4);
  });

  test('that are cleared up, but not proven at the end, are a failure', async () => {
    const { service, imports } = await exam();
    service.fault = ({ method, count }) => {
      if (method === 'POST') return { answer: 'reset', done: 'now' };
      // Of the listings, one is planned from and one settles the doubts.
      return count > 2 ? { answer: { status: 500 } } : undefined;
    };
    const ended = await imports(roster(3), '--concurrency 1');
    expect(ended.code).toBe(9);
    expect(ended.report.verified).toBe(false);
  });

  test('that no listing can clear up are not said to be', async () => {
    const { service, imports } = await exam();
    service.fault = ({ method }) => (method === 'POST' ? { answer: 'reset', done: 'now' } : undefined);
    const ended = await imports('name\nAnn\nBob\nCy\nDan\n', '--concurrency 1 --allow-no-email');
    expect(ended.code).toBe(10);
    expect(states(ended)).toEqual({ unknown: 3, not_sent: 1 });
    expect(JSON.parse(ended.stderr).error.message).not.toContain('a listing has told');
  });

  test('of which a listing cannot tell leave rows unknown', async () => {
    const { service, imports } = await exam();
    service.fault = ({ method, count }) => {
      if (method === 'POST') return count < 4 ? { answer: 'reset', done: 'now' } : undefined;
      return count > 1 ? { answer: { status: 500 } } : undefined;
    };
    const ended = await imports(roster(100), '--concurrency 1');
    expect(ended.code).toBe(10);
    expect(states(ended)).toEqual({ unknown: 3, not_sent: 97 });
  });
});

describe.each([
  { success: false, message: 'The exam is full.' },
  { error: 'The exam is full.' },
  { ok: false, message: 'The exam is full.' },
])('A success whose body is %j', (body) => {
  test('rejects the row with the words of the service, once a listing does not show the student', async () => {
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: said(200, body), done: 'never' } });
    const ended = await imports(three, '--concurrency 1');
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 2, rejected: 1 });
    expect(ended.report.problems[0]?.reason).toContain('The exam is full.');
    expect(states(await imports(three))).toEqual({ created: 1, unchanged: 2 });
    expect(service.posts()).toBe(4);
  });

  test('does not lose a student who was created all the same', async () => {
    const { service, imports, posts } = await exam();
    posts({ 2: { answer: said(201, body), done: 'now' } });
    expect((await imports(three, '--concurrency 1')).code).toBe(0);
    expect(states(await imports(three))).toEqual({ unchanged: 3 });
    expect(service.posts()).toBe(3);
  });
});
