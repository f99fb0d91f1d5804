/** A write with an unknown outcome is never sent again; the outcome is read if possible, and otherwise shown as unknown. */
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { timeLimit } from '../support/time-limit.ts';
import { attempt, failureOf } from './outcome.ts';
import {
  also,
  answer,
  closedPort,
  cutByLength,
  cutChunked,
  faultServer,
  hangUp,
  late,
  type Reaction,
  raw,
  reset,
  silence,
  thenClose,
} from './server.ts';

const page = answer(200, '<html><title>Sign in</title></html>', { 'content-type': 'text/html' });

/** After each of these a request may have been obeyed, or not. */
const ambiguous: [string, Reaction][] = [
  ['a reset', reset],
  ['a closed connection', hangUp],
  ['no HTTP at all', raw('oops\r\n')],
  ['half a status line', raw('HTTP/1.1 20')],
  ['half of the headers', raw('HTTP/1.1 201 Created\r\nContent-Le')],
  ['a success that is cut short', cutByLength(201, { id: 1, name: 'Algebra' }, 8)],
  ['a chunked success that is cut short', cutChunked(201, ['{"id":1'])],
  ['a success with JSON that is cut short', answer(201, '{"id":1')],
  ['a success that is a page', page],
  ['a compressed success', answer(201, '\x1f\x8b', { 'content-encoding': 'gzip' })],
  ['a 500', answer(500, { message: 'oops' })],
  ['a 502', answer(502)],
  ['a 503', answer(503, undefined, { 'retry-after': '1' })],
  ['a 504', answer(504)],
  ['a 408', answer(408)],
  ['a 500 that is cut short', cutByLength(500, { message: 'oops' }, 4)],
  ['a redirect', answer(307, undefined, { location: '/api/v1/elsewhere' })],
];

const tooLate: [string, Reaction][] = [
  ['silence', silence],
  ['an answer that comes too late', late(20, answer(201, { id: 1 }))],
];

const creates: [line: string, request: string, look: string][] = [
  ['exams create --start 2127-02-01T08:00:00Z --end 2127-02-01T10:00:00Z', 'POST /exams', 'proctor-cli exams list'],
  ['sessions create --exam 42 --email ada@example.org', 'POST /exams/42/student_sessions', 'proctor-cli sessions list --exam 42'],
  ['students add --exam 42 --email ada@example.org', 'POST /exams/42/add_student', 'proctor-cli sessions list --exam 42'],
  ['api POST /exams/42/add_student -F email=ada@example.org', 'POST /exams/42/add_student', 'proctor-cli sessions list --exam 42'],
];

async function expectUnknownCreate([line, request, look]: (typeof creates)[number], reaction: Reaction, limit = '') {
  const server = await faultServer([reaction]);
  const outcome = await attempt(`${line} -o json ${limit}`.trim(), server.origin);
  expect(outcome.code).toBe(10);
  expect(outcome.stdout).toBe('');
  // Reading the exam, after the service said that it added the student, sends no write.
  expect(server.requests().filter((each) => !each.startsWith('GET'))).toEqual([request]);
  expect(outcome.waits).toEqual([]);
  const { code, hint, message } = failureOf(outcome);
  expect(code).toBe('outcome_unknown');
  expect(hint).toContain(look);
  expect(message).toMatch(/(Its outcome is unknown|It was most likely carried out)\./);
}

describe.each(creates)('%s', (...create) => {
  test.each(ambiguous)('is sent once, and its outcome is unknown after %s', async (_what, reaction) => {
    await expectUnknownCreate(create, reaction);
  });
});

test.each(tooLate)('Each create is sent once, and its outcome is unknown after %s', async (_what, reaction) => {
  const { option, end } = timeLimit();
  for (const create of creates) await expectUnknownCreate(create, also(end, reaction), option);
});

