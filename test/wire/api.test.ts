/** `api METHOD PATH`: requests are sent as typed, under the same rules as the commands. */
import { describe, expect, test } from 'vitest';
import { around, created, del, type Exchange, exchange, get, gone, patch, post, put, succeeds } from './exchanges.ts';

describe('a path', () => {
  test.each(['/exams/42', 'exams/42', '/api/v1/exams/42'])('%s leads to the exam', async (path) => {
    const { code, stdout } = await exchange(['api', 'GET', path, '-o', 'json'], [get('/exams/42', { id: 42 })]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ id: 42 });
  });

  test.each([
    ['/new/thing?a=1&b=x%20y', '/api/v1/new/thing?a=1&b=x%20y'],
    ['/exams?next=https://elsewhere.example/', '/api/v1/exams?next=https://elsewhere.example/'],
    ['/exams?q=end_exam', '/api/v1/exams?q=end_exam'],
  ])('%s is sent as it is', (path, sent) => succeeds(['api', 'GET', path], [get(sent, [])]));

  test.each([
    ...['https://elsewhere.example/api/v1/exams', 'https://proctor.example/api/v1/exams/42', '/exams/a%2Fb'],
    ...['http://proctor.example/api/v1/exams', 'https://proctor.example@elsewhere.example/api/v1/exams'],
    ...['https://user:secret@proctor.example/api/v1/exams', '//elsewhere.example/exams', 'file:///etc/passwd', '/exams/../../admin'],
    ...['/exams/.%2E/x', '/exams/42#fragment', '/exams/42\r\nx: y'],
  ])('%j is refused, and nothing is sent', async (path) => {
    const { code, stdout, stderr } = await exchange(['api', 'GET', path], []);
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('Nothing was sent');
  });
});

describe('a success that says no', () => {
  const session = '/api/v1/student_sessions/7';
  const before = get(session, { id: 7, name: 'Bob' });
  const answered = (argv: readonly string[], method: string, body: unknown, ...then: Exchange[]) =>
    exchange(
      ['api', method, '/student_sessions/7', ...argv, '--yes', '-o', 'json'],
      [
        ...(method === 'GET' ? [] : [before]),
        { method, path: session, ...(argv.length > 0 ? { body: { name: 'Ada' } } : {}), bare: true, reply: [200, body] },
        ...then,
      ],
    );
  const name = ['-F', 'name=Ada'];

  test.each([
    ['PATCH', name, { success: false, message: 'locked' }],
    ['PUT', name, { ok: false, message: 'locked' }],
    ['DELETE', [], { error: 'locked' }],
    ['PATCH', name, { updated: 3, errors: ['it is locked'] }],
  ])('is printed, and ends with 7 unless a read shows that it was done: %s %j, %j', async (method, argv, body) => {
    const { code, stdout, stderr } = await answered(argv, method, body, before);
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 7, answer: body });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'not_applied',
      message: expect.stringMatching(/carried out: .*locked\. Read afterwards/),
    });
    const done: Exchange = method === 'DELETE' ? get(session, {}, 404) : get(session, { id: 7, name: 'Ada' });
    const settled = await answered(argv, method, body, done);
    expect({ code: settled.code, answer: JSON.parse(settled.stdout) }).toEqual({ code: 0, answer: body });
  });

  test.each([{ id: 7, deleted: false }, { student: { id: 7, done: false } }, { success: true }])(
    'is not seen in a resource, or where it says yes: %j',
    async (body) => {
      expect((await answered(name, 'PATCH', body, get(session, { id: 7, name: 'Ada' }))).code).toBe(0);
    },
  );

  test('is of no concern for a read', async () => {
    expect((await answered([], 'GET', { success: false })).code).toBe(0);
  });

  test.each([
    [{ success: false, message: 'locked' }, 7, 'it was not carried out: message: locked.'],
    [{ updated: 3, errors: ['one is locked'] }, 10, 'not all of it was carried out: errors: one is locked.'],
  ])('to a request that is not in the table is all that is known: %j ends with %i', async (body, status, said) => {
    const { code, stdout, stderr } = await exchange('api POST /things -o json', [post('/things', undefined, body, 200)]);
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: status, answer: body });
    expect(JSON.parse(stderr).error.message).toContain(said);
  });
});

