/** What --log-file records: each request, each decision, start and exit; and what it never holds. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { validator } from '../commands/schemas.ts';
import { also, answer, cutByLength, type FaultServer, faultServer, hangUp, type Reaction, serverBy, silence } from '../faults/server.ts';
import { type Run, run, ungatedFolder, type World } from '../support/run.ts';
import { timeLimit } from '../support/time-limit.ts';

type LogRecord = Record<string, unknown>;

const token = 'tok-8fQ2mZx1';
const exam = { id: 42, name: 'Linear Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };

let home: string;
let path: string;

beforeEach(() => {
  home = ungatedFolder();
  path = join(home, 'log.ndjson');
});

/** The records in the log, each checked against the schema, which is closed. */
async function records(): Promise<LogRecord[]> {
  const problemOf = await validator('log', { closed: true });
  const all = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogRecord);
  for (const record of all) expect(problemOf(record), JSON.stringify(record)).toBe(undefined);
  return all;
}

const of = (all: LogRecord[], event: string) => all.filter((record) => record.event === event);

async function logged(
  line: string,
  reactions: readonly Reaction[],
  world: World = {},
): Promise<{ ran: Run; server: FaultServer; all: LogRecord[] }> {
  const server = await faultServer(reactions);
  const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token, ...world.env };
  const ran = await run([...line.split(' '), '--log-file', path], { home, ...world, env });
  return { ran, server, all: existsSync(path) ? await records() : [] };
}