describe('exams send-emails', () => {
  /** The mails are sent, whatever the body of the success. */
  const unread = ['a success with JSON that is cut short'];
  test.each([...ambiguous, ...tooLate].filter(([what]) => !unread.includes(what)))(
    'is sent once, and its outcome is unknown after %s',
    async (what, reaction) => {
      const { option, end } = timeLimit();
      const comesLate = tooLate.some(([late]) => late === what);
      for (const line of ['exams send-emails 42', 'api POST /exams/42/send_emails']) {
        const server = await faultServer([comesLate ? also(end, reaction) : reaction]);
        const outcome = await attempt(`${line} --yes -o json ${option}`, server.origin);
        expect(outcome.code).toBe(10);
        expect(server.requests()).toEqual(['POST /exams/42/send_emails']);
        expect(failureOf(outcome).hint).toContain('proctor-cli sessions list --exam 42');
      }
    },
  );

  test('is not even tried again where nothing was sent', async () => {
    const outcome = await attempt('exams send-emails 42 --yes -o json', `http://127.0.0.1:${await closedPort()}`);
    expect(outcome.code).toBe(8);
    expect(outcome.waits).toEqual([]);
    expect(failureOf(outcome).message).toContain('Nothing was sent.');
  });

  test.each([
    [429, 8],
    [422, 7],
    [401, 4],
    [404, 6],
  ])('is not sent again after %i', async (status, exit) => {
    const server = await faultServer([answer(status, { message: 'No.' }, { 'retry-after': '0' })]);
    const outcome = await attempt('exams send-emails 42 --yes -o json', server.origin);
    expect(outcome.code).toBe(exit);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.body).toBe('');
  });

  test.each([undefined, { sent: 3 }, 'queued', '[]', 'null'])('succeeds whatever the success carries: %j', async (body) => {
    for (const status of [200, 202, 204]) {
      const server = await faultServer([answer(status, status === 204 ? undefined : body, { 'content-type': 'text/plain' })]);
      expect((await attempt('exams send-emails 42 --yes -o json', server.origin)).code).toBe(0);
    }
  });
});

describe('the pool of proctors', () => {
  test.each([
    ['proctors add 4 --exam 42', 'POST /exams/42/proctor_pool'],
    ['proctors remove 4 --exam 42 --yes', 'DELETE /exams/42/proctor_pool'],
  ])('%s is sent once', async (line, request) => {
    for (const reaction of [reset, answer(503), cutByLength(200, [{ id: 4 }], 3)]) {
      const server = await faultServer([reaction]);
      const outcome = await attempt(`${line} -o json`, server.origin);
      expect(outcome.code).toBe(10);
      expect(server.requests()).toEqual([request]);
      expect(failureOf(outcome).hint).toContain('proctor-cli proctors list --exam 42');
    }
  });
});

describe('a write that was certainly refused', () => {
  test.each([
    [400, 7],
    [401, 4],
    [403, 4],
    [404, 6],
    [409, 7],
    [422, 7],
  ])('with %i ends with status %i, once, and without a read', async (status, exit) => {
    for (const line of [
      'sessions create --exam 42 --email a@example.org',
      'sessions update 7 --email a@example.org',
      'sessions delete 7 --yes',
    ]) {
      const server = await faultServer([answer(status, { message: 'No.' }, { 'retry-after': '0' })]);
      const outcome = await attempt(`${line} -o json`, server.origin);
      expect(outcome.code).toBe(exit);
      expect(outcome.stdout).toBe('');
      expect(failureOf(outcome)).toMatchObject({ status, message: expect.stringContaining('No.') });
      expect(server.received).toHaveLength(1);
      expect(outcome.waits).toEqual([]);
    }
  });

  test.each([
    ['sessions create --exam 42 --email a@example.org', answer(201, { id: 7, email: 'a@example.org' })],
    ['sessions update 7 --email a@example.org', answer(200, { id: 7, email: 'a@example.org' })],
    ['sessions delete 7 --yes', answer(204)],
  ])('with 429 is sent again alone, as long as the service refuses it and no longer than ten waits: %s', async (line, done) => {
    const limited = answer(429, { message: 'Slow down.' });
    const server = await faultServer([limited, limited, done]);
    const outcome = await attempt(line, server.origin);
    expect(outcome.code).toBe(0);
    expect(new Set(server.requests()).size).toBe(1);
    expect(server.received).toHaveLength(3);
    const never = await faultServer(Array(11).fill(limited));
    expect((await attempt(`${line} -o json`, never.origin)).code).toBe(8);
    expect(never.received).toHaveLength(11);
  });

  test('with 429 is not sent again where the dialect says that it may have created a student all the same', async () => {
    const home = temporaryFolder();
    await run(['config', 'set', 'dialect.limitedMeans', 'unknown'], { home });
    const server = await faultServer([answer(429)]);
    expect((await attempt('sessions create --exam 42 --email a@example.org', server.origin, { home })).code).toBe(8);
    expect(server.received).toHaveLength(1);
  });

  test('is so although its words are cut short', async () => {
    const server = await faultServer([cutByLength(422, { message: 'Email is taken' }, 10)]);
    const outcome = await attempt('sessions create --exam 42 --email a@example.org -o json', server.origin);
    expect(outcome.code).toBe(7);
    expect(failureOf(outcome).status).toBe(422);
  });
});