describe('what is an operation of the table is proven as that, after the one request', () => {
  const student = { id: 9, email: 'ada@example.org' };

  test('a student is looked for before and after, and the answer is printed as it came', async () => {
    const { code, stdout } = await exchange(
      'api POST /exams/3/add_student -f email=ada@example.org -o json',
      created(post('/exams/3/add_student', { email: 'ada@example.org' }, { student })),
    );
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { student } });
  });

  test('an answer that names another student ends with 9', async () => {
    const { code } = await exchange(
      'api POST /exams/3/add_student -f email=ada@example.org',
      created(post('/exams/3/add_student', { email: 'ada@example.org' }, student), { ...student, email: 'bob@example.org' }),
    );
    expect(code).toBe(9);
  });

  test('an update that was not done ends with 7', async () => {
    const { code, stderr } = await exchange('api PATCH /exams/42 -F name=Analysis', [
      get('/api/v1/exams/42', { id: 42, name: 'Algebra' }),
      patch('/exams/42', { name: 'Analysis' }, { id: 42 }),
      { ...get('/api/v1/exams/42', { id: 42, name: 'Algebra' }), often: true },
    ]);
    expect(code).toBe(7);
    expect(stderr).toContain('name is "Algebra", not "Analysis"');
  });

  test('a deletion asks about what it has read, and deletes only that', async () => {
    const [look, ...removed] = gone('/api/v1/student_sessions/7', { email: 'ada@example.org', status: 'registered' });
    const { code, questions } = await exchange('api DELETE /student_sessions/7', [look, look, ...removed] as Exchange[], {
      tty: true,
      answers: [true],
    });
    expect(questions).toEqual([expect.stringMatching(/^Delete student session 7 \(ada@example.org, registered\) at /)]);
    expect(code).toBe(0);
  });
});

const students = get('/api/v1/exams/42/student_sessions', [{ id: 1, status: 'registered' }]);

describe('fields', () => {
  test('are the query of a GET', () =>
    succeeds(['api', 'get', '/exams?a=1', '-F', 'page=2', '-f', 'q=x y&z'], [get('/exams?a=1&page=2&q=x+y%26z', [])]));

  test.each(['POST', 'PUT', 'PATCH'])('are the JSON body of a %s', (method) =>
    succeeds(
      ['api', method.toLowerCase(), '/things/1', '-F', 'a=1', '-F', 'big=9007199254740993', '-f', 'b=2'],
      [{ method, path: '/api/v1/things/1', text: '{"a":1,"big":9007199254740993,"b":"2"}', reply: [200, {}] }],
    ),
  );

  test('are the body of a DELETE, too', () =>
    succeeds(
      'api DELETE /exams/1/proctor_pool --body - --yes',
      [del('/exams/1/proctor_pool', { proctors: [4, 5] }), get('/api/v1/exams/1/proctor_pool', [])],
      { stdin: '{"proctors":[4,5]}' },
    ));

  test('that are absent make no body', () =>
    succeeds('api POST /exams/42/send_emails --yes', [students, post('/exams/42/send_emails', undefined, { sent: 3 }, 202)]));

  test('are sent as they are, times and all', () =>
    succeeds('api PATCH /exams/42 -F end_time=2027-02-01T10:00:00+01:00', [
      get('/api/v1/exams/42', { id: 42, end_time: '2027-02-01T08:00:00Z' }),
      patch('/exams/42', { end_time: '2027-02-01T10:00:00+01:00' }, {}),
      get('/api/v1/exams/42', { id: 42, end_time: '2027-02-01T09:00:00Z' }),
    ]));
});

