/** `api METHOD PATH`: requests are sent as typed, under the same rules as the commands. */
import { describe, expect, test } from 'vitest';
import { around, created, del, type Exchange, exchange, get, gone, patch, post, put, succeeds } from './exchanges.ts';

const seven = '/student_sessions/7';
const pool = '/exams/1/proctor_pool';
const students = get('/exams/42/student_sessions', [{ id: 1, status: 'registered' }]);
const restrictions = { allow_headphones: true, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true };

test.each<[line: string | string[], exchanges: Exchange[], stdin?: string]>([
  ['api GET /exams/42', [get('/exams/42', { id: 42 })]],
  ['api get exams/42', [get('/exams/42', { id: 42 })]],
  ['api GET /api/v1/exams/42', [get('/exams/42', { id: 42 })]],
  ['api GET /new/thing?a=1&b=x%20y', [get('/new/thing?a=1&b=x%20y', [])]],
  ['api GET /exams?next=https://elsewhere.example/', [get('/exams?next=https://elsewhere.example/', [])]],
  ['api GET /exams?q=end_exam', [get('/exams?q=end_exam', [])]],
  // Fields are the query of a GET, and the body of any other request.
  [['api', 'get', '/exams?a=1', '-F', 'page=2', '-f', 'q=x y&z'], [get('/exams?a=1&page=2&q=x+y%26z', [])]],
  ...['POST', 'PUT', 'PATCH'].map((method): [string, Exchange[]] => [
    `api ${method.toLowerCase()} /things/1 -F a=1 -F big=9007199254740993 -F huge=1e400 -f b=2`,
    [{ method, path: '/api/v1/things/1', text: '{"a":1,"big":9007199254740993,"huge":1e400,"b":"2"}', reply: [200, {}] }],
  ]),
  [
    'api DELETE /exams/1/proctor_pool --body - --yes',
    [get(pool, [{ id: 4 }]), del(pool, { proctors: [4, 5] }), get(pool, [])],
    '{"proctors":[4,5]}',
  ],
  ['api POST /exams/42/send_emails --yes', [students, students, post('/exams/42/send_emails', undefined, { sent: 3 }, 202)]],
  // They are sent as they are, times and all.
  [
    'api PATCH /exams/42 -F end_time=2027-02-01T10:00:00+01:00',
    [
      get('/exams/42', { id: 42, end_time: '2027-02-01T08:00:00Z' }),
      patch('/exams/42', { end_time: '2027-02-01T10:00:00+01:00' }, {}),
      get('/exams/42', { id: 42, end_time: '2027-02-01T09:00:00Z' }),
    ],
  ],
  ['api PUT /exams/42 --body -', around(put('/exams/42', restrictions, { id: 42 })), JSON.stringify(restrictions)],
])('%s', async (line, exchanges, stdin) => succeeds(line, exchanges, stdin === undefined ? {} : { stdin }));

test.each([
  ...['https://elsewhere.example/api/v1/exams', 'https://proctor.example/api/v1/exams/42', '/exams/a%2Fb', '//elsewhere.example/exams'],
  ...['https://proctor.example@elsewhere.example/api/v1/exams', 'https://user:secret@proctor.example/api/v1/exams', 'file:///etc/passwd'],
  ...['/exams/../../admin', '/exams/.%2E/x', '/exams/42#fragment', '/exams/42\r\nx: y'],
])('%j is refused, and nothing is sent', async (path) => {
  const { code, stdout, stderr } = await exchange(['api', 'GET', path], []);
  expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('Nothing was sent')]);
});

