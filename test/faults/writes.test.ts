/**
 * What a person and a script read of a write whose outcome is unknown, that was refused, or that never left. The table of answers is
 * tested row by row in `test/runs/answers.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { ada, bob, type Held, held } from '../runs/held-service.ts';
import { timeLimit } from '../support/time-limit.ts';
import { attempt, failureOf } from './outcome.ts';
import { also, answer, closedPort, cutByLength, faultServer, type Reaction, reset, silence, thenClose } from './server.ts';

const create = 'sessions create --exam 1 --email ada@example.org -o json';
const json = (stdout: string) => JSON.parse(stdout) as { id: number; result?: string }[];

test('A write is rejected although the words of the answer are cut short.', async () => {
  const service = await held();
  service.faults = [{ obeyed: false, answers: cutByLength(422, { message: 'Email is taken' }, 10) }];
  const outcome = await service.run(create);
  expect([outcome.code, failureOf(outcome).status]).toEqual([7, 422]);
});

describe('a service that cannot be reached', () => {
  test.each([
    create,
    'exams create --start now+1h --end now+2h -o json',
    'sessions update 7 --email a@example.org -o json',
    'sessions delete 7 --yes -o json',
    'exams send-emails 1 --yes -o json',
    'proctors add 4 --exam 1 -o json',
  ])('fails with 8, in the reads before it: %s', async (line) => {
    const outcome = await attempt(line, `http://127.0.0.1:${await closedPort()}`);
    expect([outcome.code, failureOf(outcome).code]).toEqual([8, 'network']);
  });

  test('between the reads and the write says that nothing was sent, and the write is sent once when it is back', async () => {
    const service = await held();
    service.onRequest = (request) => {
      if (request === 'GET /exams/1/student_sessions') service.deafen();
      return undefined;
    };
    const outcome = await service.run(create);
    expect([outcome.code, service.writes()]).toEqual([8, []]);
    expect(failureOf(outcome).message).toContain('Nothing was sent.');
    const back = await held();
    const again = await attempt(create, back.origin, { home: back.home });
    expect([again.code, back.writes().length]).toEqual([0, 1]);
  });
});

const lost: [string, Reaction][] = [
  ['a reset', reset],
  ['a 502', answer(502)],
  ['an answer that is cut short', cutByLength(200, { id: 7 }, 3)],
];

describe.each(lost)('an update whose answer was lost (%s) reads the resource', (_what, reaction) => {
  const line = 'sessions update 7 --email Ada.L@example.org --close-time 2127-02-01T10:00:00Z -o json';
  const shown =
    (fields: Record<string, unknown>) =>
    async (put = '') => {
      const service = await held({ sessions: [ada] });
      service.faults = [{ obeyed: false, answers: reaction }];
      service.onRequest = (request) => {
        if (/^(PATCH|PUT)/.test(request)) Object.assign(service.sessions[0] as object, fields);
        return undefined;
      };
      return { service, outcome: await service.run(line + put) };
    };

  test.each([
    ['as it was sent', { email: 'Ada.L@example.org', close_time: '2127-02-01T10:00:00Z' }],
    ['the same time in another spelling', { email: 'ada.l@example.org', close_time: '2127-02-01T11:00:00.000+01:00' }],
  ])('%s is done', async (_how, fields) => {
    for (const put of ['', ' --put']) {
      const { service, outcome } = await shown(fields)(put);
      expect(outcome.code, outcome.stderr).toBe(0);
      expect(JSON.parse(outcome.stdout)).toMatchObject([{ id: 7, result: 'updated', now: fields }]);
      expect(outcome.stderr).toContain('The answer was lost, but student session 7 was updated.');
      expect(service.writes()).toHaveLength(1);
    }
  });

  test('another value is not applied, and named', async () => {
    const { service, outcome } = await shown({ email: 'ada.l@example.org', close_time: '2127-02-01T09:00:00Z' })();
    expect([outcome.code, outcome.stdout]).toEqual([7, '']);
    expect(failureOf(outcome).message).toContain('close_time is 2127-02-01 09:00 +00:00, not 2127-02-01 10:00 +00:00');
    expect(service.writes()).toHaveLength(1);
  });

  test('a session that is gone by then ends with 10: nobody can tell whether it was updated before', async () => {
    const service = await held({ sessions: [ada] });
    service.faults = [{ obeyed: false, answers: reaction }];
    service.onRequest = (request) => {
      if (request.startsWith('PATCH')) setImmediate(() => service.sessions.splice(0));
      return undefined;
    };
    const outcome = await service.run(line);
    expect(outcome.code).toBe(10);
    expect(failureOf(outcome).message).toContain('student session 7 is no longer there');
  });
});

describe('an update of restrictions', () => {
  const line = 'exams update 1 --allow-headphones -o json';

  test('whose answer was lost is done if the exam is as it was meant to be', async () => {
    const service = await held();
    service.faults = [{ answers: reset }];
    const { code, stdout } = await service.run(line);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, allow_headphones: true, allow_whiteboard: true });
  });

  test('whose answer was lost is not applied if it is not, and says what differs', async () => {
    const service = await held();
    service.faults = [{ obeyed: false, answers: reset }];
    const outcome = await service.run(line);
    expect(outcome.code).toBe(7);
    expect(failureOf(outcome).message).toContain('allow_headphones is false, not true');
  });

  test.each([500, 403])('that cannot be read again (%i) is what the answer showed, with a warning', async (status) => {
    const service = await held();
    service.onRequest = (request) => (request.startsWith('GET') && service.writes().length > 0 ? answer(status) : undefined);
    const { code, stderr } = await service.run(line);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('warning: the result could not be read again to verify it');
  });
});

describe('several deletions', () => {
  const three = () => held({ sessions: [ada, bob, { ...ada, id: 9, email: 'eve@example.org' }] });
  /** The session is gone after the plan was made. */
  const losing = (service: Held) => ({
    obeyed: false,
    answers: also(() => void service.sessions.splice(0, 1), answer(404, { message: 'No such session.' })),
  });

  test('one failure does not stop the rest, every item is reported, and the status is 9', async () => {
    const service = await three();
    service.faults = [{ obeyed: true }, losing(service)];
    const outcome = await service.run('sessions delete 7 8 9 --yes -o json');
    expect(outcome.code).toBe(9);
    expect(json(outcome.stdout).map(({ id, result }) => [id, result])).toEqual([
      [7, 'deleted'],
      [8, 'failed'],
      [9, 'deleted'],
    ]);
    expect(outcome.stderr).toContain('No such session.');
    expect(service.writes()).toHaveLength(3);
  });

  test('one whose outcome is unknown makes the whole unknown', async () => {
    const service = await three();
    service.faults = [{ answers: reset }];
    service.onRequest = (request) => (request === 'GET /student_sessions/7' && service.writes().length > 0 ? answer(500) : undefined);
    const outcome = await service.run('sessions delete 7 8 --yes -o json');
    expect(outcome.code).toBe(10);
    expect(json(outcome.stdout)).toMatchObject([
      { id: 7, result: 'unknown' },
      { id: 8, result: 'deleted' },
    ]);
  });

  test('all that are not there: the status is theirs, and nothing is sent', async () => {
    const service = await held({ exams: [] });
    expect((await service.run('exams delete 7 8 --yes -o json')).code).toBe(6);
    expect(service.writes()).toEqual([]);
  });

  test('over connections that the server closes after each answer', async () => {
    const service = await three();
    service.faults = [7, 8, 9].map(() => ({ answers: thenClose(answer(204)) }));
    expect((await service.run('sessions delete 7 8 9 --yes')).code).toBe(0);
    expect(service.writes()).toHaveLength(3);
  });

  test('from stdin', async () => {
    const service = await three();
    expect((await service.run('sessions delete - --yes', { stdin: '7\n8\n' })).code).toBe(0);
    expect(service.sessions).toMatchObject([{ id: 9 }]);
  });
});

