/**
 * Every operation of the specification (section 4) as the command that the contract names for it
 * sends it: typed from the specification, not from the table in src.
 */
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { around, created, del, type Exchange, exchange, get, gone, mailed, patch, pooled, post, put, succeeds } from './exchanges.ts';

const exam = { id: 42, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
const session = { id: 7, email: 'ada@example.org', status: 'registered' };
/** A table shows the exam's times where a session has none of its own. */
const timesOf = get('/exams/42', exam);
const noStudents = get('/api/v1/exams/42/student_sessions', []);

/** The commands of the contract, in its order, one for each operation of the specification, with the reads around each write. */
const cases: [operation: string, line: string, expects: Exchange[]][] = [
  ['GET /exams', 'exams list', [get('/exams', [exam])]],
  ['GET /exams/:id', 'exams get 42', [get('/exams/42', exam)]],
  [
    'POST /exams',
    'exams create --start 2027-02-01T09:00:00+01:00 --end 2027-02-01T11:00:00+01:00',
    created(post('/exams', { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' }, exam)),
  ],
  [
    'PATCH /exams/:id',
    'exams update 42 --end 2027-02-01T11:00:00+01:00',
    [
      get('/api/v1/exams/42', { ...exam, end_time: '2027-02-01T09:00:00Z' }),
      get('/api/v1/exams/42/student_sessions', []),
      patch('/exams/42', { end_time: '2027-02-01T10:00:00Z' }, exam),
      get('/api/v1/exams/42', exam),
      // Nobody was given a window meanwhile.
      get('/api/v1/exams/42/student_sessions', []),
    ],
  ],
  [
    'PUT /exams/:id',
    'exams update 42 --put --start 2027-02-01T08:00:00Z --no-save-recording',
    around(put('/exams/42', { start_time: '2027-02-01T08:00:00Z', save_recording: false }, exam), { before: exam }),
  ],
  [
    'DELETE /exams/:id',
    'exams delete 42 --yes',
    // Its list is read for the plan, right before, and once more when it is gone.
    [...gone('/api/v1/exams/42', exam).toSpliced(1, 0, noStudents).toSpliced(3, 0, noStudents), { ...noStudents, reply: [404, {}] }],
  ],
  [
    'GET /exams/:id/show_student',
    'students show --exam 42 --session 7',
    [get('/exams/42/show_student?student_session_id=7', session), timesOf],
  ],
  [
    'POST /exams/:id/add_student',
    'students add --exam 42 --email ada@example.org',
    created(post('/exams/42/add_student', { email: 'ada@example.org' }, session)),
  ],
  ['POST /exams/:id/send_emails', 'exams send-emails 42 --yes', mailed(post('/exams/42/send_emails'))],
  [
    'POST /exams/:id/proctor_pool',
    'proctors add 4 eve --exam 42',
    pooled(post('/exams/42/proctor_pool', { proctors: [4, 'eve'] }), [{ id: 4 }, { id: 'eve' }]),
  ],
  ['GET /exams/:id/proctor_pool', 'proctors list --exam 42', [get('/exams/42/proctor_pool', [{ id: 4, name: 'Eve' }])]],
  [
    'DELETE /exams/:id/proctor_pool',
    'proctors remove 4 --exam 42 --yes',
    pooled(del('/exams/42/proctor_pool', { proctors: [4] }), [], [{ id: 4 }]),
  ],
  ['GET /exams/:exam_id/student_sessions', 'sessions list --exam 42', [get('/exams/42/student_sessions', [session]), timesOf]],
  ['GET /student_sessions', 'sessions list', [get('/student_sessions', [session])]],
  ['GET /student_sessions/:id', 'sessions get 7', [get('/student_sessions/7', session)]],
  [
    'POST /exams/:exam_id/student_sessions',
    'sessions create --exam 42 --email ada@example.org --skip-requirements',
    created(post('/exams/42/student_sessions', { email: 'ada@example.org', skip_requirements: true }, session)),
  ],
  [
    'PATCH /student_sessions/:id',
    'sessions update 7 --open-time 2027-02-01T08:00:00Z --close-time 2027-02-01T08:30:00Z',
    around(patch('/student_sessions/7', { open_time: '2027-02-01T08:00:00Z', close_time: '2027-02-01T08:30:00Z' }, session)),
  ],
  ['PUT /student_sessions/:id', 'sessions update 7 --put --name Ada', around(put('/student_sessions/7', { name: 'Ada' }, session))],
  ['DELETE /student_sessions/:id', 'sessions delete 7 --yes', gone('/api/v1/student_sessions/7', session)],
  ['GET /institutes/:institute_id/users', 'users list --institute 3', [get('/institutes/3/users', [{ id: 1, name: 'Una' }])]],
];

const now = '2027-01-01T00:00:00Z';

describe('each operation of the specification is one request, beside reads', () => {
  test.each(cases)('%s: %s', async (operation, line, expects) => {
    const { code, stderr } = await exchange(line, expects, { now });
    expect([code, stderr]).toEqual([0, '']);
    const sent = expects.find(({ method }) => operation.startsWith(`${method} `));
    const shape = operation.replace('/', '/api/v1/').replace(/:\w+/g, '\\d+');
    expect(`${sent?.method} ${sent?.path.split('?')[0]}`).toMatch(new RegExp(`^${shape}$`));
  });

  test('and all of them are here', () => {
    const all = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(cases.map(([operation]) => operation))).toEqual(new Set(all));
  });
});

test.each([
  ['sessions get', 'ü+?#&', '/student_sessions/%C3%BC%2B%3F%23%26'],
  ['sessions get', '%2e%2e', '/student_sessions/%252e%252e'],
  ['sessions get', '9007199254740993', '/student_sessions/9007199254740993'],
  ['sessions get', '007', '/student_sessions/007'],
  ['students show -o json --exam 42 --session', 'a&b=c+d', '/exams/42/show_student?student_session_id=a%26b%3Dc%2Bd'],
])('the ID of %s %j is encoded: %s', (command, id, path) => succeeds([...command.split(' '), id], [get(path, { id: 1 })]));

test('send-emails counts the students, asks, reads them again, and sends once', async () => {
  const exam = get('/exams/42', { id: 42, name: 'Algebra', start_time: '2027-02-01T09:00:00Z' });
  const all = [1, 2].map((id) => ({ id, status: id === 1 ? 'registered' : 'mail_sent' }));
  const count = get('/exams/42/student_sessions', all);
  const exchanges = [exam, count, exam, count, post('/exams/42/send_emails')];
  const { code, questions } = await exchange('exams send-emails 42 --resend', exchanges, { tty: true, answers: [true] });
  expect([code, questions]).toEqual([
    0,
    [
      'Send the exam mails of exam 42 (Algebra, 2027-02-01 09:00 +00:00) to its 2 students (1 of them was mailed before and will be mailed again) at https://proctor.example (profile default)?',
    ],
  ]);
});

describe('several IDs are several requests', () => {
  const path = (id: number) => `/student_sessions/${id}`;
  const read = (id: number) => get(path(id), { id });
  const missing = (id: number) => get(path(id), {}, 404);
  const row = (session: number, result: unknown, reason: unknown = null) => ({ exam: null, session, email: null, result, reason });

  test('in their order, each ID once', async () => {
    // Each is read once more right before it is deleted.
    const exchanges = [read(7), read(8), read(7), del(path(7)), read(8), del(path(8)), missing(7), missing(8)];
    const { code, stdout } = await exchange('sessions delete 7 8 7 --yes -o json', exchanges);
    expect([code, JSON.parse(stdout)]).toEqual([0, [row(7, 'deleted'), row(8, 'deleted')]]);
  });

  test.each([
    ['', patch],
    [' --put', put],
  ])('that change sessions%s, with a row for each', async (option, sends) => {
    const close_time = '2027-02-01T10:00:00Z';
    const change = (id: number) => sends(path(id), { close_time }, { id });
    const then = (id: number) => get(path(id), { id, close_time });
    const exchanges = [
      // Of which exams they are, and then what they show.
      ...[read(7), missing(8), read(9), read(7), missing(8), read(9)],
      // Each is read right before it is changed; what was read just now is not read again.
      ...[change(7), missing(8), change(9)],
      ...[then(7), then(9)],
    ];
    const line = `sessions update 7 8 9 --close-time ${close_time}${option} -o json`;
    const { code, stdout } = await exchange(line, exchanges, { now });
    const [done, gone, last] = [row(7, 'updated'), row(8, expect.any(String), expect.stringContaining('404')), row(9, 'updated')];
    const times = { field: 'close_time', from: null, to: close_time };
    expect([code, JSON.parse(stdout)]).toEqual([9, [done, gone, last].map((each) => ({ ...each, ...times }))]);
    const others = exchanges.filter(({ path }) => !path.endsWith('8'));
    expect(await exchange(line.replace(' 8 9', ' 9').replace('json', 'id'), others, { now })).toMatchObject({ code: 0, stdout: '7\n9\n' });
  });

  test('one is a list of one, wherever its ID comes from', async () => {
    const change = around(patch(path(7), { name: 'Ada' }, { id: 7 }));
    const asList = await exchange('sessions update - --name Ada -o json', change, { stdin: '7\n' });
    expect(JSON.parse(asList.stdout)).toMatchObject([{ session: 7, result: 'updated' }]);
    expect((await exchange('sessions update 7 --name Ada -o json', change)).stdout).toBe(asList.stdout);
  });

  test.each([
    ['sessions update 7 8 --email ada@example.org', 'email would be the same for several students.'],
    ['sessions update 7 8 -F name=Ada', 'name would be the same for several students.'],
    ['sessions update - --body -', 'stdin cannot be read twice.'],
  ])('%s is refused before any request', async (line, message) => {
    const { code, stderr } = await exchange(line, [], { stdin: '7\n' });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${message}`)]);
  });
});

test('sessions end sends nothing, with or without a token', async () => {
  for (const [line, env] of [
    ['sessions end 1', {}],
    ['sessions end 1 --yes', {}],
    ['sessions end 1', { PROCTOR_TOKEN: '', PROCTOR_BASE_URL: '' }],
  ] as const) {
    const { code, stdout, stderr } = await exchange(line, [], { env });
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringContaining('2022-05-17')]);
  }
});

test('the list of sessions is filtered here: the specification shows no parameter for it', async () => {
  const sessions = ['registered', 'exam_started'].map((status, at) => ({ id: at + 1, status }));
  const listed = await exchange('sessions list --exam 42 --status exam_started -o id', [get('/exams/42/student_sessions', sessions)]);
  expect(listed.stdout).toBe('2\n');
  expect((await exchange('sessions list --status mail_send', [])).code).toBe(3);
});