describe('a write whose connection was refused was never sent', () => {
  test.each([
    'exams create --start now+1h --end now+2h',
    'sessions update 7 --email a@example.org',
    'sessions delete 7 --yes',
    'proctors add 4 --exam 42',
  ])('%s is tried again, and then says that nothing was sent', async (line) => {
    const outcome = await attempt(`${line} -o json`, `http://127.0.0.1:${await closedPort()}`);
    expect(outcome.code).toBe(8);
    expect(outcome.waits).toHaveLength(2);
    expect(failureOf(outcome)).toMatchObject({ code: 'network', message: expect.stringContaining('Nothing was sent.') });
  });

  test('and reaches a server that starts in the meantime once', async () => {
    const port = await closedPort();
    const started: Awaited<ReturnType<typeof faultServer>>[] = [];
    const outcome = await attempt('sessions create --exam 42 --email a@example.org', `http://127.0.0.1:${port}`, {
      async onSleep() {
        if (started.length === 0) started.push(await faultServer([answer(201, { id: 1 })], { port }));
      },
    });
    expect(outcome.code).toBe(0);
    expect(started[0]?.requests()).toEqual(['POST /exams/42/student_sessions']);
  });
});

const lost: [string, Reaction][] = [
  ['a reset', reset],
  ['a 502', answer(502)],
  ['an answer that is cut short', cutByLength(200, { id: 7 }, 3)],
];

describe.each(lost)('a delete whose answer was lost (%s) reads the resource', (_what, reaction) => {
  test.each([
    ['sessions delete 7', '/student_sessions/7'],
    ['exams delete 7', '/exams/7'],
  ])('%s: gone is done', async (line, path) => {
    const server = await faultServer([reaction, answer(404)]);
    const { code, stdout } = await attempt(`${line} --yes -o json`, server.origin);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ id: 7, result: 'deleted' }]);
    expect(server.requests()).toEqual([`DELETE ${path}`, `GET ${path}`]);
  });

  test('still there is unknown', async () => {
    const server = await faultServer([reaction, answer(200, { id: 7 })]);
    const outcome = await attempt('sessions delete 7 --yes -o json', server.origin);
    expect(outcome.code).toBe(10);
    expect(failureOf(outcome).message).toContain('Student session 7 still exists');
    expect(server.requests()).toEqual(['DELETE /student_sessions/7', 'GET /student_sessions/7']);
  });

  test('a failed read settles nothing', async () => {
    for (const failing of [answer(500), reset, answer(401), page]) {
      const server = await faultServer([reaction, failing, failing, failing]);
      const outcome = await attempt('sessions delete 7 --yes -o json', server.origin);
      expect(outcome.code).toBe(10);
      expect(failureOf(outcome).hint).toContain('proctor-cli sessions get 7');
      expect(server.requests().filter((request) => request.startsWith('DELETE'))).toHaveLength(1);
    }
  });
});

