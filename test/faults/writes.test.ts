/**
 * What a person and a script read of a write whose outcome is unknown, that was refused, or that never left. The table of answers is
 * tested row by row in `test/runs/answers.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { ada, bob, held } from '../support/algebra.ts';
import { doneBut, lostAfter, lostBefore, refused, said, silent } from '../support/service.ts';
import { timeLimit } from '../support/time-limit.ts';
import type { Fields } from '../support/truth.ts';
import { failureOf } from './outcome.ts';

const create = 'sessions create --exam 1 --email ada@example.org -o json';
const three = [ada, bob, { ...ada, id: 9, email: 'eve@example.org' }];
const results = (stdout: string) => (JSON.parse(stdout) as { id: number; result: string }[]).map(({ id, result }) => [id, result]);

test('A write is rejected although the words of the answer are cut short.', async () => {
  const service = held();
  service.next('write', { answer: { ...said(422, { message: 'Email is taken' }), isCut: true } });
  const outcome = await service.run(create);
  expect([outcome.code, failureOf(outcome).status]).toEqual([7, 422]);
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

  test('between the reads and the write says that nothing was sent, and the write is sent once when it is back.', async () => {
    const service = held();
    service.fault = ({ line }) => {
      service.isAway = line === 'GET /exams/1/student_sessions';
      return undefined;
    };
    const outcome = await service.run(create);
    expect([outcome.code, service.writes()]).toEqual([8, []]);
    expect(failureOf(outcome).message).toContain('Nothing was sent.');
    service.fault = () => undefined;
    service.isAway = false;
    expect([(await service.run(create)).code, service.writes().length]).toEqual([0, 1]);
  });
});

describe('An update whose answer was lost reads the resource:', () => {
  const line = 'sessions update 7 --email Ada.L@example.org --close-time 2127-02-01T10:00:00Z -o json';
  /** What the session shows afterwards. */
  const showing = async (fields: Fields, more = '') => {
    const service = held({ sessions: [ada] });
    service.next('write', lostBefore);
    service.onAnswer = ({ method }) => {
      if (method !== 'GET') service.truth.set('session', { ...ada, ...fields });
    };
    return { service, outcome: await service.run(line + more) };
  };

  test.each([
    ['as it was sent', { email: 'Ada.L@example.org', close_time: '2127-02-01T10:00:00Z' }],
    ['the same time in another spelling', { email: 'ada.l@example.org', close_time: '2127-02-01T11:00:00.000+01:00' }],
  ])('%s is done.', async (_how, fields) => {
    for (const put of ['', ' --put']) {
      const { service, outcome } = await showing(fields, put);
      expect(outcome.code, outcome.stderr).toBe(0);
      expect(JSON.parse(outcome.stdout)).toMatchObject([{ id: 7, result: 'updated', now: fields }]);
      expect(outcome.stderr).toContain('The answer was lost, but student session 7 was updated.');
      expect(service.writes()).toHaveLength(1);
    }
  });

  test('another value is not applied, and named.', async () => {
    const { service, outcome } = await showing({ email: 'ada.l@example.org', close_time: '2127-02-01T09:00:00Z' });
    expect([outcome.code, outcome.stdout]).toEqual([7, '']);
    expect(failureOf(outcome).message).toContain('close_time is 2127-02-01 09:00 +00:00, not 2127-02-01 10:00 +00:00');
    expect(service.writes()).toHaveLength(1);
  });

  test('a session that is gone by then ends with 10: nobody can tell whether it was updated before.', async () => {
    const service = held({ sessions: [ada] });
    service.next('write', lostBefore);
    service.onAnswer = ({ method }) => {
      if (method === 'PATCH') service.truth.remove('session', 7);
    };
    const outcome = await service.run(line);
    expect(outcome.code).toBe(10);
    expect(failureOf(outcome).message).toContain('student session 7 is no longer there');
  });
});

describe('An update of restrictions', () => {
  const line = 'exams update 1 --allow-headphones -o json';

  test.each([
    ['is done if the exam is as it was meant to be', lostAfter, 0, ''],
    ['is not applied if it is not, and says what differs', lostBefore, 7, 'allow_headphones is false, not true'],
  ])('whose answer was lost %s.', async (_what, reply, code, words) => {
    const service = held();
    service.next('write', reply);
    const outcome = await service.run(line);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(words)]);
    expect(service.exams).toMatchObject([{ allow_headphones: code === 0, allow_whiteboard: true }]);
  });

  test.each([500, 403])('that cannot be read again (%i) is what the answer showed, with a warning.', async (status) => {
    const service = held();
    service.fault = ({ method }) => (method === 'GET' && service.writes().length > 0 ? refused(status) : undefined);
    const { code, stderr } = await service.run(line);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('warning: the result could not be read again to verify it');
  });
});

describe('Of several deletions', () => {
  test('one failure does not stop the rest, every item is reported, and the status is 9.', async () => {
    const service = held({ sessions: three });
    service.next('write', undefined, doneBut(404, { message: 'No such session.' }));
    const outcome = await service.run('sessions delete 7 8 9 --yes -o json');
    expect([outcome.code, results(outcome.stdout)]).toEqual([
      9,
      [
        [7, 'deleted'],
        [8, 'failed'],
        [9, 'deleted'],
      ],
    ]);
    expect(outcome.stderr).toContain('No such session.');
    expect(service.writes()).toHaveLength(3);
  });

  test('one whose outcome is unknown makes the whole unknown.', async () => {
    const service = held({ sessions: three });
    service.next('write', lostAfter);
    service.fault = ({ line }) => (line === 'GET /student_sessions/7' && service.writes().length > 0 ? refused(500) : undefined);
    const outcome = await service.run('sessions delete 7 8 --yes -o json');
    expect([outcome.code, results(outcome.stdout)]).toEqual([
      10,
      [
        [7, 'unknown'],
        [8, 'deleted'],
      ],
    ]);
  });

  test('all that are not there: the status is theirs, and nothing is sent.', async () => {
    const service = held({ exams: [] });
    expect((await service.run('exams delete 7 8 --yes -o json')).code).toBe(6);
    expect(service.writes()).toEqual([]);
  });

  test('the IDs may come from stdin.', async () => {
    const service = held({ sessions: three });
    expect((await service.run('sessions delete - --yes', { stdin: '7\n8\n' })).code).toBe(0);
    expect(service.sessions).toMatchObject([{ id: 9 }]);
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

  test('of a deletion is not looked into, and the rest is not tried.', async () => {
    const { interrupt, stop } = stopped();
    const { option, end } = timeLimit();
    const service = held({ sessions: three });
    service.next('DELETE /student_sessions/8', silent);
    service.onArrival = ({ line }) => {
      if (line !== 'DELETE /student_sessions/8') return;
      stop();
      setImmediate(end);
    };
    const outcome = await service.run(`sessions delete 7 8 9 --yes -o json ${option}`, { interrupt });
    expect([outcome.code, results(outcome.stdout)]).toEqual([
      130,
      [
        [7, 'deleted'],
        [8, 'unknown'],
        [9, 'not tried'],
      ],
    ]);
    expect(service.requests().at(-1)).toBe('DELETE /student_sessions/8');
    expect(outcome.stderr).toContain('Its outcome is unknown');
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
