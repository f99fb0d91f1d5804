/** What the lines of an import are after answers that are no success. The table of answers is tested row by row in `test/runs/answers.test.ts`. */
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../support/service.ts';
import { exam, one, states, three } from './importing.ts';
import { brokenResends } from './promises.ts';

const said = (status: number, body: unknown = { message: 'the words of the service' }, headers = {}) => ({ status, body, headers });

describe('a request whose answer was lost', () => {
  const lost = async (done: NonNullable<Reply['done']>) => {
    const made = exam();
    made.posts({ 1: { answer: 'lost', done } });
    return made;
  };

  test('is looked up, and done if the student is there', async () => {
    const { service, imports } = await lost('now');
    const ended = await imports(one);
    expect([ended.code, states(ended), service.posts()]).toEqual([0, { created: 1 }, 1]);
  });

  test('is looked up, and not sent again if the student is missing, by the same command either', async () => {
    const { service, imports } = await lost('never');
    const ended = await imports(one);
    expect([ended.code, states(ended)]).toEqual([9, { absent: 1 }]);
    expect(ended.stderr).toContain('Run the same command again');
    expect(states(await imports(one))).toEqual({ absent: 1 });
    expect(service.posts()).toBe(1);
  });

  test('is sent again with --resend-absent, after a listing has proven it', async () => {
    const { service, imports } = await lost('never');
    const ended = await imports(one, '--resend-absent');
    expect([ended.code, states(ended)]).toEqual([0, { created: 1 }]);
    expect(brokenResends(service)).toEqual([]);
    expect(service.sessions).toHaveLength(1);
  });

  test('that is obeyed late is found after the settle time', async () => {
    const { service, imports } = await lost(55_000);
    expect(states(await imports(one, '--settle 60s --resend-absent'))).toEqual({ created: 1 });
    expect([service.posts(), service.sessions.length]).toEqual([1, 1]);
  });
});

describe('a refusal', () => {
  test('rejects the row, in the words of the service, and the others continue', async () => {
    const { service, imports, posts } = exam();
    posts({ 2: { answer: said(422) } });
    const ended = await imports(three, '--concurrency 1');
    expect(states(ended)).toEqual({ created: 2, rejected: 1 });
    expect(ended.code).toBe(9);
    expect(ended.report.problems).toMatchObject([{ line: 3, email: 'bob@example.org', state: 'rejected' }]);
    expect(ended.report.problems[0]?.reason).toContain('the words of the service');
    expect(service.posts()).toBe(3);
  });

  test('with 404 is looked up: the line is rejected while the exam is there', async () => {
    const { imports, posts } = exam();
    posts({ 1: { answer: said(404) } });
    const ended = await imports(three, '--concurrency 1');
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ rejected: 1, created: 2 });
  });

  test.each([401, 403])('with %i stops the run; with another token the same command resumes it', async (status) => {
    const { service, imports, posts } = exam();
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
    expect(service.sessions).toHaveLength(3);
    expect(brokenResends(service)).toEqual([]);
  });
});

describe('"taken"', () => {
  const taken = [said(409), said(422, { errors: { email: ['has already been taken'] } })];

  test.each(taken)('is looked up: a student already in the exam stays unchanged ($status)', async (answer) => {
    const { service, imports, posts } = exam();
    posts({ 1: { answer, done: 'now' } });
    const ended = await imports(one);
    expect(states(ended)).toEqual({ unchanged: 1 });
    expect(ended.code).toBe(0);
    expect(service.posts()).toBe(1);
  });

  test('fails the row if the student in the exam differs from the file', async () => {
    const { imports, posts } = exam();
    posts({ 1: { answer: said(409), done: 'now' } });
    const ended = await imports('email,open_time\nann@example.org,2027-01-10T09:00:00Z\n');
    expect(states(ended)).toEqual({ different: 1 });
    expect(ended.code).toBe(9);
  });
});

describe('too many requests', () => {
  test('wait, are sent again without being asked to, and no listing comes between', async () => {
    const { service, imports, posts } = exam();
    posts({ 1: { answer: said(429, {}, { 'retry-after': '0.25' }) } });
    expect(states(await imports(one))).toEqual({ created: 1 });
    expect(service.requests().filter((line) => line !== 'GET /exams/6')).toEqual([
      'GET /exams/6/student_sessions',
      'POST /exams/6/student_sessions',
      'POST /exams/6/student_sessions',
      'GET /exams/6/student_sessions',
    ]);
  });

  test('without end stop the run, and the same command resumes it', async () => {
    const { service, imports } = exam();
    service.fault = ({ method }) => (method === 'POST' ? { answer: said(429) } : undefined);
    const ended = await imports(three);
    expect(ended.code).toBe(8);
    expect(states(ended)).toEqual({ not_sent: 3 });
    expect(service.posts()).toBeLessThan(60);
    service.fault = () => undefined;
    const again = await imports(three);
    expect([again.code, states(again)]).toEqual([0, { created: 3 }]);
    expect(brokenResends(service)).toEqual([]);
  });
});

