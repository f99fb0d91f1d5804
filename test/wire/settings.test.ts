/** The effect of a profile's settings on requests: address, prefix, institute, and the assumptions of the dialect. */
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';
import { around, created, del, type Exchange, exchange, get, patch, pooled, post, succeeds, token } from './exchanges.ts';

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
const close = '2027-02-01T10:00:00Z';
const session = { id: 7 };

describe('a setting of the dialect', () => {
  const sessions = '/exams/42/student_sessions';
  const pool = '/exams/42/proctor_pool';
  const [four, five] = [{ id: 4 }, { id: 5 }];
  test.each<[string, string, string, Exchange[]]>([
    ['studentSelector', 'student_id', 'students show --exam 42 --session 7 -o json', [get('/exams/42/show_student?student_id=7', session)]],
    ['sessionNameKey', 'full_name', 'sessions create --exam 42 --name Ada', created(post(sessions, { full_name: 'Ada' }, session))],
    ['proctorsKey', 'proctor_ids', 'proctors add 4 5 --exam 42', pooled(post(pool, { proctor_ids: [4, 5] }), [four, five])],
    ['proctorsKey', 'proctor_ids', 'proctors remove 4 --exam 42 --yes', pooled(del(pool, { proctor_ids: [4] }), [five], [four, five])],
    ['proctorValues', 'string', 'proctors add 4 --exam 42', pooled(post(pool, { proctors: ['4'] }), [four])],
    [
      'timeFormat',
      'epoch-s',
      `sessions update 7 --close-time ${close}`,
      around(patch('/student_sessions/7', { close_time: 1_801_476_000 }, session)),
    ],
  ])('%s %s changes what is sent: %s', async (key, value, line, expected) => {
    const { code, stderr } = await exchange(line, expected, { home: await homeWith({ [`dialect.${key}`]: value }), now });
    expect([code, stderr]).toEqual([0, '']);
  });

  test('that allows a few values refuses others', async () => {
    expect((await run(['config', 'set', 'dialect.timeFormat', 'rfc-2822'])).code).toBe(3);
  });
});

describe('reading is tolerant', () => {
  test('an exam that is shown in a wrapper keeps its restrictions together', async () => {
    const shown = { allow_headphones: false, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: true };
    const wanted = { ...shown, allow_leave_room: true };
    const path = '/api/v1/exams/42';
    await succeeds('exams update 42 --allow-leave-room', [
      get(path, { exam: { id: 42, ...shown } }),
      { method: 'PATCH', path, body: wanted, bare: true, reply: [200, { exam: { id: 42, ...wanted } }] },
      get(path, { data: { id: 42, ...wanted } }),
    ]);
  });

  const one = { id: 7, email: 'a' };
  const [list, show] = ['exams list -o json', 'sessions get 7 -o json'];
  const pausedSession = '[{"id":9007199254740993,"status":"paused","more":{"a":[1]}}]';
  test.each<[what: string, line: string, body: unknown, printed: string, settings?: Record<string, string>]>([
    ['a bare list', list, [{ id: 1 }], '[{"id":1}]\n'],
    ['a list under its name', list, { exams: [{ id: 1 }] }, '[{"id":1}]\n'],
    ['a list under results', list, { count: 1, results: [{ id: 1 }] }, '[{"id":1}]\n'],
    ['a list of items under their name', list, [{ exam: { id: 1 } }], '[{"id":1}]\n'],
    ['an item with an exam in it', list, [{ id: 7, exam: { id: 5 } }], '[{"id":7,"exam":{"id":5}}]\n'],
    ['an item with something beside the exam', list, [{ exam: { id: 5 }, more: 1 }], '[{"exam":{"id":5},"more":1}]\n'],
    ['a list under a name of the profile', list, { rows: [{ id: 1 }] }, '[{"id":1}]\n', { 'dialect.listKey': 'rows' }],
    ['an ID under a name of the profile', 'exams list -o id', [{ uid: 1 }, { uid: 2, id: 9 }], '1\n2\n', { 'dialect.idKey': 'uid' }],
    ['sessions under sessions', 'sessions list -o id', { sessions: [{ id: 7 }] }, '7\n'],
    ['sessions under students', 'sessions list -o id', { students: [{ id: 7 }] }, '7\n'],
    ['one whose ID has a name of the profile', show, { student: { uid: 7, id: 9 } }, '{"id":7,"uid":7}\n', { 'dialect.idKey': 'uid' }],
    ['a bare session', show, one, '{"id":7,"email":"a"}\n'],
    ...['student', 'session', 'student_session', 'data'].map((name): [string, string, object, string] => [
      `a session under ${name}`,
      show,
      { [name]: one },
      '{"id":7,"email":"a"}\n',
    ]),
    ['a session inside data', show, { status: 'success', data: { student_session: one } }, '{"id":7,"email":"a"}\n'],
    [
      'a session under the name of the lists',
      show,
      { payload: { student: one } },
      '{"id":7,"email":"a"}\n',
      { 'dialect.listKey': 'payload' },
    ],
    ['unknown fields and statuses, and long numbers', 'sessions list -o json', pausedSession, `${pausedSession}\n`],
  ])('%s: %s', async (_what, line, body, printed, settings = {}) => {
    const path = line.startsWith('exams') ? '/api/v1/exams' : `/api/v1/student_sessions${line.includes(' 7') ? '/7' : ''}`;
    const read = await exchange(line, [get(path, body)], { home: await homeWith(settings) });
    expect(read.stdout).toBe(printed);
  });
});