describe('an answer', () => {
  test('keeps every digit and every field', async () => {
    const body = '{"id":12345678901234567890,"x":{"y":[1.5,null]},"__proto__":1}';
    const { stdout } = await exchange('api GET /exams/1 -o json', [get('/exams/1', body)]);
    expect(stdout.replace(/\s/g, '')).toBe(body);
  });

  test('is not taken out of its wrapper', async () => {
    const { stdout } = await exchange('api GET /exams -o json', [get('/exams', { exams: [{ id: 1 }], total: 9 })]);
    expect(JSON.parse(stdout)).toEqual({ exams: [{ id: 1 }], total: 9 });
  });

  test('without a body prints nothing', async () => {
    const { code, stdout } = await exchange('api GET /exams/1 -o json', [{ method: 'GET', path: '/api/v1/exams/1' }]);
    expect([code, stdout]).toEqual([0, '']);
  });
});

describe('the removed operation is refused before any request', () => {
  test.each([
    ['POST', '/student_sessions/1/end_exam'],
    ['POST', '/student_sessions/1/%65nd_exam'],
    ['POST', 'https://proctor.example/api/v1/student_sessions/1/end_exam'],
    ['GET', '/student_sessions/1/end_exam'],
  ])('%s %s', async (method, path) => {
    for (const more of [[], ['--yes'], ['--dry-run']]) {
      const { code, stdout, stderr } = await exchange(['api', method, path, ...more], []);
      expect(code).toBe(5);
      expect(stdout).toBe('');
      expect(stderr).toContain('2022-05-17');
    }
  });

  test('also without a profile or a token', async () => {
    const { code } = await exchange('api POST /student_sessions/1/end_exam', [], {
      env: { PROCTOR_TOKEN: '', PROCTOR_BASE_URL: '' },
    });
    expect(code).toBe(5);
  });
});

describe('the rules of the commands hold', () => {
  test.each(['PUT', 'PATCH'])('a %s that names one restriction would reset the others: refused', async (method) => {
    for (const path of ['/exams/42', '/exams/42?x=1']) {
      const { code, stderr } = await exchange(['api', method, path, '-F', 'allow_headphones=true'], []);
      expect(code).toBe(3);
      expect(stderr).toContain('allow_whiteboard, allow_leave_room, allow_pen_paper');
    }
    const { code } = await exchange(['api', method, '/exams/42', '--body', '-'], [], { stdin: '{"exam":{"allow_headphones":true}}' });
    expect(code).toBe(3);
  });

  test('with all four it is sent', async () => {
    const body = { allow_headphones: true, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true };
    await succeeds('api PUT /exams/42 --body -', around(put('/exams/42', body, { id: 42 })), { stdin: JSON.stringify(body) });
  });

  test('--dry-run shows the request and sends nothing', async () => {
    const { code, stdout } = await exchange('api POST /exams/42/send_emails -F a=1 --dry-run -o json', [students]);
    expect(code).toBe(0);
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'proctor-cli',
      authorization: 'apiServiceToken ********',
    };
    expect(JSON.parse(stdout)).toEqual([
      { method: 'POST', url: 'https://proctor.example/api/v1/exams/42/send_emails', headers, body: { a: 1 } },
    ]);
  });

  test('--dry-run shows that a read demands an answer that no cache has kept', async () => {
    const { stdout } = await exchange('api GET /exams/42 --dry-run -o json', []);
    const headers = {
      accept: 'application/json',
      'cache-control': 'no-cache',
      'user-agent': 'proctor-cli',
      authorization: 'apiServiceToken ********',
    };
    expect(JSON.parse(stdout)).toEqual([{ method: 'GET', url: 'https://proctor.example/api/v1/exams/42', headers }]);
  });

  test.each([['api'], ['api', 'GET'], ['api', 'HEAD', '/exams'], ['api', 'OPTIONS', '/exams'], ['api', 'CONNECT', '/exams']])(
    '%j %j %j is a usage error',
    async (...argv) => {
      expect((await exchange(argv.filter(Boolean), [])).code).toBe(2);
    },
  );
});