describe.each(lost)('an update whose answer was lost (%s) reads the resource', (_what, reaction) => {
  const line = 'sessions update 7 --email Ada@example.org --close-time 2127-02-01T10:00:00Z -o json';

  test.each([
    ['as it was sent', { email: 'Ada@example.org', close_time: '2127-02-01T10:00:00Z' }],
    ['the same time in another spelling', { email: 'ada@example.org', close_time: '2127-02-01T11:00:00.000+01:00' }],
  ])('%s is done', async (_how, fields) => {
    for (const [method, put] of [
      ['PATCH', ''],
      ['PUT', ' --put'],
    ] as const) {
      const server = await faultServer([reaction, answer(200, { id: 7, ...fields })]);
      const { code, stdout } = await attempt(line + put, server.origin);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ id: 7, ...fields });
      expect(server.requests()).toEqual([`${method} /student_sessions/7`, 'GET /student_sessions/7']);
    }
  });

  test.each([
    [
      'another value',
      { email: 'ada@example.org', close_time: '2127-02-01T09:00:00Z' },
      'close_time is 2127-02-01 09:00 +00:00, not 2127-02-01 10:00 +00:00',
    ],
    ['a field that is not shown', { email: 'ada@example.org' }, 'close_time is not shown'],
  ])('%s is unknown, and named', async (_how, fields, words) => {
    const server = await faultServer([reaction, answer(200, { id: 7, ...fields })]);
    const outcome = await attempt(line, server.origin);
    expect(outcome.code).toBe(10);
    expect(outcome.stdout).toBe('');
    expect(failureOf(outcome).message).toContain(words);
    expect(server.received).toHaveLength(2);
  });

  test('a session that is gone is unknown', async () => {
    const server = await faultServer([reaction, answer(404)]);
    const outcome = await attempt(line, server.origin);
    expect(outcome.code).toBe(10);
    expect(server.received).toHaveLength(2);
  });
});

describe('an update of restrictions whose answer was lost', () => {
  const before = { id: 42, allow_headphones: false, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };
  const after = { ...before, allow_headphones: true };
  const line = 'exams update 42 --allow-headphones -o json';

  test('is done if the exam is as it was meant to be', async () => {
    const server = await faultServer([answer(200, before), reset, answer(200, after), answer(200, after)]);
    const { code, stdout } = await attempt(line, server.origin);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(after);
    expect(server.requests().filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
  });

  test('is unknown if it is not, and says what differs', async () => {
    const server = await faultServer([answer(200, before), reset, answer(200, before)]);
    const outcome = await attempt(line, server.origin);
    expect(outcome.code).toBe(10);
    expect(failureOf(outcome).message).toContain('allow_headphones is false, not true');
  });

  test.each([500, 403, 404])('that cannot be read again (%i) says that it was made, and how to look', async (status) => {
    const refused = Array.from({ length: 3 }, () => answer(status));
    const server = await faultServer([answer(200, before), answer(200, after), ...refused]);
    const outcome = await attempt(line, server.origin);
    expect(outcome.code).toBe(10);
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining('was updated'),
      hint: 'Check with: proctor-cli exams get 42',
    });
  });
});