describe('a success that says no', () => {
  const answered = (argv: readonly string[], method: string, body: unknown, ...then: Exchange[]) =>
    exchange(
      ['api', method, seven, ...argv, '--yes', '-o', 'json'],
      [
        ...Array({ GET: 0, DELETE: 2 }[method] ?? 1).fill(get(seven, { id: 7, name: 'Bob' })),
        { method, path: `/api/v1${seven}`, ...(argv.length > 0 ? { body: { name: 'Ada' } } : {}), bare: true, reply: [200, body] },
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
    const { code, stdout, stderr } = await answered(argv, method, body, get(seven, { id: 7, name: 'Bob' }));
    expect([code, JSON.parse(stdout)]).toEqual([7, body]);
    const message = expect.stringMatching(/carried out: .*locked\. Read afterwards/);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'not_applied', message });
    const done = method === 'DELETE' ? get(seven, {}, 404) : get(seven, { id: 7, name: 'Ada' });
    const settled = await answered(argv, method, body, done);
    expect([settled.code, JSON.parse(settled.stdout)]).toEqual([0, body]);
  });

  const shown = [{ id: 7, deleted: false }, { student: { id: 7, done: false } }, { success: true }];
  test.each(shown)('is not seen in a resource, or where it says yes (%j), and is of no concern for a read', async (body) => {
    expect((await answered(name, 'PATCH', body, get(seven, { id: 7, name: 'Ada' }))).code).toBe(0);
    expect((await answered([], 'GET', { success: false })).code).toBe(0);
  });

  test.each([
    [{ success: false, message: 'locked' }, 7, 'it was not carried out: locked.'],
    [{ status: 'error', message: 'locked' }, 7, 'it was not carried out: status: error; locked.'],
    [{ updated: 3, errors: ['one is locked'] }, 10, 'not all of it was carried out: errors: one is locked.'],
  ])('to a request that is not in the table is all that is known: %j ends with %i', async (body, status, said) => {
    const { code, stdout, stderr } = await exchange('api POST /things -o json', [post('/things', undefined, body, 200)]);
    expect([code, JSON.parse(stdout)]).toEqual([status, body]);
    expect(JSON.parse(stderr).error.message).toContain(said);
  });
});

describe('what is an operation of the table is proven as that, after the one request', () => {
  const student = { id: 9, email: 'ada@example.org' };
  const add = 'api POST /exams/3/add_student -f email=ada@example.org';
  const sent = (reply: object) => post('/exams/3/add_student', { email: 'ada@example.org' }, reply);

  test('a student is looked for before and after, and the answer is printed as it came; another student in it ends with 9', async () => {
    const { code, stdout } = await exchange(`${add} -o json`, created(sent({ student })));
    expect([code, JSON.parse(stdout)]).toEqual([0, { student }]);
    const bob = { ...student, email: 'bob@example.org' };
    expect((await exchange(add, [...created(sent(student), bob), get('/student_sessions/9', bob)])).code).toBe(9);
  });

  test('an update that was not done ends with 7', async () => {
    const before = get('/exams/42', { id: 42, name: 'Algebra' });
    const exchanges = [before, patch('/exams/42', { name: 'Analysis' }, { id: 42 }), { ...before, often: true } as const];
    const { code, stderr } = await exchange('api PATCH /exams/42 -F name=Analysis', exchanges);
    expect([code, stderr]).toEqual([7, expect.stringContaining('name is "Algebra", not "Analysis"')]);
  });

  test('a deletion asks about what it has read, and deletes only that', async () => {
    const [look, ...removed] = gone(`/api/v1${seven}`, { email: 'ada@example.org', status: 'registered' });
    const world = { tty: true, answers: [true] };
    const { code, questions } = await exchange(`api DELETE ${seven}`, [look, look, ...removed] as Exchange[], world);
    expect([code, questions]).toEqual([
      0,
      [expect.stringMatching(/^Delete student session 7 \(ada@example.org, registered\), which cannot be undone, at /)],
    ]);
  });
});

test.each([
  ['keeps every digit and every field', '/exams/1', '{"id":12345678901234567890,"x":{"y":[1.5,null]},"__proto__":1}\n'],
  ['is not taken out of its wrapper', '/exams', '{"exams":[{"id":1}],"total":9}\n'],
  ['without a body prints nothing', '/exams/1', ''],
])('an answer %s', async (_what, path, body) => {
  const { code, stdout } = await exchange(`api GET ${path} -o json`, [get(path, body)]);
  expect([code, stdout]).toEqual([0, body]);
});

test.each([
  `POST ${seven}/end_exam`,
  `POST ${seven}/%65nd_exam`,
  `POST https://proctor.example/api/v1${seven}/end_exam`,
  `GET ${seven}/end_exam`,
])('the removed operation is refused before any request, also without a profile or a token: %s', async (request) => {
  for (const more of ['', ' --yes', ' --dry-run']) {
    const { code, stdout, stderr } = await exchange(`api ${request}${more}`, [], { env: { PROCTOR_TOKEN: '', PROCTOR_BASE_URL: '' } });
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringContaining('2022-05-17')]);
  }
});