test('Requests that never left, three times each, stop the run; the same command resumes it.', async () => {
  const { service, imports } = exam();
  service.onArrival = ({ path }) => {
    service.isAway = path.endsWith('/student_sessions');
  };
  const ended = await imports(three);
  expect([ended.code, states(ended)]).toEqual([8, { not_sent: 3 }]);
  service.onArrival = () => {};
  service.isAway = false;
  const again = await imports(three);
  expect([again.code, states(again)]).toEqual([0, { created: 3 }]);
});

describe('many doubts', () => {
  const roster = (rows: number) => `email\n${Array.from({ length: rows }, (_, at) => `s${at + 1}@example.org`).join('\n')}\n`;

  test('three in a row stop the run', async () => {
    const { service, imports, posts } = exam();
    const fault: Reply = { answer: 'lost', done: 'now' };
    posts({ 4: fault, 5: fault, 6: fault });
    const ended = await imports(roster(100), '--concurrency 1');
    expect(service.posts()).toBe(6);
    // A listing has settled all three, so no outcome is unknown any more.
    expect(ended.code).toBe(9);
    expect(states(ended)).toEqual({ created: 6, not_sent: 94 });
    const { message, hint } = JSON.parse(ended.stderr).error;
    expect(message).toMatch(/^3 requests had no clear answer.* All were looked up since: 6 lines done, 94 not done\.$/);
    expect(hint).toBe('Run the same command again to resume.');
    const again = await imports(roster(100));
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 100 });
    expect(service.sessions).toHaveLength(100);
  });

  test('with several requests in flight: half as many are proposed, and that command resumes the run', async () => {
    const { service, imports } = exam();
    // Eight are in flight, and no answer comes back; the next ones are answered.
    service.fault = ({ method, count }) => (method === 'POST' && count <= 8 ? { answer: 'lost', takes: 100 } : undefined);
    const ended = await imports(roster(40));
    expect(ended.code, ended.stderr).toBe(9);
    const { hint } = JSON.parse(ended.stderr).error;
    expect(hint).toBe('Run the same command again to resume, with --concurrency 4 so that fewer requests are in flight.');
    const again = await imports(roster(40), '--concurrency 4');
    expect([again.code, states(again)]).toEqual([0, { created: 40 }]);
  });

  test('that are cleared up at the end of a run are no failure', async () => {
    const { service, imports, posts } = exam();
    const fault: Reply = { answer: 'lost', done: 'now' };
    posts({ 2: fault, 3: fault, 4: fault });
    const ended = await imports(roster(4), '--concurrency 1');
    expect(ended.code).toBe(0);
    expect(states(ended)).toEqual({ created: 4 });
    expect(ended.report.verified).toBe(true);
    expect(states(await imports(roster(4)))).toEqual({ unchanged: 4 });
    expect(service.posts()).toBe(4);
  });

  test('that are cleared up, but not proven at the end, are a failure', async () => {
    const { service, imports } = exam();
    service.fault = ({ method, path, again }) => {
      if (method === 'POST') return { answer: 'lost', done: 'now' };
      // Of the listings, one is planned from and one settles the doubts.
      return path.endsWith('/student_sessions') && again > 2 ? { answer: { status: 500 } } : undefined;
    };
    const ended = await imports(roster(3), '--concurrency 1');
    expect(ended.code).toBe(9);
    expect(ended.report.verified).toBe(false);
  });

  test('that no listing can clear up are not said to be', async () => {
    const { service, imports } = exam();
    service.fault = ({ method }) => (method === 'POST' ? { answer: 'lost', done: 'now' } : undefined);
    const ended = await imports('name\nAnn\nBob\nCy\nDan\n', '--concurrency 1 --allow-no-email');
    expect(ended.code).toBe(10);
    expect(states(ended)).toEqual({ unknown: 3, not_sent: 1 });
    expect(JSON.parse(ended.stderr).error.message).not.toContain('a listing has told');
  });

  test('of which a listing cannot tell leave rows unknown', async () => {
    const { service, imports } = exam();
    service.fault = ({ method, path, count, again }) => {
      if (method === 'POST') return count < 4 ? { answer: 'lost', done: 'now' } : undefined;
      return path.endsWith('/student_sessions') && again > 1 ? { answer: { status: 500 } } : undefined;
    };
    const ended = await imports(roster(100), '--concurrency 1');
    expect(ended.code).toBe(10);
    expect(states(ended)).toEqual({ unknown: 3, not_sent: 97 });
  });
});
