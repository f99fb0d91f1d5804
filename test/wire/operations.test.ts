/**
 * Every operation of the specification (section 4) as the command that the contract names for it
 * sends it: typed from the specification, not from the table in src.
 */
import { describe, expect, test } from 'vitest';
import { around, created, type Exchange, exchange, gone, mailed, pooled, shown, succeeds } from './exchanges.ts';

const exam = { id: 42, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
const session = { id: 7, email: 'ada@example.org', status: 'registered' };

type Case = { line: string; expects: Exchange[] };

/** The commands of the contract, in its order, one for each operation of the specification, with the reads around each write. */
const cases: Record<string, Case> = {
  'GET /exams': { line: 'exams list', expects: [{ method: 'GET', path: '/api/v1/exams', reply: [200, [exam]] }] },
  'GET /exams/:id': { line: 'exams get 42', expects: [{ method: 'GET', path: '/api/v1/exams/42', reply: [200, exam] }] },
  'POST /exams': {
    line: 'exams create --start 2027-02-01T09:00:00+01:00 --end 2027-02-01T11:00:00+01:00',
    expects: created({
      method: 'POST',
      path: '/api/v1/exams',
      body: { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' },
      reply: [201, exam],
    }),
  },
  'PATCH /exams/:id': {
    line: 'exams update 42 --end 2027-02-01T11:00:00+01:00',
    expects: [
      shown('/api/v1/exams/42', { ...exam, end_time: '2027-02-01T09:00:00Z' }),
      shown('/api/v1/exams/42/student_sessions', []),
      { method: 'PATCH', path: '/api/v1/exams/42', body: { end_time: '2027-02-01T10:00:00Z' }, reply: [200, exam] },
      shown('/api/v1/exams/42', exam),
      // Nobody was given a window meanwhile.
      shown('/api/v1/exams/42/student_sessions', []),
    ],
  },
  'PUT /exams/:id': {
    line: 'exams update 42 --put --start 2027-02-01T08:00:00Z --no-save-recording',
    expects: around(
      {
        method: 'PUT',
        path: '/api/v1/exams/42',
        body: { start_time: '2027-02-01T08:00:00Z', save_recording: false },
        reply: [200, exam],
      },
      { before: exam },
    ),
  },
  'DELETE /exams/:id': {
    line: 'exams delete 42 --yes',
    expects: gone('/api/v1/exams/42', exam).toSpliced(1, 0, shown('/api/v1/exams/42/student_sessions', [])),
  },
  'GET /exams/:id/show_student': {
    line: 'students show --exam 42 --session 7',
    expects: [{ method: 'GET', path: '/api/v1/exams/42/show_student?student_session_id=7', reply: [200, session] }],
  },
  'POST /exams/:id/add_student': {
    line: 'students add --exam 42 --email ada@example.org',
    expects: created({
      method: 'POST',
      path: '/api/v1/exams/42/add_student',
      body: { email: 'ada@example.org' },
      reply: [201, session],
    }),
  },
  'POST /exams/:id/send_emails': {
    line: 'exams send-emails 42 --yes',
    expects: mailed({ method: 'POST', path: '/api/v1/exams/42/send_emails' }),
  },
  'POST /exams/:id/proctor_pool': {
    line: 'proctors add 4 eve --exam 42',
    expects: pooled({ method: 'POST', path: '/api/v1/exams/42/proctor_pool', body: { proctors: [4, 'eve'] } }, [{ id: 4 }, { id: 'eve' }]),
  },
  'GET /exams/:id/proctor_pool': {
    line: 'proctors list --exam 42',
    expects: [{ method: 'GET', path: '/api/v1/exams/42/proctor_pool', reply: [200, [{ id: 4, name: 'Eve' }]] }],
  },
  'DELETE /exams/:id/proctor_pool': {
    line: 'proctors remove 4 --exam 42 --yes',
    expects: pooled({ method: 'DELETE', path: '/api/v1/exams/42/proctor_pool', body: { proctors: [4] } }, [], [{ id: 4 }]),
  },
  'GET /exams/:exam_id/student_sessions': {
    line: 'sessions list --exam 42',
    expects: [{ method: 'GET', path: '/api/v1/exams/42/student_sessions', reply: [200, [session]] }],
  },
  'GET /student_sessions': {
    line: 'sessions list',
    expects: [{ method: 'GET', path: '/api/v1/student_sessions', reply: [200, [session]] }],
  },
  'GET /student_sessions/:id': {
    line: 'sessions get 7',
    expects: [{ method: 'GET', path: '/api/v1/student_sessions/7', reply: [200, session] }],
  },
  'POST /exams/:exam_id/student_sessions': {
    line: 'sessions create --exam 42 --email ada@example.org --skip-requirements',
    expects: created({
      method: 'POST',
      path: '/api/v1/exams/42/student_sessions',
      body: { email: 'ada@example.org', skip_requirements: true },
      reply: [201, session],
    }),
  },
  'PATCH /student_sessions/:id': {
    line: 'sessions update 7 --open-time 2027-02-01T08:00:00Z --close-time 2027-02-01T08:30:00Z',
    expects: around({
      method: 'PATCH',
      path: '/api/v1/student_sessions/7',
      body: { open_time: '2027-02-01T08:00:00Z', close_time: '2027-02-01T08:30:00Z' },
      reply: [200, session],
    }),
  },
  'PUT /student_sessions/:id': {
    line: 'sessions update 7 --put --name Ada',
    expects: around({ method: 'PUT', path: '/api/v1/student_sessions/7', body: { name: 'Ada' }, reply: [200, session] }),
  },
  'DELETE /student_sessions/:id': { line: 'sessions delete 7 --yes', expects: gone('/api/v1/student_sessions/7', session) },
  'GET /institutes/:institute_id/users': {
    line: 'users list --institute 3',
    expects: [{ method: 'GET', path: '/api/v1/institutes/3/users', reply: [200, [{ id: 1, name: 'Una' }]] }],
  },
};

const now = '2027-01-01T00:00:00Z';

/** The one request that is more than a read, or the read that is meant. */
function theRequest(operation: string, expects: readonly Exchange[]): Exchange | undefined {
  return expects.find(({ method }) => operation.startsWith(`${method} `));
}

describe('each operation of the specification is one request, beside reads', () => {
  test.each(Object.entries(cases))('%s', async (_operation, { line, expects }) => {
    const { code, stderr } = await exchange(line.split(' '), expects, { now });
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('and all twenty are here', () => {
    expect(Object.keys(cases)).toHaveLength(20);
    for (const [operation, { expects }] of Object.entries(cases)) {
      const shape = operation.replace('/', '/api/v1/').replace(/:\w+/g, '\\d+');
      const sent = theRequest(operation, expects);
      expect(`${sent?.method} ${sent?.path.split('?')[0]}`).toMatch(new RegExp(`^${shape}$`));
    }
  });
});

describe('an ID', () => {
  test.each([
    ['sessions get', 'a b', '/api/v1/student_sessions/a%20b'],
    ['sessions get', 'ü+?#&', '/api/v1/student_sessions/%C3%BC%2B%3F%23%26'],
    ['sessions get', '%2e%2e', '/api/v1/student_sessions/%252e%252e'],
    ['sessions get', '9007199254740993', '/api/v1/student_sessions/9007199254740993'],
    ['sessions get', '007', '/api/v1/student_sessions/007'],
  ])('%s %j is encoded as one segment of the path', (command, id, path) =>
    succeeds([...command.split(' '), id], [{ method: 'GET', path, reply: [200, { id: 1 }] }]),
  );

  test('is encoded in a query, too', async () => {
    const path = '/api/v1/exams/42/show_student?student_session_id=a%26b%3Dc+d';
    await succeeds(['students', 'show', '--exam', '42', '--session', 'a&b=c d'], [{ method: 'GET', path, reply: [200, { id: 1 }] }]);
  });
});

describe('a question comes before the request', () => {
  const exam: Exchange = {
    method: 'GET',
    path: '/api/v1/exams/42',
    reply: [200, { id: 42, name: 'Algebra', start_time: '2027-02-01T09:00:00Z' }],
  };
  const count: Exchange = {
    method: 'GET',
    path: '/api/v1/exams/42/student_sessions',
    reply: [
      200,
      [
        { id: 1, status: 'registered' },
        { id: 2, status: 'mail_sent' },
      ],
    ],
  };
  test('send-emails counts the students, asks, reads them again, and sends once', async () => {
    const world = { tty: true, answers: [true] };
    const { code, questions } = await exchange(
      ['exams', 'send-emails', '42', '--resend'],
      [exam, count, exam, count, { method: 'POST', path: '/api/v1/exams/42/send_emails' }],
      world,
    );
    expect(code).toBe(0);
    expect(questions).toEqual([
      'Send the exam mails of exam 42 (Algebra, 2027-02-01 09:00 +00:00) to its 2 students (1 of them was mailed before and will be mailed again) at https://proctor.example (profile default)?',
    ]);
  });
});

describe('several IDs are several requests', () => {
  const path = (id: number) => `/api/v1/student_sessions/${id}`;
  const removed = (id: number): Exchange => ({ method: 'DELETE', path: path(id) });
  const missing = (id: number): Exchange => ({ method: 'GET', path: path(id), reply: [404, {}] });

  test('in their order, each ID once', async () => {
    const { code, stdout } = await exchange('sessions delete 7 8 7 --yes -o json'.split(' '), [
      shown(path(7), { id: 7 }),
      shown(path(8), { id: 8 }),
      removed(7),
      removed(8),
      missing(7),
      missing(8),
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { exam: null, session: 7, email: null, result: 'deleted', reason: null },
      { exam: null, session: 8, email: null, result: 'deleted', reason: null },
    ]);
  });

  test.each([
    ['', 'PATCH'],
    [' --put', 'PUT'],
  ])('that change sessions%s, with a row for each', async (option, method) => {
    const close = '2027-02-01T10:00:00Z';
    const change = (id: number, reply: Exchange['reply']): Exchange => ({
      method,
      path: `/api/v1/student_sessions/${id}`,
      body: { close_time: close },
      ...(reply ? { reply } : {}),
    });
    const [first, then] = [(id: number) => shown(path(id), { id }), (id: number) => shown(path(id), { id, close_time: close })];
    const exchanges = [
      // Of which exams they are, and then what they show.
      ...[first(7), missing(8), first(9), first(7), missing(8), first(9)],
      // Each is read right before it is changed; what was read just now is not read again.
      ...[change(7, [200, { id: 7 }]), missing(8), change(9, [200, { id: 9 }])],
      ...[then(7), then(9)],
    ];
    const line = `sessions update 7 8 9 --close-time ${close}${option} -o json`;
    const { code, stdout } = await exchange(line.split(' '), exchanges, { now });
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toEqual([
      { exam: null, session: 7, email: null, result: 'updated', reason: null },
      { exam: null, session: 8, email: null, result: expect.any(String), reason: expect.stringContaining('404') },
      { exam: null, session: 9, email: null, result: 'updated', reason: null },
    ]);
    const ids = await exchange(
      `${line.replace(' 8 9', ' 9').replace('json', 'id')}`.split(' '),
      exchanges.filter(({ path }) => !path.endsWith('8')),
      { now },
    );
    expect(ids).toMatchObject({ code: 0, stdout: '7\n9\n' });
  });

  test('one is a list of one, wherever its ID comes from', async () => {
    const change = around({ method: 'PATCH', path: path(7), body: { name: 'Ada' }, reply: [200, { id: 7 }] });
    const asList = await exchange('sessions update - --name Ada -o json'.split(' '), change, { stdin: '7\n' });
    expect(JSON.parse(asList.stdout)).toMatchObject([{ session: 7, result: 'updated' }]);
    const alone = await exchange('sessions update 7 --name Ada -o json'.split(' '), change);
    expect(JSON.parse(alone.stdout)).toEqual(JSON.parse(asList.stdout));
  });

  test.each([
    ['sessions update 7 8 --email ada@example.org', 2, 'email would be the same for several students.'],
    ['sessions update 7 8 -F name=Ada', 2, 'name would be the same for several students.'],
    ['sessions update - --body -', 2, 'stdin cannot be read twice: for ids and for --body.'],
  ])('%s is refused before any request', async (line, status, message) => {
    const { code, stderr } = await exchange(line.split(' '), [], { stdin: '7\n' });
    expect(code).toBe(status);
    expect(stderr).toContain(`error: ${message}`);
  });
});

test('sessions end sends nothing, with or without a token', async () => {
  for (const argv of [
    ['sessions', 'end', '1'],
    ['sessions', 'end', '1', '--yes'],
  ]) {
    const { code, stdout, stderr } = await exchange(argv, []);
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toContain('2022-05-17');
  }
  expect((await exchange(['sessions', 'end', '1'], [], { env: { PROCTOR_TOKEN: '', PROCTOR_BASE_URL: '' } })).code).toBe(5);
});

test('the list of sessions is filtered here: the specification shows no parameter for it', async () => {
  const sessions = [
    { id: 1, status: 'registered' },
    { id: 2, status: 'exam_started' },
  ];
  const { stdout } = await exchange('sessions list --exam 42 --status exam_started -o id'.split(' '), [
    { method: 'GET', path: '/api/v1/exams/42/student_sessions', reply: [200, sessions] },
  ]);
  expect(stdout).toBe('2\n');
  expect((await exchange('sessions list --status mail_send'.split(' '), [])).code).toBe(3);
});