describe('the rules of the commands hold', () => {
  test.each(['PUT', 'PATCH'])('a %s that names one restriction would reset the others: refused', async (method) => {
    for (const path of ['/exams/42', '/exams/42?x=1']) {
      const { code, stderr } = await exchange(`api ${method} ${path} -F allow_headphones=true`, []);
      expect([code, stderr]).toEqual([3, expect.stringContaining('allow_whiteboard, allow_leave_room, allow_pen_paper')]);
    }
    const wrapped = await exchange(`api ${method} /exams/42 --body -`, [], { stdin: '{"exam":{"allow_headphones":true}}' });
    expect(wrapped.code).toBe(3);
  });

  test('--dry-run shows the request and sends nothing; a read ignores it, and demands an answer that no cache has kept', async () => {
    const headers = { accept: 'application/json', 'user-agent': 'proctor-cli', authorization: 'apiServiceToken ********' };
    const mails = await exchange('api POST /exams/42/send_emails -F a=1 --dry-run -o json', [students]);
    const url = 'https://proctor.example/api/v1/exams/42';
    const asJson = { ...headers, 'content-type': 'application/json' };
    expect(JSON.parse(mails.stdout)).toEqual([{ method: 'POST', url: `${url}/send_emails`, headers: asJson, body: { a: 1 } }]);
    const read = await exchange('api GET /exams/42 --dry-run -o json', [get('/exams/42', { id: 42 })]);
    expect(JSON.parse(read.stdout)).toEqual({ id: 42 });
  });

  test.each(['api', 'api GET', 'api HEAD /exams', 'api OPTIONS /exams', 'api CONNECT /exams'])('%s is a usage error', async (line) => {
    expect((await exchange(line, [])).code).toBe(2);
  });
});

describe('requests that no command sends', () => {
  const [rated, skipped, opened] = ['level_of_suspicion is read-only', 'skip_requirements can only be set', 'open_time cannot be set when'];
  test.each([
    ['PATCH /student_sessions/7 -F level_of_suspicion=3', rated],
    ['PATCH /student_sessions/7?level_of_suspicion=3', rated],
    ['GET /student_sessions?Level_Of_Suspicion=3', rated],
    ['GET /student_sessions -F level_of_suspicion=3', rated],
    ['PATCH /student_sessions/7?%6Cevel_of_suspicion=3', rated],
    ['PATCH /v2/anything?filter%5Blevel_of_suspicion%5D=3', rated],
    ['PATCH /student_sessions/7 -F skip_requirements=true', skipped],
    ['PUT /student_sessions/7 -F SKIP_REQUIREMENTS=true', skipped],
    ['PATCH /student_sessions/7?skip_requirements=true', skipped],
    ['POST /exams/3/student_sessions -f open_time=2027-01-01T09:00:00Z', opened],
    ['POST /exams/3/add_student --body -', opened],
    ['POST /exams/3/student_sessions?open_time=x', opened],
    ['PATCH /student_sessions/7 -F status=exam_finished', 'status is set by the service'],
  ])('is refused by name, and nothing is sent: %s', async (request, reason) => {
    const world = { stdin: '{"student":{"open_time":"2027-01-01T09:00:00Z"}}' };
    const { code, stdout, stderr } = await exchange(`api ${request}`, [], world);
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringContaining(reason)]);
    expect(stderr).toContain('Nothing was sent.');
    expect((await exchange(`api ${request} --dry-run`, [], world)).code).toBe(5);
  });

  test.each([
    'GET /student_sessions?status=mail_send',
    'GET /exams/3/student_sessions -F status=Mail_Send',
    'GET /student_sessions?status[]=registered,mail%5Fsend',
    'PATCH /things/1 -F state=mail_send',
  ])('is called by its name since 2022-03-27: %s', async (request) => {
    const { code, stderr } = await exchange(`api ${request}`, []);
    expect([code, stderr]).toEqual([3, expect.stringContaining('The status mail_send has been called mail_sent since 2022-03-27.')]);
  });

  test.each([
    [
      'POST /exams/3/student_sessions -F skip_requirements=true',
      created(post('/exams/3/student_sessions', { skip_requirements: true }, { id: 8 })),
    ],
    // One read serves it: it is sent as it was typed.
    [`PATCH ${seven} -f open_time=2027-01-01T09:00:00Z`, around(patch(seven, { open_time: '2027-01-01T09:00:00Z' }, { id: 8 })).slice(1)],
    ['PATCH /things/1 -F status=open -f note=mail_send_it', [patch('/things/1', { status: 'open', note: 'mail_send_it' }, { id: 8 })]],
  ])('is no more than that: %s', (request, exchanges) => succeeds(`api ${request}`, exchanges));
});
