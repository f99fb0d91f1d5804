/** The table of answers, row by row: what each answer to a write makes of its step, and what is read to know it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../faults/outcome.ts';
import { answer, cutByLength, cutChunked, hangUp, type Reaction, raw, reset } from '../faults/server.ts';
import { ada, bob, type Fields, held } from './held-service.ts';

const create = 'sessions create --exam 1 --email ada@example.org -o json';
const post = 'POST /exams/1/student_sessions';
const json = (stdout: string) => JSON.parse(stdout) as Fields;
const without = (status: number, body?: unknown) => ({ answers: answer(status, body) });

describe('2xx to a create, with an ID that was not there at planning', () => {
  test('is done, with what a read shows afterwards', async () => {
    const service = await held();
    const { code, stdout } = await service.run(create);
    expect([code, json(stdout).id, service.writes()]).toEqual([0, 101, [post]]);
    expect(service.requests().at(-1)).toBe('GET /student_sessions/101');
  });

  test('is done whatever address it shows, and another spelling is said and remembered', async () => {
    const service = await held();
    const stored = (made: Fields) =>
      Object.assign(service.sessions.at(-1) as object, { email: 'ada@example.org' }) && { ...made, email: 'ada@example.org' };
    service.faults = [{ shows: stored }];
    const line = 'sessions create --exam 1 --email ada+exam@example.org -o json';
    const first = await service.run(line);
    expect([first.code, first.stderr]).toEqual([0, 'Stored as ada@example.org.\n']);
    // The list does not show the address that was sent, and still she is there.
    const again = await service.run(line);
    expect([again.code, failureOf(again).code, service.writes()]).toEqual([11, 'already_there', [post]]);
  });
});

describe('2xx to a create, with an ID that was there at planning', () => {
  test('is there, is compared, and counts as nothing created', async () => {
    const service = await held({ sessions: [bob] });
    service.faults = [{ obeyed: false, answers: answer(200, bob) }];
    const outcome = await service.run(create);
    expect(outcome.code).toBe(9);
    expect(outcome.stderr).toContain('bob@example.org');
    expect(outcome.stderr).not.toContain('was created');
    expect(service.sessions).toEqual([bob]);
  });

  test('is a success where it is what was sent', async () => {
    // The list hides the address, and the session by itself shows it.
    const service = await held({ sessions: [bob, ada] });
    service.onRequest = (request) =>
      request === 'GET /exams/1/student_sessions' ? answer(200, [bob, { ...ada, email: null }]) : undefined;
    service.faults = [{ obeyed: false, answers: answer(200, ada) }];
    const { code, stderr } = await service.run(create);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('session 7, which was there before');
  });
});

test('2xx to a create, with an ID that a claim has: two addresses are one student for this service', async () => {
  const service = await held();
  expect(await service.run(create)).toMatchObject({ code: 0 });
  // A list that lags does not show the student yet.
  service.unlisted.add(101);
  service.faults = [{ obeyed: false, answers: answer(201, { ...ada, id: 101 }) }];
  const second = await service.run('sessions create --exam 1 --email ada+2@example.org -o json');
  expect(second.code, second.stderr).toBe(9);
  expect(second.stderr).toContain('for this service, both are one student');
});

describe('2xx to a create, without an ID', () => {
  test.each([
    [201, undefined],
    [201, {}],
    [200, { message: 'created' }],
    [202, { accepted: true }],
    [200, []],
    [204, undefined],
  ])('is confirmed until a reading shows it: %i %j', async (status, body) => {
    const service = await held();
    service.faults = [without(status, body)];
    const { code, stdout, stderr } = await service.run(create);
    expect(code, stderr).toBe(0);
    expect(json(stdout)).toMatchObject({ id: 101, email: 'ada@example.org' });
  });

  test.each([
    [201, undefined],
    [200, { message: 'queued' }],
  ])('is never absent, and never sent again: %i %j', async (status, body) => {
    const service = await held();
    service.faults = [{ obeyed: false, ...without(status, body) }];
    const first = await service.run(create);
    expect(first.code, first.stderr).toBe(10);
    expect(first.stderr).not.toContain('resend-absent');
    for (const line of [create, `${create} --allow-duplicate`]) expect((await service.run(line)).code).not.toBe(0);
    expect(service.writes()).toEqual([post]);
    service.sessions.push(ada);
    const found = await service.run(create);
    expect(found.code, found.stderr).toBe(0);
    expect(service.writes()).toEqual([post]);
  });

  test('of an exam is looked for in the list of exams', async () => {
    const service = await held({ exams: [] });
    service.faults = [without(201, {})];
    const { code, stdout } = await service.run('exams create --start 2127-02-01T08:00:00Z --end 2127-02-01T10:00:00Z -o json');
    expect([code, json(stdout).id]).toEqual([0, 101]);
  });
});

describe('2xx to an update or a deletion', () => {
  test('is what a read shows', async () => {
    const service = await held({ sessions: [ada, bob] });
    expect(await service.run('sessions update 7 --name Eve')).toMatchObject({ code: 0 });
    expect(await service.run('sessions delete 8 --yes')).toMatchObject({ code: 0 });
    expect(service.sessions).toMatchObject([{ id: 7, name: 'Eve' }]);
  });

  test.each(['sessions update 7 --name Eve', 'sessions delete 7 --yes', 'exams update 1 --allow-headphones', 'exams delete 1 --yes'])(
    'that a read does not show is not applied: %s',
    async (line) => {
      const service = await held({ sessions: [ada] });
      service.faults = [{ obeyed: false }];
      const outcome = await service.run(`${line} -o json`);
      expect([outcome.code, failureOf(outcome).code, service.writes().length]).toEqual([7, 'not_applied', 1]);
    },
  );
});

describe('any answer to a change of the pool', () => {
  const answers: [string, Reaction][] = [
    ['200', answer(200, {})],
    ['204', answer(204)],
    ['500', answer(500)],
    ['a reset', reset],
    ['success: false', answer(200, { success: false })],
  ];
  test.each(answers)('is what the pool shows: %s', async (_what, reaction) => {
    for (const [line, obeyed] of [
      ['proctors add 4 --exam 1', true],
      ['proctors add 5 --exam 1', false],
      ['proctors remove 4 --exam 1 --yes', true],
    ] as const) {
      const service = await held();
      service.pool.push('4');
      if (line.startsWith('proctors add 4')) service.pool.splice(0);
      service.faults = [{ obeyed, answers: reaction }];
      const { code, stderr } = await service.run(line);
      expect(code, `${line}: ${stderr}`).toBe(obeyed ? 0 : 7);
      expect(service.writes()).toHaveLength(1);
    }
  });
});

describe('an answer to mails', () => {
  const mails = 'exams send-emails 1 --yes -o json';
  const sent = 'POST /exams/1/send_emails';

  test.each([
    [200, {}],
    [202, 'queued'],
    [204, undefined],
  ])('of 2xx is done, whatever the states show: %i', async (status, body) => {
    const service = await held({ sessions: [ada] });
    service.faults = [{ obeyed: false, ...without(status, body) }];
    expect(await service.run(mails)).toMatchObject({ code: 0 });
    expect(service.writes()).toEqual([sent]);
  });

  test.each(unclear().filter(([what]) => what !== 'success: false'))(
    'that is unclear is done where all students have moved: %s',
    async (_what, reaction) => {
      const service = await held({ sessions: [ada, bob] });
      service.faults = [{ answers: reaction }];
      const { code, stderr } = await service.run(mails);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain('all 2 students of exam 1 have been mailed');
      expect(service.writes()).toEqual([sent]);
    },
  );

  test.each([
    ['none', ['registered', 'registered'], '0 of the 2 students'],
    ['some', ['mail_sent', 'registered'], '1 of the 2 students'],
  ])(
    'that is unclear is unknown where %s have, with the counts, and nothing is sent again without --resend',
    async (_what, statuses, counts) => {
      const service = await held({ sessions: [ada, bob] });
      service.faults = [{ obeyed: false, answers: reset }];
      service.onRequest = (request) => {
        if (request === sent)
          for (const [index, status] of statuses.entries()) Object.assign(service.sessions[index] as object, { status });
        return undefined;
      };
      const outcome = await service.run(mails);
      expect(outcome.code).toBe(10);
      expect(failureOf(outcome).message).toContain(counts);
      expect(failureOf(outcome).hint).toContain('--resend');
      for (const line of [mails, `${mails} --unless-mailed`]) expect((await service.run(line)).code).toBe(10);
      expect(service.writes()).toEqual([sent]);
      const again = await service.run(`${mails} --resend`);
      expect(again.code, again.stderr).toBe(0);
      expect(service.writes()).toEqual([sent, sent]);
    },
  );

  test('that is unclear proves nothing by students who had been mailed before', async () => {
    const mailed = { status: 'mail_sent' };
    const service = await held({
      sessions: [
        { ...ada, ...mailed },
        { ...bob, ...mailed },
      ],
    });
    service.faults = [{ answers: answer(502) }];
    const outcome = await service.run(`${mails} --resend`);
    expect(outcome.code, outcome.stderr).toBe(10);
    expect(service.writes()).toEqual([sent]);
  });
});

describe('2xx that says no', () => {
  const no = [
    { success: false },
    { ok: false, message: 'full' },
    { error: 'full' },
    { errors: { email: ['is bad'] } },
    { ...ada, errors: ['x'] },
  ];

  test.each(no)('to a create is not applied: %j', async (body) => {
    const service = await held();
    service.faults = [{ obeyed: false, ...without(200, body) }];
    const outcome = await service.run(create);
    expect([outcome.code, failureOf(outcome).code]).toEqual([7, 'not_applied']);
  });

  test('until a read shows otherwise', async () => {
    for (const [line, body] of [
      [create, { success: false }],
      ['sessions update 8 --name Eve -o json', { success: false }],
      ['sessions delete 8 --yes -o json', { success: false }],
    ] as const) {
      const service = await held({ sessions: [bob] });
      service.faults = [without(200, body)];
      const { code, stderr } = await service.run(line);
      expect(code, stderr).toBe(0);
      expect(service.writes()).toHaveLength(1);
    }
  });

  test.each(['sessions update 7 --name Eve', 'sessions delete 7 --yes'])('to %s is not applied, without waiting', async (line) => {
    const service = await held({ sessions: [ada] });
    service.faults = [{ obeyed: false, ...without(200, { success: false, message: 'the exam is closed' }) }];
    const outcome = await service.run(`${line} -o json`);
    expect([outcome.code, failureOf(outcome).code, outcome.waits]).toEqual([7, 'not_applied', []]);
    expect(failureOf(outcome).message).toContain('the exam is closed');
  });
});

describe('409 and 422 to a create', () => {
  test.each([409, 422])('are rejected where a reading does not show the student: %i', async (status) => {
    const service = await held();
    service.faults = [{ obeyed: false, ...without(status, { message: 'no' }) }];
    const outcome = await service.run(create);
    expect([outcome.code, failureOf(outcome).code, failureOf(outcome).status]).toEqual([7, 'rejected', status]);
    expect(service.requests().at(-1)).toBe('GET /exams/1/student_sessions');
  });

  test.each([409, 422])('and there where it does: %i', async (status) => {
    const service = await held();
    // Somebody else has just added her.
    service.faults = [without(status, { message: 'taken' })];
    const { code, stdout, stderr } = await service.run(create);
    expect(code, stderr).toBe(0);
    expect(json(stdout).id).toBe(101);
    expect(service.writes()).toEqual([post]);
  });
});

describe('404 to a deletion, and 409 to an update', () => {
  test.each([
    ['gone', true, 6],
    ['there', false, 7],
  ])('404, and a read shows that it is %s', async (_what, obeyed, exit) => {
    const service = await held({ sessions: [ada] });
    service.faults = [{ obeyed, ...without(404, {}) }];
    expect((await service.run('sessions delete 7 --yes')).code).toBe(exit);
    expect(service.requests().at(-1)).toBe('GET /student_sessions/7');
  });

  test.each([
    ['as it was sent', true, 0],
    ['as it was', false, 7],
  ])('409, and a read shows it %s', async (_what, obeyed, exit) => {
    const service = await held({ sessions: [ada] });
    service.faults = [{ obeyed, ...without(409, { message: 'conflict' }) }];
    const outcome = await service.run('sessions update 7 --name Eve -o json');
    expect(outcome.code, outcome.stderr).toBe(exit);
    if (exit === 7) expect(failureOf(outcome)).toMatchObject({ code: 'rejected', status: 409 });
  });
});

describe('other 4xx', () => {
  const lines = [
    create,
    'sessions update 7 --name Eve -o json',
    'sessions delete 7 --yes -o json',
    'exams send-emails 1 --yes -o json',
    'proctors add 4 --exam 1 -o json',
  ];
  test.each([400, 402, 405, 410, 413, 415, 418, 451])('are rejected, once, and only their status is kept: %i', async (status) => {
    for (const line of lines) {
      const service = await held({ sessions: [{ ...ada, email: 'eve@example.org' }] });
      service.faults = [{ obeyed: false, ...without(status, { message: 'Seldom heard words' }) }];
      const outcome = await service.run(line);
      expect([outcome.code, failureOf(outcome).status, service.writes().length], line).toEqual([7, status, 1]);
      expect(failureOf(outcome).message).toContain('Seldom heard words');
      expect(outcome.waits).toEqual([]);
      for (const file of readdirSync(join(service.home, 'state'), { withFileTypes: true }))
        if (file.isFile()) expect(readFileSync(join(service.home, 'state', file.name), 'latin1')).not.toContain('Seldom');
    }
  });
});

test.each([401, 403])('%i is not sent, and the run stops', async (status) => {
  const service = await held({ sessions: [ada, bob] });
  service.faults = [{ obeyed: false, ...without(status, { message: 'no' }) }];
  const outcome = await service.run(['sessions', 'delete', '7', '8', '--yes', '-o', 'json']);
  expect(outcome.code, outcome.stderr).toBe(4);
  expect(service.writes()).toEqual(['DELETE /student_sessions/7']);
  expect(service.sessions).toHaveLength(2);
});

describe('429', () => {
  test('is refused: the request is sent again after Retry-After, alone', async () => {
    const service = await held({ sessions: [ada] });
    service.faults = [1, 2].map(() => ({ obeyed: false, answers: answer(429, {}, { 'retry-after': '3' }) }));
    const { code, stderr, waits } = await service.run('sessions update 7 --name Eve', { now: '2026-11-22T09:00:00Z', clockRuns: true });
    expect(code, stderr).toBe(0);
    expect(service.requests()).toEqual([
      'GET /student_sessions/7',
      ...Array(3).fill('PATCH /student_sessions/7'),
      'GET /student_sessions/7',
    ]);
    expect(waits.filter((wait) => wait >= 2900)).toHaveLength(2);
  });

  test.each([
    [429, 8],
    [403, 4],
    [401, 4],
    [422, 7],
    [500, 10],
    [503, 10],
  ])('and any other answer to mails ends that exam: %i is followed by no second request', async (status, code) => {
    const service = await held({ sessions: [ada] });
    service.faults = Array(20).fill({ obeyed: false, answers: answer(status, {}, { 'retry-after': '0' }) });
    const outcome = await service.run('exams send-emails 1 --yes -o json');
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(service.writes()).toEqual(['POST /exams/1/send_emails']);
    expect(outcome.stderr).not.toContain('Retrying');
  });

  test('to mails leaves them unsent: the same command asks again, and sends them', async () => {
    const service = await held({ sessions: [ada] });
    service.faults = [{ obeyed: false, answers: answer(429, {}, { 'retry-after': '0' }) }];
    expect((await service.run('exams send-emails 1 --yes')).code).toBe(8);
    const { code, stderr, questions } = await service.run('exams send-emails 1', { tty: true, answers: [true] as never });
    expect([code, questions.length], stderr).toEqual([0, 1]);
    expect(service.writes()).toHaveLength(2);
  });
});

test('A request that never started is tried three times, as a read is.', async () => {
  const service = await held({ sessions: [ada] });
  service.onRequest = (request) => {
    if (request === 'GET /student_sessions/7') service.deafen();
    return undefined;
  };
  const outcome = await service.run('sessions update 7 --name Eve -o json');
  expect(outcome.code, outcome.stderr).toBe(8);
  expect(failureOf(outcome).message).toContain('Nothing was sent.');
  expect(outcome.waits.length).toBe(2);
  expect(service.writes()).toEqual([]);
});

describe('anything else is unknown, and is settled by looking', () => {
  test.each(unclear())('a create that is there: %s', async (_what, reaction) => {
    const service = await held();
    service.faults = [{ answers: reaction }];
    const { code, stdout, stderr } = await service.run(create);
    expect(code, stderr).toBe(0);
    expect([json(stdout).id, service.writes()]).toEqual([101, [post]]);
  });

  test.each(unclear().filter(([what]) => !what.startsWith('success: false')))(
    'a create that two reads do not show after the settle time is absent: %s',
    async (_what, reaction) => {
      const service = await held();
      service.faults = [{ obeyed: false, answers: reaction }];
      const outcome = await service.run(create);
      expect([outcome.code, failureOf(outcome).code]).toEqual([10, 'outcome_unknown']);
      expect(failureOf(outcome).hint).toContain('--resend-absent');
      const settleTime = outcome.waits.reduce((sum, wait) => sum + wait, 0);
      expect(settleTime).toBe(60_000);
      expect(service.requests().slice(-3)).toEqual(Array(3).fill('GET /exams/1/student_sessions'));
      // The same command looks, and does not send again.
      expect((await service.run(create)).code).toBe(10);
      expect(service.writes()).toEqual([post]);
    },
  );

  test.each(unclear())('an update: %s', async (_what, reaction) => {
    for (const obeyed of [true, false]) {
      const service = await held({ sessions: [ada] });
      service.faults = [{ obeyed, answers: reaction }];
      const outcome = await service.run('sessions update 7 --name Eve -o json');
      expect(outcome.code, outcome.stderr).toBe(obeyed ? 0 : 7);
      expect(service.writes()).toHaveLength(1);
    }
  });

  test.each(unclear())('a deletion: %s', async (_what, reaction) => {
    for (const obeyed of [true, false]) {
      const service = await held({ sessions: [ada] });
      service.faults = [{ obeyed, answers: reaction }];
      const outcome = await service.run('sessions delete 7 --yes -o json');
      expect(outcome.code, outcome.stderr).toBe(obeyed ? 0 : 7);
      expect(service.writes()).toHaveLength(1);
    }
  });

  test('and stays unknown where it cannot be looked at', async () => {
    for (const line of [
      create,
      'sessions update 8 --name Eve -o json',
      'sessions delete 8 --yes -o json',
      'proctors add 4 --exam 1 -o json',
    ]) {
      const service = await held({ sessions: [bob] });
      service.faults = [{ answers: answer(502) }];
      service.onRequest = (request) => (request.startsWith('GET') && service.writes().length > 0 ? answer(500) : undefined);
      const outcome = await service.run(line);
      expect([outcome.code, service.writes().length], outcome.stderr).toEqual([10, 1]);
    }
  });

  test('a late request is found after the settle time', async () => {
    const service = await held();
    service.faults = [{ obeyed: false, answers: reset }];
    const { code, stderr } = await service.run(create, {
      onSleep() {
        if (service.sessions.length === 0) service.sessions.push(ada);
      },
    });
    expect(code, stderr).toBe(0);
  });
});

/** Answers after which a request may have been obeyed, or not. */
function unclear(): [string, Reaction][] {
  return [
    ...[408, 425, 499, 500, 502, 503, 504, 521].map((status): [string, Reaction] => [`${status}`, answer(status, { message: 'oops' })]),
    ['a reset', reset],
    ['a closed connection', hangUp],
    ['no HTTP at all', raw('oops\r\n')],
    ['half of the headers', raw('HTTP/1.1 201 Created\r\nContent-Le')],
    ['a success that is cut short', cutByLength(201, { id: 101, name: 'Algebra' }, 8)],
    ['a chunked success that is cut short', cutChunked(201, ['{"id":101'])],
    ['a success with JSON that is cut short', answer(201, '{"id":101')],
    ['a success that is a page', answer(200, '<html><title>Sign in</title></html>', { 'content-type': 'text/html' })],
    ['a redirect', answer(307, undefined, { location: '/api/v1/elsewhere' })],
  ];
}
