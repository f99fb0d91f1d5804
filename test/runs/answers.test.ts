/** The table of answers, row by row: what each answer to a write makes of its step, and what is read to know it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../faults/outcome.ts';
import { ada, bob, held } from '../support/algebra.ts';
import { doneBut, ignored, lostAfter, lostBefore, type Reply, refused } from '../support/service.ts';
import type { Fields } from '../support/truth.ts';

const create = 'sessions create --exam 1 --email ada@example.org -o json';
const post = 'POST /exams/1/student_sessions';
const json = (stdout: string) => JSON.parse(stdout) as Fields;

describe('2xx to a create, with an ID that was not there at planning', () => {
  test('is done, with what a read shows afterwards', async () => {
    const service = held();
    const { code, stdout } = await service.run(create);
    expect([code, json(stdout).id, service.writes()]).toEqual([0, 101, [post]]);
    expect(service.requests().at(-1)).toBe('GET /student_sessions/101');
  });

  test('is done whatever address it shows, and another spelling is said and remembered', async () => {
    const service = held({ habits: { kept: (address) => address.replace('+exam', '') } });
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
    const service = held({ sessions: [bob] });
    service.next('write', refused(200, bob));
    const outcome = await service.run(create);
    expect(outcome.code).toBe(9);
    expect(outcome.stderr).toContain('bob@example.org');
    expect(outcome.stderr).not.toContain('was created');
    expect(service.sessions).toEqual([bob]);
  });

  test('is a success where it is what was sent', async () => {
    // The list hides the address, and the session by itself shows it.
    const service = held({ sessions: [bob, ada] });
    service.fault = ({ line: request }) =>
      request === 'GET /exams/1/student_sessions' ? refused(200, [bob, { ...ada, email: null }]) : undefined;
    service.next('write', refused(200, ada));
    const { code, stderr } = await service.run(create);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('session 7, which was there before');
  });
});

test('2xx to a create, with an ID that a claim has: two addresses are one student for this service', async () => {
  const service = held();
  expect(await service.run(create)).toMatchObject({ code: 0 });
  // A list that lags does not show the student yet.
  service.showing = { lag: 600_000 };
  service.next('write', refused(201, { ...ada, id: 101 }));
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
    const service = held();
    service.next('write', doneBut(status, body));
    const { code, stdout, stderr } = await service.run(create);
    expect(code, stderr).toBe(0);
    expect(json(stdout)).toMatchObject({ id: 101, email: 'ada@example.org' });
  });

  test.each([
    [201, undefined],
    [200, { message: 'queued' }],
  ])('is never absent, and never sent again: %i %j', async (status, body) => {
    const service = held();
    service.next('write', refused(status, body));
    const first = await service.run(create);
    expect(first.code, first.stderr).toBe(10);
    expect(first.stderr).not.toContain('resend-absent');
    for (const line of [create, `${create} --allow-duplicate`]) expect((await service.run(line)).code).not.toBe(0);
    expect(service.writes()).toEqual([post]);
    service.truth.set('session', ada);
    const found = await service.run(create);
    expect(found.code, found.stderr).toBe(0);
    expect(service.writes()).toEqual([post]);
  });

  test('of an exam is looked for in the list of exams', async () => {
    const service = held({ exams: [] });
    service.next('write', doneBut(201, {}));
    const { code, stdout } = await service.run('exams create --start 2127-02-01T08:00:00Z --end 2127-02-01T10:00:00Z -o json');
    expect([code, json(stdout).id]).toEqual([0, 101]);
  });
});

describe('2xx to an update or a deletion', () => {
  test('is what a read shows', async () => {
    const service = held({ sessions: [ada, bob] });
    expect(await service.run('sessions update 7 --name Eve')).toMatchObject({ code: 0 });
    expect(await service.run('sessions delete 8 --yes')).toMatchObject({ code: 0 });
    expect(service.sessions).toMatchObject([{ id: 7, name: 'Eve' }]);
  });

  test.each(['sessions update 7 --name Eve', 'sessions delete 7 --yes', 'exams update 1 --allow-headphones', 'exams delete 1 --yes'])(
    'that a read does not show is not applied: %s',
    async (line) => {
      const service = held({ sessions: [ada] });
      service.next('write', ignored);
      const outcome = await service.run(`${line} -o json`);
      expect([outcome.code, failureOf(outcome).code, service.writes().length]).toEqual([7, 'not_applied', 1]);
    },
  );
});

describe('any answer to a change of the pool', () => {
  const answers: [string, Reply][] = [
    ['200', refused(200, {})],
    ['204', refused(204)],
    ['500', refused(500)],
    ['a lost answer', lostAfter],
    ['success: false', refused(200, { success: false })],
  ];
  test.each(answers)('is what the pool shows: %s', async (_what, reply) => {
    for (const [line, obeyed] of [
      ['proctors add 4 --exam 1', true],
      ['proctors add 5 --exam 1', false],
      ['proctors remove 4 --exam 1 --yes', true],
    ] as const) {
      const service = held({ pools: { 1: line.startsWith('proctors add 4') ? [] : [4] } });
      service.next('write', { ...reply, done: obeyed ? 'now' : 'never' });
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
    const service = held({ sessions: [ada] });
    service.next('write', refused(status, body));
    expect(await service.run(mails)).toMatchObject({ code: 0 });
    expect(service.writes()).toEqual([sent]);
  });

  test.each(unclear().filter(([what]) => what !== 'success: false'))(
    'that is unclear is done where all students have moved: %s',
    async (_what, reply) => {
      const service = held({ sessions: [ada, bob] });
      service.next('write', { ...reply, done: 'now' });
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
      const service = held({ sessions: [ada, bob] });
      service.next('write', lostBefore);
      service.fault = ({ line: request }) => {
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
    const service = held({
      sessions: [
        { ...ada, ...mailed },
        { ...bob, ...mailed },
      ],
    });
    service.next('write', doneBut(502));
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
    const service = held();
    service.next('write', refused(200, body));
    const outcome = await service.run(create);
    expect([outcome.code, failureOf(outcome).code]).toEqual([7, 'not_applied']);
  });

  test('until a read shows otherwise', async () => {
    for (const [line, body] of [
      [create, { success: false }],
      ['sessions update 8 --name Eve -o json', { success: false }],
      ['sessions delete 8 --yes -o json', { success: false }],
    ] as const) {
      const service = held({ sessions: [bob] });
      service.next('write', doneBut(200, body));
      const { code, stderr } = await service.run(line);
      expect(code, stderr).toBe(0);
      expect(service.writes()).toHaveLength(1);
    }
  });

  test.each(['sessions update 7 --name Eve', 'sessions delete 7 --yes'])('to %s is not applied, without waiting', async (line) => {
    const service = held({ sessions: [ada] });
    service.next('write', refused(200, { success: false, message: 'the exam is closed' }));
    const outcome = await service.run(`${line} -o json`);
    expect([outcome.code, failureOf(outcome).code, outcome.waits]).toEqual([7, 'not_applied', []]);
    expect(failureOf(outcome).message).toContain('the exam is closed');
  });
});

describe('409 and 422 to a create', () => {
  test.each([409, 422])('are rejected where a reading does not show the student: %i', async (status) => {
    const service = held();
    service.next('write', refused(status, { message: 'no' }));
    const outcome = await service.run(create);
    expect([outcome.code, failureOf(outcome).code, failureOf(outcome).status]).toEqual([7, 'rejected', status]);
    expect(service.requests().at(-1)).toBe('GET /exams/1/student_sessions');
  });

  test.each([409, 422])('and there where it does: %i', async (status) => {
    const service = held();
    // Somebody else has just added her.
    service.next('write', doneBut(status, { message: 'taken' }));
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
    const service = held({ sessions: [ada] });
    service.next('write', obeyed ? doneBut(404, {}) : refused(404, {}));
    expect((await service.run('sessions delete 7 --yes')).code).toBe(exit);
    expect(service.requests().at(-1)).toBe('GET /student_sessions/7');
  });

  test.each([
    ['as it was sent', true, 0],
    ['as it was', false, 7],
  ])('409, and a read shows it %s', async (_what, obeyed, exit) => {
    const service = held({ sessions: [ada] });
    service.next('write', obeyed ? doneBut(409, { message: 'conflict' }) : refused(409, { message: 'conflict' }));
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
      const service = held({ sessions: [{ ...ada, email: 'eve@example.org' }] });
      service.next('write', refused(status, { message: 'Seldom heard words' }));
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
  const service = held({ sessions: [ada, bob] });
  service.next('write', refused(status, { message: 'no' }));
  const outcome = await service.run(['sessions', 'delete', '7', '8', '--yes', '-o', 'json']);
  expect(outcome.code, outcome.stderr).toBe(4);
  expect(service.writes()).toEqual(['DELETE /student_sessions/7']);
  expect(service.sessions).toHaveLength(2);
});

describe('429', () => {
  test('is refused: the request is sent again after Retry-After, alone', async () => {
    const service = held({ sessions: [ada] });
    service.next('write', ...[1, 2].map(() => refused(429, {}, { 'retry-after': '3' })));
    const { code, stderr, waits } = await service.run('sessions update 7 --name Eve', { now: '2026-11-22T09:00:00Z' });
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
    const service = held({ sessions: [ada] });
    service.next('write', ...Array(20).fill(refused(status, {}, { 'retry-after': '0' })));
    const outcome = await service.run('exams send-emails 1 --yes -o json');
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(service.writes()).toEqual(['POST /exams/1/send_emails']);
    expect(outcome.stderr).not.toContain('Retrying');
  });

  test('to mails leaves them unsent: the same command asks again, and sends them', async () => {
    const service = held({ sessions: [ada] });
    service.next('write', refused(429, {}, { 'retry-after': '0' }));
    expect((await service.run('exams send-emails 1 --yes')).code).toBe(8);
    const { code, stderr, questions } = await service.run('exams send-emails 1', { tty: true, answers: [true] as never });
    expect([code, questions.length], stderr).toEqual([0, 1]);
    expect(service.writes()).toHaveLength(2);
  });
});

test('A request that never started is tried three times, as a read is.', async () => {
  const service = held({ sessions: [ada] });
  service.fault = ({ line: request }) => {
    if (request === 'GET /student_sessions/7') service.isAway = true;
    return undefined;
  };
  const outcome = await service.run('sessions update 7 --name Eve -o json');
  expect(outcome.code, outcome.stderr).toBe(8);
  expect(failureOf(outcome).message).toContain('Nothing was sent.');
  expect(outcome.waits.length).toBe(2);
  expect(service.writes()).toEqual([]);
});

describe('anything else is unknown, and is settled by looking', () => {
  test.each(unclear())('a create that is there: %s', async (_what, reply) => {
    const service = held();
    service.next('write', { ...reply, done: 'now' });
    const { code, stdout, stderr } = await service.run(create);
    expect(code, stderr).toBe(0);
    expect([json(stdout).id, service.writes()]).toEqual([101, [post]]);
  });

  test.each(unclear().filter(([what]) => !what.startsWith('success: false')))(
    'a create that two reads do not show after the settle time is absent: %s',
    async (_what, reply) => {
      const service = held();
      service.next('write', { ...reply, done: 'never' });
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

  test.each(unclear())('an update: %s', async (_what, reply) => {
    for (const obeyed of [true, false]) {
      const service = held({ sessions: [ada] });
      service.next('write', { ...reply, done: obeyed ? 'now' : 'never' });
      const outcome = await service.run('sessions update 7 --name Eve -o json');
      expect(outcome.code, outcome.stderr).toBe(obeyed ? 0 : 7);
      expect(service.writes()).toHaveLength(1);
    }
  });

  test.each(unclear())('a deletion: %s', async (_what, reply) => {
    for (const obeyed of [true, false]) {
      const service = held({ sessions: [ada] });
      service.next('write', { ...reply, done: obeyed ? 'now' : 'never' });
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
      const service = held({ sessions: [bob] });
      service.next('write', doneBut(502));
      service.fault = ({ line: request }) => (request.startsWith('GET') && service.writes().length > 0 ? refused(500) : undefined);
      const outcome = await service.run(line);
      expect([outcome.code, service.writes().length], outcome.stderr).toEqual([10, 1]);
    }
  });

  test('a late request is found after the settle time', async () => {
    const service = held();
    service.next('write', lostBefore);
    const { code, stderr } = await service.run(create, {
      onSleep() {
        if (service.sessions.length === 0) service.truth.set('session', ada);
      },
    });
    expect(code, stderr).toBe(0);
  });
});

/** Answers after which a request may have been obeyed, or not. */
function unclear(): [string, Reply][] {
  return [
    ...[408, 425, 499, 500, 502, 503, 504, 521].map((status): [string, Reply] => [`${status}`, refused(status, { message: 'oops' })]),
    ['a lost answer', lostAfter],
    ['an answer that is cut short', { answer: 'cut' }],
    ['a success with JSON that is cut short', refused(201, '{"id":101')],
    ['a success that is a page', refused(200, '<html><title>Sign in</title></html>', { 'content-type': 'text/html' })],
    ['a redirect', refused(307, undefined, { location: '/api/v1/elsewhere' })],
  ];
}