describe('an interruption', () => {
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
  ] as const)('in the middle of a write (%s) waits for its answer, ends with %i and sends nothing more', async (code, exit) => {
    for (const [line, reaction] of [
      [create, undefined],
      ['exams send-emails 1 --yes -o json', undefined],
      [create, silence],
      ['exams send-emails 1 --yes -o json', silence],
    ] as const) {
      const { interrupt, stop } = stopped();
      const { option, end } = timeLimit();
      const service = await held({ sessions: [bob] });
      const both = () => {
        stop(code);
        end();
      };
      service.faults = [reaction ? { answers: also(both, reaction) } : {}];
      service.onRequest = (request) => {
        if (!reaction && request.startsWith('POST')) stop(code);
        return undefined;
      };
      const outcome = await service.run(`${line} ${option}`, { interrupt });
      expect(outcome.code, outcome.stderr).toBe(exit);
      expect(service.writes()).toHaveLength(1);
      expect(service.requests().at(-1)).toMatch(/^POST/);
    }
  });

  test('of a deletion is not looked into, and the rest is not tried', async () => {
    const { interrupt, stop } = stopped();
    const { option, end } = timeLimit();
    const both = () => {
      stop();
      end();
    };
    const service = await held({ sessions: [ada, bob, { ...ada, id: 9, email: 'eve@example.org' }] });
    service.faults = [undefined, { answers: also(both, silence) }];
    const outcome = await service.run(`sessions delete 7 8 9 --yes -o json ${option}`, { interrupt });
    expect(outcome.code).toBe(130);
    expect(json(outcome.stdout).map(({ result }) => result)).toEqual(['deleted', 'unknown', 'not tried']);
    expect(service.requests().at(-1)).toBe('DELETE /student_sessions/8');
    expect(outcome.stderr).toContain('Its outcome is unknown');
  });

  test('of a read, or before anything was sent, says nothing of an unknown outcome', async () => {
    for (const line of ['exams list -o json', 'exams list -o ndjson', 'exams get 1 -o json']) {
      const { interrupt, stop } = stopped();
      const begun: Reaction = (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n');
        setTimeout(stop, 30);
      };
      for (const reaction of [also(() => stop(), silence), begun]) {
        const outcome = await attempt(line, (await faultServer([reaction])).origin, { interrupt });
        expect(outcome.code).toBe(130);
        expect(outcome.stdout).toBe('');
        expect(failureOf(outcome).message).not.toContain('happened');
      }
    }
  });

  test('of a list that is being printed is no fault of the program', async () => {
    const { interrupt, stop } = stopped();
    const begun: Reaction = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n[{"id":1},{"id":2},{');
      setTimeout(stop, 50);
    };
    const outcome = await attempt('exams list -o ndjson', (await faultServer([begun])).origin, { interrupt });
    expect(outcome.code).toBe(130);
    failureOf(outcome);
  });

  test('during the wait between tries ends the tries', async () => {
    const { interrupt, stop } = stopped();
    const server = await faultServer([answer(503), answer(200, [])]);
    const outcome = await attempt('exams list -o json', server.origin, { interrupt, onSleep: () => stop() });
    expect(outcome.code).toBe(130);
    expect(server.received).toHaveLength(1);
  });
});