describe('requests that no command sends', () => {
  test.each([
    [['PATCH', '/student_sessions/7', '-F', 'level_of_suspicion=3'], 'level_of_suspicion is read-only'],
    [['PATCH', '/student_sessions/7?level_of_suspicion=3'], 'level_of_suspicion is read-only'],
    [['GET', '/student_sessions?Level_Of_Suspicion=3'], 'level_of_suspicion is read-only'],
    [['GET', '/student_sessions', '-F', 'level_of_suspicion=3'], 'level_of_suspicion is read-only'],
    [['PATCH', '/student_sessions/7?%6Cevel_of_suspicion=3'], 'level_of_suspicion is read-only'],
    [['PATCH', '/v2/anything?filter%5Blevel_of_suspicion%5D=3'], 'level_of_suspicion is read-only'],
    [['PATCH', '/student_sessions/7', '-F', 'skip_requirements=true'], 'skip_requirements can only be set when a student is added'],
    [['PUT', '/student_sessions/7', '-F', 'SKIP_REQUIREMENTS=true'], 'skip_requirements can only be set when a student is added'],
    [['PATCH', '/student_sessions/7?skip_requirements=true'], 'skip_requirements can only be set when a student is added'],
    [['POST', '/exams/3/student_sessions', '-f', 'open_time=2027-01-01T09:00:00Z'], 'open_time cannot be set when a student is added'],
    [['POST', '/exams/3/add_student', '--body', '-'], 'open_time cannot be set when a student is added'],
    [['POST', '/exams/3/student_sessions?open_time=x'], 'open_time cannot be set when a student is added'],
    [['PATCH', '/student_sessions/7', '-F', 'status=exam_finished'], 'status is set by the service'],
  ])('is refused by name, and nothing is sent: %j', async (argv, reason) => {
    const { code, stdout, stderr } = await exchange(['api', ...argv], [], { stdin: '{"student":{"open_time":"2027-01-01T09:00:00Z"}}' });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('Nothing was sent.');
    expect((await exchange(['api', ...argv, '--dry-run'], [], { stdin: '{"student":{"open_time":"x"}}' })).code).toBe(5);
  });

  test.each([
    [['GET', '/student_sessions?status=mail_send']],
    [['GET', '/exams/3/student_sessions', '-F', 'status=Mail_Send']],
    [['GET', '/student_sessions?status[]=registered,mail%5Fsend']],
    [['PATCH', '/things/1', '-F', 'state=mail_send']],
  ])('is called by its name since 2022-03-27: %j', async (argv) => {
    const { code, stderr } = await exchange(['api', ...argv], []);
    expect(code).toBe(3);
    expect(stderr).toContain('The status mail_send has been called mail_sent since 2022-03-27.');
  });

  test.each([
    ['POST /exams/3/student_sessions -F skip_requirements=true', { skip_requirements: true }],
    ['PATCH /student_sessions/7 -f open_time=2027-01-01T09:00:00Z', { open_time: '2027-01-01T09:00:00Z' }],
    ['PATCH /things/1 -F status=open -f note=mail_send_it', { status: 'open', note: 'mail_send_it' }],
  ])('is no more than that: %s', async (line, body) => {
    const [method = '', path = ''] = line.split(' ');
    const sent: Exchange = { method, path: `/api/v1${path}`, body, reply: [200, { id: 8 }] };
    const all = path.startsWith('/things') ? [sent] : method === 'POST' ? created(sent) : around(sent);
    // One read serves it: it is sent as it was typed.
    const once = all.filter((each, at) => each !== all[at - 1]);
    await succeeds(['api', ...line.split(' ')], once);
  });
});
