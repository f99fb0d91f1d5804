/**
 * What a person and a script read of a write whose outcome is unknown, that was refused, or that never left. The table of answers is
 * tested row by row in `test/runs/answers.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { ada, bob, held } from '../support/algebra.ts';
import { lostBefore, refused, said, silent } from '../support/service.ts';
import { timeLimit } from '../support/time-limit.ts';
import type { Fields } from '../support/truth.ts';
import { failureOf } from './outcome.ts';

const create = 'sessions create --exam 1 --email ada@example.org -o json';

test('A write is rejected although the words of the answer are cut short.', async () => {
  const service = held();
  service.next('write', { answer: { ...said(422, { message: 'Email is taken' }), isCut: true } });
  const outcome = await service.run(create);
  expect([outcome.code, failureOf(outcome).status]).toEqual([7, 422]);
});

test('A failure has stderr to itself when a program reads it, also after a warning.', async () => {
  const service = held({ sessions: [ada] });
  service.next('write', refused(422, { message: 'no' }));
  failureOf(await service.run('sessions update 7 --close-time 2020-01-01T00:00Z -o json'));
});

test('As IDs, only deleted ones are printed, because another command may read them.', async () => {
  const service = held({ sessions: [ada, bob, { ...ada, id: 9 }] });
  service.next('write', undefined, refused(422, { message: 'no' }));
  expect(await service.run('sessions delete 7 8 9 --yes -o id')).toMatchObject({ code: 9, stdout: '7\n9\n' });
});

describe('A service that cannot be reached', () => {
  test.each([
    create,
    'exams create --start now+1h --end now+2h -o json',
    'sessions update 7 --email a@example.org -o json',
    'sessions delete 7 --yes -o json',
    'exams send-emails 1 --yes -o json',
    'proctors add 4 --exam 1 -o json',
  ])('fails with 8, in the reads before it: %s', async (line) => {
    const service = held();
    service.isAway = true;
    const outcome = await service.run(line);
    expect([outcome.code, failureOf(outcome).code]).toEqual([8, 'network']);
  });
});

describe('An update whose answer was lost reads the session:', () => {
  const line = 'sessions update 7 --email Ada.L@example.org --close-time 2127-02-01T10:00:00Z -o json';

  /** What the session shows afterwards; undefined: it is gone. */
  test.each<[string, Fields | undefined, number, string]>([
    ['as it was sent', { email: 'Ada.L@example.org', close_time: '2127-02-01T10:00:00Z' }, 0, 'student session 7 was updated.'],
    ['the same in another spelling', { email: 'ada.l@example.org', close_time: '2127-02-01T11:00:00.000+01:00' }, 0, 'was lost, but'],
    ['another value', { close_time: '2127-02-01T09:00:00Z' }, 7, 'close_time is 2127-02-01 09:00 +00:00, not 2127-02-01 10:00 +00:00'],
    ['gone: nobody can tell whether it was updated before', undefined, 10, 'student session 7 is no longer there'],
  ])('%s.', async (_how, fields, code, words) => {
    for (const put of ['', ' --put']) {
      const service = held({ sessions: [ada] });
      service.next('write', lostBefore);
      service.onAnswer = ({ method }) => {
        if (method === 'GET') return;
        if (fields) service.truth.set('session', { ...ada, ...fields });
        else service.truth.remove('session', 7);
      };
      const outcome = await service.run(line + put);
      expect([outcome.code, service.writes().length, outcome.stderr]).toEqual([code, 1, expect.stringContaining(words)]);
      if (code === 0) expect(JSON.parse(outcome.stdout)).toMatchObject([{ session: 7, result: 'updated' }]);
    }
  });
});

describe('An interruption', () => {
  const stopped = () => {
    const control = new AbortController();
    return {
      interrupt: control.signal,
      stop: (code: 'interrupted' | 'terminated' = 'interrupted') => control.abort(new CliError(code, 'Stopped by Ctrl-C.')),
    };
  };

  test.each([
    ['interrupted', 130],
    ['terminated', 143],
  ] as const)('in the middle of a write (%s) waits for its answer, ends with %i and sends nothing more.', async (code, exit) => {
    for (const line of [create, 'exams send-emails 1 --yes -o json']) {
      for (const reply of [undefined, silent]) {
        const { interrupt, stop } = stopped();
        const { option, end } = timeLimit();
        const service = held({ sessions: [bob] });
        service.next('write', reply);
        service.onArrival = ({ method }) => {
          if (method === 'GET') return;
          stop(code);
          if (reply) setImmediate(end);
        };
        const outcome = await service.run(`${line} ${option}`, { interrupt });
        expect(outcome.code, outcome.stderr).toBe(exit);
        expect(service.writes()).toHaveLength(1);
        expect(service.requests().at(-1)).toMatch(/^POST/);
      }
    }
  });

  test.each(['exams list -o json', 'exams list -o ndjson', 'exams get 1 -o json'])(
    'of a read says nothing of an unknown outcome: %s.',
    async (line) => {
      const { interrupt, stop } = stopped();
      const service = held();
      service.always('GET', silent);
      service.onArrival = () => stop();
      const outcome = await service.run(line, { interrupt });
      expect([outcome.code, outcome.stdout]).toEqual([130, '']);
      expect(failureOf(outcome).message).not.toContain('happened');
    },
  );

  test('during the wait between tries ends the tries.', async () => {
    const { interrupt, stop } = stopped();
    const service = held();
    service.next('GET', refused(503));
    const outcome = await service.run('exams list -o json', { interrupt, onSleep: () => stop() });
    expect(outcome.code).toBe(130);
    expect(service.requests()).toHaveLength(1);
  });
});