describe('several deletes', () => {
  test('one failure does not stop the rest, every item is reported, and the status is 9', async () => {
    const server = await faultServer([answer(204), answer(404, { message: 'No such session.' }), answer(204)]);
    const outcome = await attempt('sessions delete 7 8 9 --yes -o json', server.origin);
    expect(outcome.code).toBe(9);
    expect(JSON.parse(outcome.stdout)).toMatchObject([
      { id: 7, result: 'deleted' },
      { id: 8, result: 'failed', problem: expect.stringContaining('No such session.') },
      { id: 9, result: 'deleted' },
    ]);
    expect(failureOf(outcome)).toMatchObject({ code: 'partly_done', items: [{ id: 8, code: 'not_found' }] });
    expect(server.requests()).toEqual(['DELETE /student_sessions/7', 'DELETE /student_sessions/8', 'DELETE /student_sessions/9']);
  });

  test('a person reads which, and why', async () => {
    const { code, stderr } = await attempt('sessions delete 7 8 --yes', (await faultServer([answer(404), answer(204)])).origin);
    expect(code).toBe(9);
    expect(stderr).toContain('7: The service could not delete student session 7: not found (404).');
    expect(stderr).toContain('1 of 2 done, 1 failed: ');
  });

  test('one of which the outcome is unknown makes the whole unknown', async () => {
    const server = await faultServer([reset, answer(200, { id: 7 }), answer(204)]);
    const outcome = await attempt('sessions delete 7 8 --yes -o json', server.origin);
    expect(outcome.code).toBe(10);
    expect(JSON.parse(outcome.stdout)).toMatchObject([
      { id: 7, result: 'unknown' },
      { id: 8, result: 'deleted' },
    ]);
  });

  test('all failed alike: the status is theirs', async () => {
    const outcome = await attempt('exams delete 7 8 --yes -o json', (await faultServer([answer(404), answer(404)])).origin);
    expect(outcome.code).toBe(6);
  });

  test('a token that is refused stops the rest, which are not tried', async () => {
    const server = await faultServer([answer(204), answer(401)]);
    const outcome = await attempt('sessions delete 7 8 9 10 --yes -o json', server.origin);
    expect(outcome.code).toBe(4);
    expect(JSON.parse(outcome.stdout)).toMatchObject([
      { id: 7, result: 'deleted' },
      { id: 8, result: 'failed' },
      { id: 9, result: 'not tried' },
      { id: 10, result: 'not tried' },
    ]);
    expect(server.received).toHaveLength(2);
  });

  test('over connections that the server closes after each answer', async () => {
    const server = await faultServer([thenClose(answer(204)), thenClose(answer(204)), thenClose(answer(204))]);
    const { code } = await attempt('sessions delete 7 8 9 --yes', server.origin);
    expect(code).toBe(0);
    expect(server.requests()).toEqual(['DELETE /student_sessions/7', 'DELETE /student_sessions/8', 'DELETE /student_sessions/9']);
  });

  test('from stdin', async () => {
    const server = await faultServer([answer(204), answer(204)]);
    expect((await attempt('sessions delete - --yes', server.origin, { stdin: '7\n8\n' })).code).toBe(0);
    expect(server.received).toHaveLength(2);
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

  test('in the middle of a write ends with 130 and says that the outcome is unknown', async () => {
    const { interrupt, stop } = stopped();
    const server = await faultServer([also(() => stop(), silence)]);
    const outcome = await attempt('sessions create --exam 42 --email a@example.org -o json', server.origin, { interrupt });
    expect(outcome.code).toBe(130);
    expect(failureOf(outcome)).toMatchObject({
      code: 'interrupted',
      message: expect.stringContaining('Its outcome is unknown'),
      hint: expect.stringContaining('proctor-cli sessions list --exam 42'),
    });
    expect(server.received).toHaveLength(1);
  });

  test('by SIGTERM ends with 143', async () => {
    const { interrupt, stop } = stopped();
    const server = await faultServer([also(() => stop('terminated'), silence)]);
    expect((await attempt('exams send-emails 42 --yes', server.origin, { interrupt })).code).toBe(143);
  });

  test('while the answer to a write comes in ends with 130, too', async () => {
    const { interrupt, stop } = stopped();
    const begun: Reaction = (socket) => {
      socket.write('HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"id":1');
      setTimeout(stop, 30);
    };
    const outcome = await attempt('sessions create --exam 42 --email a@example.org -o json', (await faultServer([begun])).origin, {
      interrupt,
    });
    expect(outcome.code).toBe(130);
    expect(failureOf(outcome).message).toMatch(/Its outcome is unknown\.|It was most likely carried out\./);
  });

  test('of a delete is not looked into, and the rest is not tried', async () => {
    const { interrupt, stop } = stopped();
    const server = await faultServer([answer(204), also(() => stop(), silence)]);
    const outcome = await attempt('sessions delete 7 8 9 --yes -o json', server.origin, { interrupt });
    expect(outcome.code).toBe(130);
    expect(JSON.parse(outcome.stdout).map(({ result }: { result: string }) => result)).toEqual(['deleted', 'unknown', 'not tried']);
    expect(server.received).toHaveLength(2);
    expect(failureOf(outcome).items).toMatchObject([{ id: 8, message: expect.stringContaining('Its outcome is unknown') }]);
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
