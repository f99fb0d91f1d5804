/**
 * When a run stops: after three unclear answers in a row, after a token that is refused, at an interruption; an exam that the token may
 * not change stops alone. And the exit status that it ends with.
 */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { failureOf } from '../faults/outcome.ts';
import { ada, held } from '../support/algebra.ts';
import { lostAfter, lostBefore, refused } from '../support/service.ts';
import { timeLimit } from '../support/time-limit.ts';
import type { Fields } from '../support/truth.ts';

/** Sessions 11, 12, …, of exam 1. */
const sessions = (number: number, exam = 1, from = 11): Fields[] =>
  Array.from({ length: number }, (_, index) => ({ ...ada, id: from + index, exam_id: exam, email: `s${from + index}@example.org` }));
const deleting = (ids: readonly number[]) => ['sessions', 'delete', ...ids.map(String), '--yes', '-o', 'json'];
const upTo = (last: number) => Array.from({ length: last - 10 }, (_, index) => 11 + index);
const results = (stdout: string) => (JSON.parse(stdout) as { result: string }[]).map(({ result }) => result);

describe('three unclear answers in a row', () => {
  test.each([
    ['502', refused(502)],
    ['a lost answer', lostBefore],
  ])('stop the rest, which is not tried: %s', async (_what, reply) => {
    const service = held({ sessions: sessions(6) });
    service.next('write', undefined, ...Array(3).fill({ ...reply, done: 'never' }));
    const outcome = await service.run(deleting(upTo(16)));
    expect(service.writes()).toHaveLength(4);
    expect(outcome.code, outcome.stderr).toBe(9);
    expect(results(outcome.stdout)).toEqual(['deleted', 'failed', 'failed', 'failed', 'not tried', 'not tried']);
    expect(outcome.stderr).toContain('3 requests had no clear answer');
  });

  test('are not those with a clear one between them', async () => {
    const service = held({ sessions: sessions(6) });
    const lost = lostAfter;
    service.next('write', lost, lost, undefined, lost, undefined, undefined);
    const { code, stderr } = await service.run(deleting(upTo(16)));
    expect(code, stderr).toBe(0);
    expect(service.writes()).toHaveLength(6);
  });

  test('are as many as a twentieth of many, too, wherever they are', async () => {
    const service = held({ sessions: sessions(9) });
    const lost = lostAfter;
    service.next('write', lost, undefined, lost, undefined, lost, undefined, lost);
    const outcome = await service.run(deleting(upTo(19)));
    expect(service.writes()).toHaveLength(7);
    expect(outcome.code).toBe(9);
  });

  test('also of reads before writes stop the rest', async () => {
    const service = held({ sessions: sessions(6) });
    let now = Date.parse('2026-11-22T09:00:00Z');
    service.fault = ({ line: request }) => {
      if (!request.startsWith('GET')) now += 5000;
      return service.writes().length > 0 && request.startsWith('GET') ? refused(502) : undefined;
    };
    const outcome = await service.run(deleting(upTo(16)), { now: () => now });
    expect(service.writes()).toHaveLength(1);
    expect(outcome.code, outcome.stderr).toBe(9);
  });
});

describe('a token that is refused', () => {
  test('by a 401 stops everything', async () => {
    const service = held({ sessions: sessions(3) });
    service.next('write', undefined, refused(401));
    const outcome = await service.run(deleting(upTo(13)));
    expect(service.writes()).toHaveLength(2);
    expect(service.requests().at(-1)).toBe('DELETE /student_sessions/12');
    expect(outcome.code, outcome.stderr).toBe(9);
    expect(
      failureOf({
        ...outcome,
        stderr: outcome.stderr
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .join('\n')
          .concat('\n'),
      }).hint,
    ).toMatch(/log in|token/i);
  });

  test('by a 403 about one exam stops that exam only', async () => {
    const [exam] = held().exams;
    const service = held({
      exams: [{ ...exam }, { ...exam, id: 2, name: 'Analysis' }],
      sessions: [...sessions(3), ...sessions(2, 2, 21)],
    });
    service.next('write', refused(403, { message: 'not yours' }));
    const outcome = await service.run(deleting([11, 12, 13, 21, 22]));
    expect(service.writes()).toEqual(['DELETE /student_sessions/11', 'DELETE /student_sessions/21', 'DELETE /student_sessions/22']);
    expect(outcome.code, outcome.stderr).toBe(9);
    expect(results(outcome.stdout)).toEqual(['failed', 'failed', 'failed', 'deleted', 'deleted']);
  });
});

describe('an interruption', () => {
  test('between two requests sends nothing more, and says what was done', async () => {
    const service = held({ sessions: sessions(3) });
    const interrupt = new AbortController();
    service.fault = ({ line: request }) => {
      if (request === 'DELETE /student_sessions/12') interrupt.abort(new CliError('interrupted', 'Interrupted.'));
      return undefined;
    };
    const outcome = await service.run(deleting(upTo(13)), { interrupt: interrupt.signal });
    expect(outcome.code, outcome.stderr).toBe(130);
    expect(service.requests().at(-1)).toBe('DELETE /student_sessions/12');
    expect(outcome.stderr).toContain('runs resume');
  });

  test('of a request in flight ends with 130, says that the outcome is unknown, and the same command settles it', async () => {
    const service = held({ sessions: [ada] });
    const interrupt = new AbortController();
    const { option, end } = timeLimit();
    const stop = () => {
      interrupt.abort(new CliError('terminated', 'Terminated.'));
      end();
    };
    service.fault = ({ method }) => {
      if (method === 'GET' || service.written().length > 1) return undefined;
      stop();
      return { answer: 'none' };
    };
    const line = `sessions update 7 --name Eve -o json ${option}`;
    const outcome = await service.run(line, { interrupt: interrupt.signal });
    expect([outcome.code, service.writes().length]).toEqual([143, 1]);
    const again = await service.run(line);
    expect(again.code, again.stderr).toBe(0);
    expect(service.writes()).toHaveLength(1);
  });
});

describe('the exit status of several', () => {
  const fault = (status: number) => refused(status, {});
  const gone = fault(404);

  test.each([
    ['all rejected', [422, 422], 7],
    ['rejected and gone', [422, 404], 7],
    ['one done, one rejected', [undefined, 422], 9],
    ['one done, one unknown', [undefined, 502], 9],
    ['all gone', [404, 404], 6],
  ] as const)('%s', async (_what, statuses, exit) => {
    const service = held({ sessions: sessions(2) });
    service.next(
      'write',
      ...statuses.map((status) => (status === undefined ? undefined : status === 404 ? { ...gone, done: 'now' as const } : fault(status))),
    );
    const outcome = await service.run(deleting(upTo(12)));
    expect(outcome.code, outcome.stderr).toBe(exit);
  });
});