test('pages are followed by Link', async () => {
  const link = '<https://proctor.example/api/v1/exams?cursor=b>; rel="next", <https://proctor.example/api/v1/exams>; rel="first"';
  const page = (path: string, id: number, link: string): Exchange => ({ ...get(path, []), reply: [200, [{ id }], { link }] });
  const pages = [
    page('/exams', 1, link),
    page('/exams?cursor=b', 2, '</api/v1/exams?cursor=c>; rel=next'),
    get('/exams?cursor=c', [{ id: 3 }]),
  ];
  expect(await exchange('exams list -o id', pages)).toMatchObject({ code: 0, stdout: '1\n2\n3\n' });
});

describe('address and identity', () => {
  test('the prefix of the profile stands before the token', async () => {
    const home = await homeWith({ authPrefix: 'apiExampleToken' });
    const expected: Exchange = { method: 'GET', path: '/api/v1/exams', authorization: `apiExampleToken ${token}`, reply: [200, []] };
    await succeeds('exams list', [expected], { home });
  });

  const spellings = ['https://proctor.example/api/v1', 'https://proctor.example/api/v1/', 'proctor.example', 'https://PROCTOR.example/'];
  test.each(spellings)('the base URL %s', async (url) => {
    const expected: Exchange = get('/exams', []);
    await succeeds('exams list', [expected], { env: { PROCTOR_BASE_URL: url } });
    await succeeds(['--base-url', url, 'exams', 'list'], [expected], { env: { PROCTOR_BASE_URL: 'https://elsewhere.example' } });
  });

  test('a path before /api/v1 stays', () =>
    succeeds('exams list', [get('/tenant/api/v1/exams', [])], {
      env: { PROCTOR_BASE_URL: 'https://proctor.example/tenant/api/v1' },
    }));

  test('without a token nothing is sent', async () => {
    expect((await exchange('exams list', [], { env: { PROCTOR_TOKEN: '' } })).code).toBe(4);
  });

  test('the institute comes from the flag, the environment or the profile', async () => {
    const of = (id: number): Exchange => get(`/institutes/${id}/users`, []);
    const home = await homeWith({ institute: '1' });
    await succeeds('users list', [of(1)], { home });
    await succeeds('users list', [of(2)], { home, env: { PROCTOR_INSTITUTE: '2' } });
    await succeeds('users list --institute 3', [of(3)], { home, env: { PROCTOR_INSTITUTE: '2' } });
    expect((await exchange('users list', [])).code).toBe(2);
  });
});
