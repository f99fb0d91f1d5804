/** One record of an unexpected shape makes nothing else unusable: it is shown as it is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { held } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, faultServer, type Reaction } from './server.ts';

const plain = { id: 1, email: 'a@example.org', name: 'Ada', status: 'registered' };
const odd = { id: 2, email: 'b@example.org', name: 12345, status: ['registered'], close_time: { at: 'nine' } };
const later = { id: 3, email: 'c@example.org', name: 67, status: 'registered' };

const list = async (items: unknown, line = 'sessions list -o json') => {
  const server = await faultServer(Array.from({ length: 4 }, () => answer(200, items)));
  return attempt(line, server.origin);
};

describe('a record whose status is an object', () => {
  const session = { id: 1, email: 'a@example.org', status: { id: 6, name: 'exam_started' }, skip_requirements: 1 };

  test('is found by its status', async () => {
    const { code, stdout, stderr } = await list([session], 'sessions list --status exam_started');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/1 +a@example.org +exam_started/);
    expect(JSON.parse((await list([session])).stdout)).toEqual([session]);
  });
});

describe('a record whose fields are of other types', () => {
  test.each(['json', 'ndjson', 'csv', 'id', 'table'])('is shown as it is, as %s', async (format) => {
    const { code, stdout, stderr } = await list([plain, odd, later], `sessions list -o ${format}`);
    expect(code).toBe(0);
    if (format === 'json') expect(JSON.parse(stdout)).toEqual([plain, odd, later]);
    expect(stdout).toContain('2');
    expect(stderr).toBe('');
  });

  test('is shown as it is where it is asked for by itself', async () => {
    for (const format of ['json', 'table']) expect((await list(odd, `sessions get 2 -o ${format}`)).code).toBe(0);
    expect((await list({ ...odd, id: 4, start_time: true }, 'exams get 4 -o json')).code).toBe(0);
  });

  test('keeps no other command of an exam from its work', async () => {
    const react: Parameters<typeof faultServer>[0][number] = (socket, request) =>
      (request.path.endsWith('sessions')
        ? answer(200, [plain, odd, later])
        : answer(200, { id: 1, name: 5, start_time: '2027-02-01T08:00:00Z', end_time: 7 }))(socket, request);
    for (const line of [
      'exams report 1 --list problems -o json',
      'exams report 1 -o json',
      'sessions find Ada -o json',
      'sessions list --exam 1 -o csv',
      'exams report 1',
    ]) {
      const server = await faultServer(
        Array.from({ length: 10 }, () => (socket, request) => {
          if (request.path.endsWith('/exams')) answer(200, [{ id: 1, name: 5 }])(socket, request);
          else react(socket, request);
        }),
      );
      const outcome = await attempt(line, server.origin);
      expect([line, outcome.code, outcome.stderr.includes('inside proctor-cli')]).toEqual([line, 0, false]);
    }
  });

  test('keeps no command that compares addresses from its work, the page of a report neither', async () => {
    const folder = temporaryFolder();
    const accommodations = join(folder, 'list.csv');
    writeFileSync(accommodations, 'email,extra\na@example.org,25%\n');
    const times = { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
    const exams = [1, 2].map((id) => ({ id, name: `Exam ${id}`, ...times }));
    const strange = { id: 2, email: 12345, name: { of: 2 }, status: { code: 3 }, level_of_suspicion: 'high', toString: 1 };
    const answers: Record<string, unknown> = {
      '/exams': exams,
      '/exams/1': exams[0],
      '/exams/2': exams[1],
      '/exams/1/student_sessions': [strange, { ...plain, open_time: null, close_time: '2027-02-01T10:30:00Z' }],
      '/exams/2/student_sessions': [{ ...plain, id: 9 }],
      '/institutes/1/users': [
        { id: 4, email: 12345, name: [] },
        { id: 5, email: 'eve@example.org', name: 'Eve' },
      ],
    };
    const expected: [string, number, string][] = [
      [`exams report 1 --html ${join(folder, 'report.html')}`, 0, ''],
      ['preflight --exam 1 -o csv', 11, 'a@example.org'],
      [`accommodations apply ${accommodations} --exam 1 --check -o csv`, 0, 'a@example.org'],
      ['proctors add eve@example.org --exam 1 --dry-run -o json', 0, '"proctors":[5]'],
    ];
    for (const [line, code, shown] of expected) {
      const react: Reaction = (socket, request) => answer(200, answers[request.path.replace('/api/v1', '')] ?? [])(socket, request);
      const server = await faultServer(Array.from({ length: 20 }, () => react));
      const outcome = await attempt(line, server.origin, { env: { PROCTOR_INSTITUTE: '1', PROCTOR_TIMEZONE: 'UTC' } });
      expect([line, outcome.code, outcome.stderr]).toEqual([line, code, expect.not.stringContaining('unexpected shape')]);
      expect(outcome.stdout).toContain(shown);
    }
  });

  test('that was written is written', async () => {
    const service = held();
    service.onAnswer = ({ method }) => {
      if (method === 'POST') service.change('session', 101, { name: 12345 });
    };
    const { code, stdout, stderr } = await service.run('sessions create --exam 1 --email a@example.org -o json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 101, name: 12345 });
  });
});

describe('a field that a command relies on must fit', () => {
  test('the ID', async () => {
    const outcome = await list([plain, { ...odd, id: { of: 2 } }]);
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain('id is an object');
  });

  test('in an import, the address: an invalid address is not a missing student', async () => {
    const roster = join(temporaryFolder(), 'roster.csv');
    writeFileSync(roster, 'email\na@example.org\n');
    const server = await faultServer(
      Array.from(
        { length: 6 },
        () => (socket, request) =>
          answer(200, request.path.endsWith('sessions') ? [{ id: 1, email: 12345, status: 'registered' }] : { id: 1 })(socket, request),
      ),
    );
    const outcome = await attempt(['sessions', 'import', roster, '--exam', '1', '--yes', '-o', 'json'], server.origin);
    expect(outcome.code).toBe(3);
    expect(failureOf(outcome).message).toContain('does not show who some of its students are');
    expect(server.received.map(({ method }) => method)).not.toContain('POST');
  });
});

test('a status in capitals is found by its word, and shown as it is', async () => {
  const items = [
    { id: 1, status: 'EXAM_STARTED' },
    { id: 2, status: 'ExamStarted' },
    { id: 3, status: 'exam-started' },
    { id: 4, status: 'REGISTERED' },
  ];
  expect(await list(items, 'sessions list --status exam_started -o csv --columns id,status')).toMatchObject({
    code: 0,
    stdout: 'id,status\r\n1,EXAM_STARTED\r\n2,ExamStarted\r\n3,exam-started\r\n',
  });
  expect(await list(items, 'sessions list --status REGISTERED -o csv --columns id,status')).toMatchObject({
    code: 0,
    stdout: 'id,status\r\n4,REGISTERED\r\n',
  });
});
