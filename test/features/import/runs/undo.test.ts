/** Taking an import back when deletions fail, are interrupted, or were begun before. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/errors.ts';
import type { ExamService, Fault, Fields } from '../../../campaign/service.ts';
import { run, type World } from '../../../support/run.ts';
import { exam, states, three } from './importing.ts';

/** An exam with an import of three that can be taken back; of its POSTs, some may go wrong. */
async function imported(faults: Record<number, Fault> = {}, roster = three) {
  const made = await exam();
  made.posts(faults);
  const { report } = await made.imports(roster, '--concurrency 1');
  const env = { PROCTOR_BASE_URL: made.service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests' };
  async function undo(world: World = {}) {
    const ended = await run(['imports', 'undo', String(report.run), '--yes', '-o', 'json'], { home: made.home, ...world, env });
    const rows = JSON.parse(ended.stdout) as { email: string; result: string; problem?: string }[];
    return {
      ...ended,
      results: rows.map(({ email, result }) => [email.split('@')[0], result]),
      problems: rows.map(({ problem }) => problem),
    };
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
  expect(JSON.parse(ended.stderr).error.message).toMatch(/^2 of 3 deleted, 1 failed: /);
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
  let lost = false;
  service.fault = ({ method, count }) => {
    if (method === 'GET' && lost) return { answer: { status: 500 } };
    lost ||= method === 'DELETE' && count === 3;
    return lost ? { answer: 'reset' } : undefined;
  };
  expect(await undo()).toMatchObject({ code: 10, results: [{ 1: 'deleted' }, { 1: 'deleted' }, { 1: 'unknown' }] });
  service.fault = () => undefined;
  expect(await list()).toMatchObject([{ state: 'unfinished', deleted: 2, unknown: 1 }]);
  expect(await undo()).toMatchObject({ code: 0, results: [] });
  expect(await list()).toMatchObject([{ state: 'finished', deleted: 3, unknown: 0 }]);
});

test('An unfinished import without a student in the exam can still be resumed.', async () => {
  const { service, imports, posts, undo } = await imported({ 1: { answer: { status: 401 } } });
  expect(await undo()).toMatchObject({ code: 0, results: [] });
  posts({});
  expect(states(await imports(three))).toEqual({ created: 3 });
  expect(service.students()).toHaveLength(3);
});

test.each([
  ['a refused token', 4],
  ['an interruption', 143],
])('After %s no other student is deleted.', async (_, code) => {
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
  if (code === 4) {
    const { message, hint } = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error;
    expect(message).toMatch(/^0 of 3 deleted, 1 failed, 2 not tried: The service refused the token/);
    expect(hint).toMatch(/^The token comes from PROCTOR_TOKEN; .* Run the same command again: it deletes the rest\.$/);
  }
  expect(ended.results.slice(1)).toEqual([
    ['bob', 'not tried'],
    ['cy', 'not tried'],
  ]);
  expect(service.requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1);
});

test('A stopped undo is named as the command to resume.', async () => {
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

test('A run whose undo was begun is not resumed: the same import begins anew.', async () => {
  const { service, undo, imports } = await imported();
  service.fault = ({ method, count }) => (method === 'DELETE' && count === 2 ? { answer: { status: 401 } } : undefined);
  await undo();
  service.fault = () => undefined;
  const ended = await imports(three);
  expect(states(ended)).toEqual({ created: 1, unchanged: 2 });
  expect(service.students()).toHaveLength(3);
});

test('A student whose outcome is unknown is named and kept.', async () => {
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
    { email: 'bob@example.org', result: 'kept, possibly created' },
  ]);
  expect(service.students()).toHaveLength(1);
});

describe('A session that is not as it was listed', () => {
  /** Changes bob once the deletions have begun: after the listing, before his own turn. */
  function meanwhile(service: ExamService, change: (bob: Fields & { id: number }) => void) {
    let changed = false;
    service.fault = ({ method }) => {
      const bob = service.students().find(({ email }) => email === 'bob@example.org');
      if (method === 'DELETE' && !changed && bob) change(bob);
      changed ||= method === 'DELETE';
      return undefined;
    };
  }

  test.each([
    ['began', { status: 'check_started' }, 'its status is now check_started'],
    ['was given to another address', { email: 'zoe@example.org' }, 'it now belongs to zoe@example.org'],
    ['lost its address', { email: null }, 'it shows no address'],
    ['was moved to another exam', { exam_id: 7 }, 'it now belongs to exam 7'],
    ['shows no status any more', { status: undefined }, 'it shows no status'],
  ])('is kept if it %s since, and the rest is deleted.', async (_, fields, problem) => {
    const { service, undo, list } = await imported();
    meanwhile(service, (bob) => Object.assign(bob, fields));
    const ended = await undo();
    expect(ended.code).toBe(9);
    expect(ended.results).toEqual([
      ['ann', 'deleted'],
      ['bob', 'kept'],
      ['cy', 'deleted'],
    ]);
    expect(ended.problems[1]).toBe(problem);
    expect(JSON.parse(ended.stderr).error).toMatchObject({
      message: expect.stringContaining(`was kept: ${problem}.`),
      hint: expect.stringContaining('proctor-cli sessions get'),
    });
    expect(service.students()).toMatchObject([fields]);
    expect(await list()).toMatchObject([{ state: 'finished', deleted: 2 }]);
  });

  test('is deleted if all that happened since is a mail, or another spelling of the address.', async () => {
    const { service, undo } = await imported();
    meanwhile(service, (bob) => Object.assign(bob, { status: 'mail_sent', email: 'Bob@Example.org ' }));
    expect((await undo()).code).toBe(0);
    expect(service.students()).toEqual([]);
  });

  test('is told to be gone if it was deleted by another hand.', async () => {
    const { service, undo } = await imported();
    meanwhile(service, ({ id }) => service.remove(id));
    expect(await undo()).toMatchObject({
      code: 0,
      results: [
        ['ann', 'deleted'],
        ['bob', 'gone'],
        ['cy', 'deleted'],
      ],
    });
    expect(service.log.filter(({ what }) => what === 'delete')).toHaveLength(2);
  });

  test('is not gone while the exam lists it, even if it cannot be read.', async () => {
    const { service, undo } = await imported();
    service.fault = ({ method, path }) => (method === 'GET' && /sessions\/\d+$/.test(path) ? { answer: { status: 404 } } : undefined);
    const ended = await undo();
    expect(ended).toMatchObject({ code: 8, results: [{ 1: 'failed' }, { 1: 'failed' }, { 1: 'failed' }] });
    expect(ended.problems[0]).toMatch(/lists session \d+ but cannot show it/);
    expect(service.students()).toHaveLength(3);
  });
});

test('A session that belongs to another address by now is kept, whatever its status.', async () => {
  const { service, undo } = await imported();
  const bob = service.students().find(({ email }) => email === 'bob@example.org');
  Object.assign(bob ?? {}, { email: 'zoe@example.org' });
  const ended = await undo();
  expect(ended.results).toEqual([
    ['ann', 'deleted'],
    ['cy', 'deleted'],
    ['zoe', 'kept'],
  ]);
  expect(service.students()).toMatchObject([{ email: 'zoe@example.org' }]);
});

test('A student who has started keeps the undo from being complete: it says so, with 9, each time.', async () => {
  const { service, undo, list } = await imported();
  Object.assign(service.students().find(({ email }) => email === 'bob@example.org') ?? {}, { status: 'exam_finished' });
  for (const [done, all] of [
    [2, 3],
    [0, 1],
  ]) {
    const ended = await undo();
    expect(ended.code).toBe(9);
    expect(ended.results.at(-1)).toEqual(['bob', 'kept']);
    const said = new RegExp(`^${done} of ${all} deleted, 1 kept: Session \\d+ was kept: its status is exam_finished\\.$`);
    expect(JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error.message).toMatch(said);
  }
  expect(await list()).toMatchObject([{ state: 'finished', deleted: 2 }]);
});

test('A session that the listing does not show is read by its ID: it is deleted, or named if it is in another exam by now.', async () => {
  const { service, undo } = await imported();
  const [first, second] = service.students();
  Object.assign(second ?? {}, { exam_id: 7 });
  service.fault = ({ method, path }) =>
    method === 'GET' && path === '/exams/6/student_sessions'
      ? { answer: { status: 200, body: service.students().slice(0, 1) } }
      : undefined;
  const ended = await undo();
  expect(ended.code).toBe(9);
  expect(ended.results.filter(([, result]) => result === 'deleted')).toHaveLength(2);
  expect(ended.problems.at(-1)).toBe('it belongs to exam 7 by now');
  expect(service.students()).toEqual([second]);
  expect(first?.id).not.toBe(second?.id);
});

test('A session of the run is deleted although the exam has its student twice; the session of another client is kept.', async () => {
  const { service, home, imports } = await exam();
  service.onPost = (email) => {
    if (email === 'cy@example.org') service.add({ email: 'bob@example.org' });
  };
  const ended = await imports(three, '--concurrency 1');
  expect(states(ended)).toEqual({ created: 2, duplicate: 1 });
  const env = { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests' };
  const undone = await run(['imports', 'undo', String(ended.report.run), '--yes', '-o', 'json'], { home, env });
  expect(undone.code).toBe(0);
  expect(JSON.parse(undone.stdout)).toHaveLength(3);
  expect(service.students().map(({ email, name }) => [email, name])).toEqual([['bob@example.org', undefined]]);
});

test('A deletion that was begun is not taken for done because a listing lacks the session.', async () => {
  const { service, undo } = await imported();
  service.fault = ({ method }) => (method === 'DELETE' ? { answer: { status: 500 } } : undefined);
  expect((await undo()).code).toBe(10);
  service.fault = ({ method, path }) =>
    method === 'GET' && path === '/exams/6/student_sessions' ? { answer: { status: 200, body: [] } } : undefined;
  expect((await undo()).code).toBe(0);
  expect(service.students()).toEqual([]);
});

test('A service that is away is asked no more after three failures in a row.', async () => {
  const { service, undo } = await imported({}, `${three}dan@example.org,Dan\neve@example.org,Eve\n`);
  service.fault = ({ method, path }) => (method === 'GET' && /sessions\/\d+$/.test(path) ? { answer: { status: 503 } } : undefined);
  const before = service.requests.length;
  expect((await undo()).results.map(([, result]) => result)).toEqual(['failed', 'failed', 'failed', 'not tried', 'not tried']);
  expect(service.requests.length - before).toBe(3 + 3 * 3);
});