describe('a run', () => {
  test('is logged from its start, by the names of its options, to its exit', async () => {
    const updated = { ...exam, name: 'Secret-Exam', room: 12 };
    const { ran, server, all } = await logged('exams update 42 --name=Secret-Exam -F room=12 --quiet', [
      answer(200, exam),
      answer(200, updated),
      answer(200, updated),
    ]);
    expect(ran.code).toBe(0);
    const start = all[0];
    const exit = all.at(-1);
    const requests = all.slice(1, -1);
    expect(start).toMatchObject({ event: 'start', command: 'exams update', pid: process.pid });
    expect(start?.options).toEqual(['--name', '--field', '--log-file', '--quiet']);
    // Read, changed, and read again.
    expect(requests.map(({ event, operation }) => [event, operation])).toEqual([
      ['request', 'getExam'],
      ['request', 'patchExam'],
      ['request', 'getExam'],
    ]);
    expect(requests[1]).toMatchObject({
      method: 'PATCH',
      service: `${server.origin}/api/v1`,
      path: '/exams/42',
      query: [],
      attempt: 1,
      sent: true,
      status: 200,
      failure: null,
      bytes_sent: Buffer.byteLength(server.received[1]?.body ?? ''),
      bytes_received: Buffer.byteLength(JSON.stringify(updated)),
    });
    expect(requests[1]?.bytes_sent).toBeGreaterThan(0);
    expect(exit).toMatchObject({ event: 'exit', exit: 0, code: null });
    expect(new Set(all.map(({ invocation }) => invocation)).size).toBe(1);
    expect(readFileSync(path, 'utf8')).not.toMatch(/Secret-Exam|Linear|room/);
  });

  test('that fails has its error in the exit, and no word of the service', async () => {
    const { ran, all } = await logged('exams get 42', [answer(404, { message: 'no exam of ada@example.org' })]);
    expect(ran.code).toBe(6);
    expect(of(all, 'request')).toMatchObject([{ operation: 'getExam', status: 404, failure: null }]);
    expect(of(all, 'exit')).toMatchObject([{ exit: 6, code: 'not_found' }]);
    expect(readFileSync(path, 'utf8')).not.toContain('ada@');
  });

  test('that ends before its first request is logged as well', async () => {
    for (const [line, status, code] of [
      ['exams delete 42', 2, 'needs_confirmation'],
      ['exams create --start tomorrowish --end +2h', 3, 'invalid_input'],
    ] as const) {
      rmSync(path, { force: true });
      const { ran, server, all } = await logged(line, []);
      expect([ran.code, server.received]).toEqual([status, []]);
      expect(all.map(({ event, exit, code }) => [event, exit, code])).toEqual([
        ['start', undefined, undefined],
        ['exit', status, code],
      ]);
    }
  });

  test('of a command that sends nothing is not logged', async () => {
    const { ran } = await logged('config list', []);
    expect(ran.code).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test('that logs in to a profile which is not stored yet is logged once it asks the service', async () => {
    const server = await faultServer([answer(200, [])]);
    const line = ['auth', 'login', '--profile', 'new', '--base-url', server.origin, '--with-token', '--log-file', path];
    expect((await run(line, { home, stdin: `${token}\n` })).code).toBe(0);
    expect((await records()).map(({ event, operation }) => operation ?? event)).toEqual(['start', 'listExams', 'listExams', 'exit']);
    expect(readFileSync(path, 'utf8')).not.toContain(token);
  });

  test('is logged to the file of the environment, else of the profile; /dev/null turns it off', async () => {
    const server = await faultServer(Array.from({ length: 4 }, () => answer(200, exam)));
    const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token };
    const [ofProfile, ofEnvironment] = [join(home, 'profile.ndjson'), join(home, 'environment.ndjson')];
    const lines = () =>
      [ofProfile, ofEnvironment].map((file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0));
    await run(['config', 'set', 'logFile', ofProfile], { home });
    await run(['exams', 'get', '42'], { home, env });
    expect(lines()).toEqual([3, 0]);
    await run(['exams', 'get', '42'], { home, env: { ...env, PROCTOR_LOG_FILE: ofEnvironment } });
    expect(lines()).toEqual([3, 3]);
    await run(['exams', 'get', '42', '--log-file', '/dev/null'], { home, env: { ...env, PROCTOR_LOG_FILE: ofEnvironment } });
    await run(['exams', 'get', '42'], { home, env: { ...env, PROCTOR_LOG_FILE: '' } });
    expect(lines()).toEqual([6, 3]);
  });

  test('without a log has none, and no header of its own', async () => {
    const server = await faultServer([answer(200, exam)]);
    await run(['exams', 'get', '42'], { home, env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } });
    expect(Object.keys(server.received[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'authorization',
      'cache-control',
      'connection',
      'host',
      'user-agent',
    ]);
  });
});

describe('a request', () => {
  test('is recorded once for each try, each with an ID of its own, and each retry with its wait and reason', async () => {
    const { ran, all } = await logged('exams get 42', [answer(429, undefined, { 'retry-after': '7' }), answer(503), answer(200, exam)], {
      random: 0.5,
    });
    expect(ran.code).toBe(0);
    const requests = of(all, 'request');
    expect(requests.map((request) => [request.attempt, request.status])).toEqual([
      [1, 429],
      [2, 503],
      [3, 200],
    ]);
    expect(new Set(requests.map(({ request_id }) => request_id)).size).toBe(3);
    expect(of(all, 'retry')).toMatchObject([
      { request_id: requests[0]?.request_id, attempt: 2, wait: expect.closeTo(7000, -2), reason: 'rate_limited', status: 429 },
      { request_id: requests[1]?.request_id, attempt: 3, wait: 250, reason: 'unavailable', status: 503 },
    ]);
    expect(all.map(({ event }) => event)).toEqual([
      'start',
      ...['request', 'slow_down', 'retry'],
      ...['request', 'concurrency', 'retry'],
      'request',
      'exit',
    ]);
  });

  test.each([
    ['no answer in time', silence, 'timeout', 0],
    ['a connection that breaks', hangUp, 'broken', 0],
    ['an answer that is cut', cutByLength(200, exam, 10), 'broken', 10],
  ])('without a whole answer has the reason: %s', async (_, reaction, failure, received) => {
    const { option, end } = timeLimit();
    const line = `sessions create --exam 42 --email ada@example.org ${option}`;
    const nobodyThere = answer(200, []);
    const lost = reaction === silence ? also(end, silence) : reaction;
    // Looked at before, at once afterwards, and twice when a late request has arrived.
    const { ran, all } = await logged(line, [nobodyThere, lost, nobodyThere, nobodyThere, nobodyThere]);
    expect(ran.code).toBe(10);
    const requests = of(all, 'request');
    expect(requests.map(({ operation }) => operation)).toEqual(['listExamSessions', 'createSession', ...Array(3).fill('listExamSessions')]);
    expect(requests[1]).toMatchObject({ sent: true, failure, bytes_received: received });
  });

  test('that never left says so', async () => {
    const ran = await run(['exams', 'get', '42', '--log-file', path], {
      home,
      env: { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN: token },
    });
    expect(ran.code).toBe(8);
    const requests = of(await records(), 'request');
    expect(requests).toHaveLength(3);
    expect(requests[0]).toMatchObject({ sent: false, status: null, failure: 'refused', bytes_sent: 0 });
  });

  test('of a further page is not made, nor recorded, where the reading of a list stops early', async () => {
    const many = Array.from({ length: 40 }, (_, id) => ({ ...exam, id }));
    const { ran, all } = await logged('exams list --limit 1 -o id', [answer(200, many, { link: '<?page=2>; rel="next"' })]);
    expect([ran.code, ran.stdout]).toEqual([0, '0\n']);
    expect(of(all, 'request')).toMatchObject([{ operation: 'listExams', status: 200, failure: null }]);
  });

  test.each([
    ['students show --exam 42 --session 7', '/exams/42/show_student', ['student_session_id']],
    ['api GET /exams/42?page=2&filter=ada@example.org', '/exams/42', ['page', 'filter']],
    ['api GET /exams/42?ada@example.org', '/exams/42', ['{hidden}']],
    ['api GET /exams/42?ada@example.org=1', '/exams/42', ['{hidden}']],
    ['sessions get ada@example.org', '/student_sessions/{hidden}', []],
    ['sessions get Ada', '/student_sessions/{hidden}', []],
    ['exams get ada.lovelace2', '/exams/{hidden}', []],
    ['exams get 5f3c9a7e-1b2c-4d5e-8f90-123456789abc', '/exams/5f3c9a7e-1b2c-4d5e-8f90-123456789abc', []],
    ['api GET /exams/42/student_sessions/Ada-Lovelace', '/exams/42/student_sessions/{hidden}', []],
    ['api GET /people/ada%40example.org/files', '/{hidden}/{hidden}/{hidden}', []],
    ['api GET /people/ada%2540example.org/files', '/{hidden}/{hidden}/{hidden}', []],
    ['api GET /people/Ada%20Lovelace', '/{hidden}/{hidden}', []],
    ['api GET /people/M%C3%BCller', '/{hidden}/{hidden}', []],
    [`api GET /people/${'x'.repeat(65)}`, '/{hidden}/{hidden}', []],
    ['api GET /exams/3f2504e0-4f89-11d3-9a0c-0305e82c3301', '/exams/3f2504e0-4f89-11d3-9a0c-0305e82c3301', []],
    [`api GET /exams/${token}`, '/exams/********', []],
  ])('has its path without values, and without parts that may be a name or an address: %s', async (line, shown, query) => {
    const { all } = await logged(line, [answer(200, { id: 7, email: 'ada@example.org', status: 'registered' })]);
    expect(of(all, 'request')).toMatchObject([{ path: shown, query }]);
    expect(readFileSync(path, 'utf8')).not.toMatch(/example\.org|Ada|M%C3/);
  });

  test('never shows the token, which the service repeats everywhere', async () => {
    const echo = answer(422, { message: `token ${token}`, token }, { 'x-request-id': token, location: `/${token}` });
    const { all } = await logged(`api POST /exams/${token}/x?${token}=1&key=${token} -F note=${token} --show-secrets`, [echo]);
    expect(of(all, 'request')).toMatchObject([{ status: 422, query: ['********', 'key'] }]);
    expect(readFileSync(path, 'utf8')).not.toContain(token);
  });
});

describe('dialect.requestIdHeader', () => {
  test('names the header that carries the ID of the log, another for each try, also without a log', async () => {
    await run(['config', 'set', 'dialect.requestIdHeader', 'X-Request-Id'], { home });
    const { server, all } = await logged('exams get 42', [answer(503), answer(200, exam)]);
    const sent = server.received.map(({ headers }) => headers['x-request-id']);
    expect(sent).toEqual(of(all, 'request').map(({ request_id }) => request_id));
    expect(new Set(sent).size).toBe(2);
    const other = await faultServer([answer(200, exam)]);
    await run(['exams', 'get', '42'], { home, env: { PROCTOR_BASE_URL: other.origin, PROCTOR_TOKEN: token } });
    expect(other.received[0]?.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });

  test.each(['Authorization', 'content-length', 'Proxy-Authorization', 'traceparent', 'x y', 'x:y', 'ü', 'x\r\ny'])(
    'refuses %j',
    async (name) => {
      const { code, stderr } = await run(['config', 'set', 'dialect.requestIdHeader', name], { home });
      expect(code).toBe(3);
      expect(stderr).toMatch(/header|control character/);
    },
  );

  test('can be set to none again', async () => {
    const { code } = await run(['config', 'set', 'dialect.requestIdHeader', ''], { home });
    expect(code).toBe(0);
  });
});

describe('TRACEPARENT', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parent = `00-${traceId}-00f067aa0ba902b7-01`;

  test('is continued by each request, as a span of its own that the log names', async () => {
    const env = { TRACEPARENT: parent, TRACESTATE: 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE' };
    const { server, all } = await logged('exams get 42', [answer(503), answer(200, exam)], { env });
    const requests = of(all, 'request');
    expect(server.received.map(({ headers }) => headers.traceparent)).toEqual(requests.map(({ span_id }) => `00-${traceId}-${span_id}-01`));
    expect(new Set([...requests.map(({ span_id }) => span_id), '00f067aa0ba902b7']).size).toBe(3);
    expect(server.received[0]?.headers.tracestate).toBe('rojo=00f067aa0ba902b7, congo=t61rcWkgMzE');
    expect(new Set(all.map(({ trace_id }) => trace_id))).toEqual(new Set([traceId]));
  });

  test('needs no log', async () => {
    const server = await faultServer([answer(200, exam)]);
    await run(['exams', 'get', '42'], { home, env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token, TRACEPARENT: parent } });
    expect(server.received[0]?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
    expect(server.received[0]?.headers).not.toHaveProperty('tracestate');
  });

  test.each([
    ['an upper-case ID', parent.toUpperCase()],
    ['a trace of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['the version ff', parent.replace('00-', 'ff-')],
    ['more than version 00 has', `${parent}-more`],
    ['a line break', `${parent}\r\nx: y`],
    ['something else', 'yes'],
  ])('is ignored with a debug line where it is invalid: %s', async (_, value) => {
    const { ran, server, all } = await logged('exams get 42 --debug', [answer(200, exam)], {
      env: { TRACEPARENT: value, TRACESTATE: 'a=1' },
    });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('TRACEPARENT is ignored: its value is not valid W3C Trace Context.\n');
    expect(Object.keys(server.received[0]?.headers ?? {}).filter((name) => name.startsWith('trace'))).toEqual([]);
    expect(all.filter((record) => 'trace_id' in record || 'span_id' in record)).toEqual([]);
  });

  test('of a later version is continued as version 00, with the flags that are known', async () => {
    const env = { TRACEPARENT: `cc-${traceId}-00f067aa0ba902b7-fd-what-comes` };
    const { server } = await logged('exams get 42', [answer(200, exam)], { env });
    expect(server.received[0]?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
  });

  test.each([['a=ü'], ['a=1\r\nx: y'], [`a=${'1'.repeat(511)}`]])(
    'keeps the trace without a TRACESTATE that is no line of plain text: %j',
    async (state) => {
      const env = { TRACEPARENT: parent, TRACESTATE: state };
      const { ran, server } = await logged('exams get 42 --debug', [answer(200, exam)], { env });
      expect(ran.stderr).toContain('TRACESTATE is ignored');
      expect(server.received[0]?.headers.traceparent).toMatch(traceId);
      expect(server.received[0]?.headers).not.toHaveProperty('tracestate');
    },
  );
});

describe('a log that cannot be written', () => {
  test.each([
    ['a folder', () => mkdirSync(path), 'it is a folder (EISDIR)'],
    ['a file of another kind', () => writeFileSync(path, 'email,name\n'), 'it exists and is not a log'],
  ])('is an error before anything is sent: %s', async (_, prepare, why) => {
    prepare();
    const server = await faultServer([]);
    const { code, stdout, stderr } = await run(['exams', 'get', '42', '--log-file', path], {
      home,
      env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token },
    });
    expect([code, stdout, server.received]).toEqual([3, '', []]);
    expect(stderr).toBe(
      `error: The log ${path} (--log-file) cannot be written: ${why}.\nhint: Nothing was sent. Name another file with --log-file FILE; --log-file /dev/null turns the log off.\n`,
    );
  });

  test('names where it is set, and can be turned off there', async () => {
    mkdirSync(path);
    expect((await run(['config', 'set', 'logFile', path], { home })).code).toBe(0);
    const env = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN: token };
    expect((await run(['exams', 'get', '42'], { home, env })).stderr).toContain(`The log ${path} (profile default) cannot be written`);
    expect((await run(['config', 'unset', 'logFile'], { home })).code).toBe(0);
    expect((await run(['exams', 'get', '42'], { home, env })).stderr).not.toContain('The log');
  });

  test('later ends with one warning, and the command is carried out', async () => {
    // A folder replaces it between two requests.
    const students = [7, 8, 9].map((id) => ({ id, exam_id: 42, email: `s${id}@example.org`, room: 11 }));
    let writes = 0;
    const server = await serverBy(({ method, path: asked, body }) => {
      const student = students.find(({ id }) => asked.endsWith(`/student_sessions/${id}`));
      if (method === 'GET') return answer(200, student ?? students);
      if (!student) return answer(404);
      writes += 1;
      if (writes === 2) {
        rmSync(path);
        mkdirSync(path);
      }
      return answer(200, Object.assign(student, JSON.parse(body)));
    });
    const line = ['sessions', 'update', '7', '8', '9', '-F', 'room=12', '--log-file', path];
    const { code, stderr } = await run(line, { home, env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } });
    expect([code, students.map(({ room }) => room)]).toEqual([0, [12, 12, 12]]);
    expect(stderr).toBe(`warning: The log ${path} can no longer be written: it is a folder (EISDIR). The command continues without it.\n`);
  });

  test.each(['--result', '--rejects'])('is never written to by %s, also before it exists', async (option) => {
    const roster = join(home, 'roster.csv');
    writeFileSync(roster, 'email\nada@example.org\n');
    const server = await faultServer([]);
    const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token };
    const line = ['sessions', 'import', roster, '--exam', '42', '--yes', '--force', option, path, '--log-file', path];
    for (const before of [undefined, '', '{"version":1}\n']) {
      rmSync(path, { force: true });
      if (before !== undefined) writeFileSync(path, before);
      const { code, stderr } = await run(line, { home, env });
      expect([code, server.received]).toEqual([2, []]);
      expect(stderr).toContain(`"${path}" is the log of this command: ${option} cannot write to it.`);
    }
  });

  test('is not written to under another name either, through a link to its folder or in another case', async () => {
    const roster = join(home, 'roster.csv');
    writeFileSync(roster, 'email\nada@example.org\n');
    symlinkSync(home, join(home, 'link'));
    const server = await faultServer([]);
    const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token };
    for (const other of [join(home, 'link', 'new.log'), join(home, 'NEW.log')]) {
      const line = ['sessions', 'import', roster, '--exam', '42', '--yes', '--result', other, '--log-file', join(home, 'new.log')];
      rmSync(join(home, 'new.log'), { force: true });
      const { code, stderr } = await run(line, { home, env });
      expect([code, server.received]).toEqual([2, []]);
      expect(stderr).toContain('is the log of this command: --result cannot write to it.');
    }
  });

  test.each([
    ['', 'The log needs the name of a file.'],
    ['-', 'The log has to be a file: stdout and stderr are for people and scripts.'],
  ])('is refused as a value: %j', async (value, why) => {
    const { code, stderr } = await run(['exams', 'get', '42', `--log-file=${value}`], { home });
    expect(code).toBe(3);
    expect(stderr).toContain(`error: --log-file: ${why}\n`);
  });

  test.each([['9kB'], ['lots']])('has no size of %s', async (size) => {
    expect((await run(['config', 'set', 'logFileSize', size], { home })).code).toBe(3);
  });
});

test('a torn last line costs nothing but itself', async () => {
  await logged('exams get 42', [answer(200, exam)]);
  appendFileSync(path, '{"version":1,"time":"2026-');
  const server = await faultServer([answer(200, exam)]);
  await run(['exams', 'get', '42', '--log-file', path], { home, env: { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: token } });
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(7);
  expect(lines[3]).toBe('{"version":1,"time":"2026-');
  expect(JSON.parse(lines[6] ?? '')).toMatchObject({ event: 'exit', exit: 0 });
});
