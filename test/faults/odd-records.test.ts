/** One record of an unexpected shape makes nothing else unusable: it is shown as it is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serviceWithExam } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { attemptWith, failureOf } from './outcome.ts';
import { answer, showing } from './server.ts';

const plain = { id: 1, email: 'a@example.org', name: 'Ada', status: 'registered' };
const odd = { id: 2, email: 'b@example.org', name: 12345, status: ['registered'], close_time: { at: 'nine' } };
const later = { id: 3, email: 'c@example.org', name: 67, status: 'registered' };

const shown = (items: unknown, line = 'sessions list -o json') => attemptWith(answer(200, items), line);

test.each([
  [['EXAM_STARTED', 'ExamStarted', 'exam-started', 'REGISTERED'].map((status, at) => ({ id: at + 1, status })), 'exam_started', '1\n2\n3'],
  [['EXAM_STARTED', 'REGISTERED'].map((status, at) => ({ id: at + 1, status })), 'REGISTERED', '2'],
])('A status that is spelled otherwise is found by its word, and shown as it is: %j.', async (items, status, found) => {
  expect(await shown(items, `sessions list --status ${status} -o id`)).toMatchObject({ code: 0, stdout: `${found}\n`, stderr: '' });
  expect(JSON.parse((await shown(items)).stdout)).toEqual(items);
});

describe('A record whose fields are of other types', () => {
  test.each(['json', 'ndjson', 'csv', 'id', 'table'])('is shown as it is, as %s', async (format) => {
    const { code, stdout, stderr } = await shown([plain, odd, later], `sessions list -o ${format}`);
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('2')]);
    if (format === 'json') expect(JSON.parse(stdout)).toEqual([plain, odd, later]);
  });

  const folder = temporaryFolder();
  const accommodations = join(folder, 'list.csv');
  test.each(
    [
      ...['sessions get 2 -o json', 'sessions get 2 -o table', 'exams get 3', 'exams report 3', 'exams report 3 --list problems -o json'],
      ...['sessions find Ada -o json', 'sessions list --exam 1 -o csv', `exams report 1 --html ${join(folder, 'report.html')}`],
      ['preflight --exam 1 -o csv', 'a@example.org', 11],
      [`accommodations apply ${accommodations} --exam 1 --check -o csv`, 'a@example.org'],
      ['proctors add eve@example.org --exam 1 --dry-run -o json', '"proctors":[5]'],
    ].map((line) => [line].flat() as [string, string?, number?]),
  )('keeps no command from its work: %s', async (line, printed = '', code = 0) => {
    writeFileSync(accommodations, 'email,extra\na@example.org,25%\n');
    const times = { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
    const exams = [
      { id: 1, name: 'Exam 1', ...times },
      { id: 2, name: 'Exam 2', ...times },
      { id: 3, name: 5, ...times, end_time: 7 },
    ];
    const strange = { ...odd, email: 12345, name: { of: 2 }, status: { code: 3 }, level_of_suspicion: 'high', toString: 1 };
    const users = [
      { id: 4, email: 12345, name: [] },
      { id: 5, email: 'eve@example.org', name: 'Eve' },
    ];
    const own = { ...plain, open_time: null, close_time: '2027-02-01T10:30:00Z' };
    const answers: Record<string, unknown> = {
      ...{ '/exams': exams, '/exams/1': exams[0], '/exams/2': exams[1], '/exams/3': exams[2], '/student_sessions/2': odd },
      ...{ '/exams/1/student_sessions': [strange, own], '/exams/2/student_sessions': [{ ...plain, id: 9 }] },
      ...{ '/exams/3/student_sessions': [plain, odd, later], '/student_sessions': [plain, odd, later], '/institutes/1/users': users },
    };
    const office = showing((path) => answers[path] ?? []);
    const outcome = await attemptWith(office, line, { env: { PROCTOR_INSTITUTE: '1', PROCTOR_TIMEZONE: 'UTC' } });
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.not.stringMatching(/unexpected shape|inside proctor-cli/)]);
    expect(outcome.stdout).toContain(printed);
  });

  test('that was written is written', async () => {
    const service = serviceWithExam();
    service.onAnswer = ({ method }) => {
      if (method === 'POST') service.change('session', 101, { name: 12345 });
    };
    const { code, stdout, stderr } = await service.run('sessions create --exam 1 --email a@example.org -o json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 101, name: 12345 });
  });
});

test('An ID that is none fails a list.', async () => {
  const outcome = await shown([plain, { ...odd, id: { of: 2 } }]);
  expect(outcome).toMatchObject({ code: 8, stdout: '' });
  expect(failureOf(outcome).message).toContain('id is an object');
});

test('An address that is none is no missing student: an import sends nobody.', async () => {
  const office = showing((path) => (path.endsWith('sessions') ? [{ id: 1, email: 12345, status: 'registered' }] : { id: 1 }));
  const outcome = await attemptWith(office, 'sessions import - --exam 1 --yes -o json', { stdin: 'email\na@example.org\n' });
  expect([outcome.code, outcome.server.writes()]).toEqual([3, []]);
  expect(failureOf(outcome).message).toContain('does not show who some of its students are');
});
