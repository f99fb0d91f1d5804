/** The effect of a profile's settings on requests: address, prefix, institute, and the assumptions of the dialect. */
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';
import { around, created, type Exchange, exchange, pooled, token } from './exchanges.ts';

/** A home whose profile has the given settings. */
async function homeWith(settings: Record<string, string>): Promise<string> {
  const home = temporaryFolder();
  for (const [key, value] of Object.entries({ protectRunningExams: 'off', ...settings })) {
    const { code, stderr } = await run(['config', 'set', key, value], { home });
    expect(code, stderr).toBe(0);
  }
  return home;
}

const now = '2027-01-01T00:00:00Z';
const session = { id: 7 };

describe('a setting of the dialect', () => {
  const cases: [Record<string, string>, string, Exchange[]][] = [
    [
      { 'dialect.studentSelector': 'student_id' },
      'students show --exam 42 --session 7',
      [{ method: 'GET', path: '/api/v1/exams/42/show_student?student_id=7', reply: [200, session] }],
    ],
    [
      { 'dialect.sessionNameKey': 'full_name' },
      'sessions create --exam 42 --name Ada',
      created({ method: 'POST', path: '/api/v1/exams/42/student_sessions', body: { full_name: 'Ada' }, reply: [201, session] }),
    ],
    [
      { 'dialect.proctorsKey': 'proctor_ids' },
      'proctors add 4 5 --exam 42',
      pooled({ method: 'POST', path: '/api/v1/exams/42/proctor_pool', body: { proctor_ids: [4, 5] } }, [{ id: 4 }, { id: 5 }]),
    ],
    [
      { 'dialect.proctorsKey': 'proctor_ids' },
      'proctors remove 4 --exam 42 --yes',
      pooled({ method: 'DELETE', path: '/api/v1/exams/42/proctor_pool', body: { proctor_ids: [4] } }, [{ id: 5 }], [{ id: 4 }, { id: 5 }]),
    ],
    [
      { 'dialect.proctorValues': 'string' },
      'proctors add 4 --exam 42',
      pooled({ method: 'POST', path: '/api/v1/exams/42/proctor_pool', body: { proctors: ['4'] } }, [{ id: 4 }]),
    ],
    [
      { 'dialect.timeFormat': 'epoch-s' },
      'sessions update 7 --close-time 2027-02-01T10:00:00Z',
      around({ method: 'PATCH', path: '/api/v1/student_sessions/7', body: { close_time: 1_801_476_000 }, reply: [200, session] }),
    ],
  ];
  test.each(cases)('%j changes what is sent: %s', async (settings, line, expected) => {
    const { code, stderr } = await exchange(line.split(' '), expected, { home: await homeWith(settings), now });
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('that allows a few values refuses others', async () => {
    const { code } = await run(['config', 'set', 'dialect.timeFormat', 'rfc-2822']);
    expect(code).toBe(3);
  });
});

describe('reading is tolerant', () => {
  test('an exam that is shown in a wrapper keeps its restrictions together', async () => {
    const shown = { allow_headphones: false, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: true };
    const wanted = { ...shown, allow_leave_room: true };
    const path = '/api/v1/exams/42';
    const { code } = await exchange(
      ['exams', 'update', '42', '--allow-leave-room'],
      [
        { method: 'GET', path, reply: [200, { exam: { id: 42, ...shown } }] },
        { method: 'PATCH', path, body: wanted, bare: true, reply: [200, { exam: { id: 42, ...wanted } }] },
        { method: 'GET', path, reply: [200, { data: { id: 42, ...wanted } }] },
      ],
    );
    expect(code).toBe(0);
  });

  const wrapped: [string, unknown][] = [
    ['bare', [{ id: 1 }]],
    ['under its name', { exams: [{ id: 1 }] }],
    ['under data', { data: [{ id: 1 }], meta: { total: 1 } }],
    ['under items', { items: [{ id: 1 }] }],
    ['under results', { count: 1, results: [{ id: 1 }] }],
    ['of items under its name', [{ exam: { id: 1 } }]],
  ];
  test.each(wrapped)('a list %s', async (_where, body) => {
    const { stdout } = await exchange(['exams', 'list', '-o', 'json'], [{ method: 'GET', path: '/api/v1/exams', reply: [200, body] }]);
    expect(JSON.parse(stdout)).toEqual([{ id: 1 }]);
  });

  test.each(['student_sessions', 'sessions', 'students'])('a list of sessions under %s', async (name) => {
    const { stdout } = await exchange(
      ['sessions', 'list', '-o', 'id'],
      [{ method: 'GET', path: '/api/v1/student_sessions', reply: [200, { [name]: [{ id: 7 }] }] }],
    );
    expect(stdout).toBe('7\n');
  });

  test('the ID under a name of the profile is shown as id', async () => {
    const home = await homeWith({ 'dialect.idKey': 'uid' });
    const { stdout } = await exchange(
      ['exams', 'list', '-o', 'csv', '--columns', 'id,uid'],
      [{ method: 'GET', path: '/api/v1/exams', reply: [200, [{ uid: 1 }, { uid: 2, id: 9 }]] }],
      { home },
    );
    expect(stdout).toBe('id,uid\r\n1,1\r\n2,2\r\n');
  });

  test('a list under a name of the profile', async () => {
    const home = await homeWith({ 'dialect.listKey': 'rows' });
    const { stdout } = await exchange(
      ['exams', 'list', '-o', 'json'],
      [{ method: 'GET', path: '/api/v1/exams', reply: [200, { rows: [{ id: 1 }] }] }],
      { home },
    );
    expect(JSON.parse(stdout)).toEqual([{ id: 1 }]);
  });

  test.each([
    { student: { id: 7, email: 'a' } },
    { session: { id: 7, email: 'a' } },
    { student_session: { id: 7, email: 'a' } },
    { data: { id: 7, email: 'a' } },
    { id: 7, email: 'a' },
  ])('one resource as %j', async (body) => {
    const { stdout } = await exchange(
      ['sessions', 'get', '7', '-o', 'json'],
      [{ method: 'GET', path: '/api/v1/student_sessions/7', reply: [200, body] }],
    );
    expect(JSON.parse(stdout)).toEqual({ id: 7, email: 'a' });
  });

  test('an empty list is [] and success', async () => {
    for (const body of [[], { exams: [] }]) {
      const { code, stdout } = await exchange(
        ['exams', 'list', '-o', 'json'],
        [{ method: 'GET', path: '/api/v1/exams', reply: [200, body] }],
      );
      expect([code, JSON.parse(stdout)]).toEqual([0, []]);
    }
  });

  test('unknown fields, unknown statuses and long numbers pass through', async () => {
    const body = '[{"id":9007199254740993,"status":"paused","more":{"a":[1]}}]';
    const { stdout } = await exchange(
      ['sessions', 'list', '-o', 'json'],
      [{ method: 'GET', path: '/api/v1/student_sessions', reply: [200, body] }],
    );
    expect(stdout.replace(/\s/g, '')).toBe(body);
  });
});

describe('pages', () => {
  const ids = (stdout: string) => (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);

  test('are followed by Link', async () => {
    const link = '<https://proctor.example/api/v1/exams?cursor=b>; rel="next", <https://proctor.example/api/v1/exams>; rel="first"';
    const { code, stdout } = await exchange(
      ['exams', 'list', '-o', 'json'],
      [
        { method: 'GET', path: '/api/v1/exams', reply: [200, [{ id: 1 }], { link }] },
        { method: 'GET', path: '/api/v1/exams?cursor=b', reply: [200, [{ id: 2 }], { link: '</api/v1/exams?cursor=c>; rel=next' }] },
        { method: 'GET', path: '/api/v1/exams?cursor=c', reply: [200, [{ id: 3 }]] },
      ],
    );
    expect([code, ids(stdout)]).toEqual([0, [1, 2, 3]]);
  });

  test('are followed by the X-Pagination headers', async () => {
    const page = (number: number) => ({
      'X-Pagination-Current-Page': String(number),
      'X-Pagination-Page-Count': '2',
      'X-Pagination-Total-Count': '2',
    });
    const { code, stdout } = await exchange(
      ['sessions', 'list', '--exam', '42', '-o', 'json'],
      [
        { method: 'GET', path: '/api/v1/exams/42/student_sessions', reply: [200, [{ id: 1 }], page(1)] },
        { method: 'GET', path: '/api/v1/exams/42/student_sessions?page=2', reply: [200, [{ id: 2 }], page(2)] },
      ],
    );
    expect([code, ids(stdout)]).toEqual([0, [1, 2]]);
  });

  test.each([
    ['on another origin', [{ id: 1 }], { link: '<https://elsewhere.example/api/v1/exams?page=2>; rel="next"' }],
    ['that a field promises', { exams: [{ id: 1 }], has_more: true }, {}],
  ])('a next page %s fails the list, and nothing is printed', async (_what, body, headers) => {
    const { code, stdout } = await exchange(
      ['exams', 'list', '-o', 'json'],
      [{ method: 'GET', path: '/api/v1/exams', reply: [200, body, headers] }],
    );
    expect([code, stdout]).toEqual([8, '']);
  });

  test('a next page that the total count promises is asked for, and fails the list if the service has none', async () => {
    const headers = { 'x-pagination-total-count': '2' };
    const first: Exchange = { method: 'GET', path: '/api/v1/exams', reply: [200, [{ id: 1 }], headers] };
    const next = (reply: NonNullable<Exchange['reply']>): Exchange => ({ method: 'GET', path: '/api/v1/exams?page=2', reply });
    const whole = await exchange(['exams', 'list', '-o', 'json'], [first, next([200, [{ id: 2 }], headers])]);
    expect([whole.code, whole.stdout]).toEqual([0, '[{"id":1},{"id":2}]\n']);
    const cut = await exchange(['exams', 'list', '-o', 'json'], [first, next([404, {}])]);
    expect([cut.code, cut.stdout]).toEqual([8, '']);
  });
});

describe('address and identity', () => {
  test('the prefix of the profile stands before the token', async () => {
    const home = await homeWith({ authPrefix: 'apiExampleToken' });
    const expected: Exchange = { method: 'GET', path: '/api/v1/exams', authorization: `apiExampleToken ${token}`, reply: [200, []] };
    expect((await exchange(['exams', 'list'], [expected], { home })).code).toBe(0);
  });

  test.each(['https://proctor.example/api/v1', 'https://proctor.example/api/v1/', 'proctor.example', 'https://PROCTOR.example/'])(
    'the base URL %s',
    async (url) => {
      const expected: Exchange = { method: 'GET', path: '/api/v1/exams', reply: [200, []] };
      expect((await exchange(['exams', 'list'], [expected], { env: { PROCTOR_BASE_URL: url } })).code).toBe(0);
      expect(
        (await exchange(['--base-url', url, 'exams', 'list'], [expected], { env: { PROCTOR_BASE_URL: 'https://elsewhere.example' } })).code,
      ).toBe(0);
    },
  );

  test('a path before /api/v1 stays', async () => {
    const { code } = await exchange(['exams', 'list'], [{ method: 'GET', path: '/tenant/api/v1/exams', reply: [200, []] }], {
      env: { PROCTOR_BASE_URL: 'https://proctor.example/tenant/api/v1' },
    });
    expect(code).toBe(0);
  });

  test.each(['https://proctor.example/api/v2', 'http://proctor.example', 'ftp://proctor.example'])(
    'the base URL %s is refused, and nothing is sent',
    async (url) => {
      expect((await exchange(['exams', 'list'], [], { env: { PROCTOR_BASE_URL: url } })).code).toBe(3);
    },
  );

  test('without a token nothing is sent', async () => {
    expect((await exchange(['exams', 'list'], [], { env: { PROCTOR_TOKEN: '' } })).code).toBe(4);
  });

  test('the institute comes from the flag, the environment or the profile', async () => {
    const of = (id: number): Exchange => ({ method: 'GET', path: `/api/v1/institutes/${id}/users`, reply: [200, []] });
    const home = await homeWith({ institute: '1' });
    expect((await exchange(['users', 'list'], [of(1)], { home })).code).toBe(0);
    expect((await exchange(['users', 'list'], [of(2)], { home, env: { PROCTOR_INSTITUTE: '2' } })).code).toBe(0);
    expect((await exchange(['users', 'list', '--institute', '3'], [of(3)], { home, env: { PROCTOR_INSTITUTE: '2' } })).code).toBe(0);
    expect((await exchange(['users', 'list'], [])).code).toBe(2);
  });
});
