/** The requests of sessions find, and what is shown of what they find: typed from the specification (sections 2 and 4). */
import { describe, expect, test } from 'vitest';
import { type Exchange, exchange, get } from './exchanges.ts';

const session = (id: number, close_time: unknown, more: object = {}) => ({
  ...{ id, exam_id: 42, email: `s${id}@example.org`, status: 'exam_started', open_time: null, close_time },
  ...more,
});
const [ten, half] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z'];
const exam = { id: 42, name: 'Algebra', start_time: '2027-03-01T08:00:00Z', end_time: ten };

/** Runs a line, and returns what it printed as JSON. */
async function json(line: string, exchanges: readonly Exchange[]) {
  const { stdout } = await exchange(`${line} -o json`, exchanges);
  return { rows: JSON.parse(stdout) };
}

describe('sessions find', () => {
  const sessions = [
    session(7, ten, { name: 'Ada Lovelace' }),
    session(8, null, { name: 'ÉMILIE du Châtelet', email: null }),
    session(70, half, { email: 'ADA@example.org', status: 'registered' }),
  ];
  const exams = get('/exams', [exam]);
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);

  test('reads all sessions, and the exams once', async () => {
    const { rows } = await json('sessions find ada', [get('/student_sessions', sessions), exams]);
    expect(ids(rows)).toEqual([7, 70]);
    expect(rows[0]).toMatchObject({ exam_id: 42, exam_name: 'Algebra', opens: exam.start_time, closes: ten, status: 'exam_started' });
  });

  test.each([
    ['émilie', [8]],
    ['E\u0301MILIE', [8]],
    ['7', [7]],
    ['@EXAMPLE.ORG', [7, 70]],
    ['châtelet emilie', [8]],
  ])('%j finds %j, all of its words in any order', async (text, found) => {
    const { rows } = await json(`sessions find ${text}`, [get('/student_sessions', sessions), exams]);
    expect(ids(rows)).toEqual(found);
  });

  test('finds no session: an empty list, no further request, and a note on the search', async () => {
    const { code, stdout, stderr } = await exchange(
      ['sessions', 'find', 'ada', 'nobody', '-o', 'json'],
      [get('/student_sessions', sessions)],
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
    expect(stderr).toContain('No session matches "ada nobody" (3 searched).');
  });

  test('goes through the exams where sessions do not name theirs', async () => {
    const bare = sessions.map(({ exam_id: _, ...rest }) => rest);
    const exchanges = [get('/student_sessions', bare), exams, get('/exams/42/student_sessions', bare), exams];
    const { rows } = await json('sessions find ada', exchanges);
    expect(ids(rows)).toEqual([7, 70]);
    expect(rows[0]).toMatchObject({ exam_id: 42, exam_name: 'Algebra' });
  });

  const during = '2027-03-01T09:00:00Z';
  const seen = async (all: unknown[], text = 's7@', now = during) =>
    exchange(['--base-url', 'https://proctor.example', '--no-color', 'sessions', 'find', text], [get('/student_sessions', all), exams], {
      tty: true,
      now,
    });

  test('shows a person one session as a record, with what can be done now, quoted as a shell needs it', async () => {
    const { stdout, stderr } = await seen([session(0, ten, { id: "o'clock $(id)", email: 's7@example.net' })]);
    expect(stdout).toMatch(/^Session +o'clock \$\(id\)\n/);
    expect(stdout).toMatch(/\nExam +Algebra\nExam ID +42\nStatus +exam_started\nNow +is taking the exam\nOpens .*\nCloses .*\n$/);
    expect(stderr).toContain(`sessions extend 'o'\\''clock $(id)' --by 15m\n`);
  });

  test.each([
    ['exam_started', during, /^Show it: .*\nMore time: .*\n$/],
    ['mail_sent', during, /^Show it: .*\nMore time: .*\n$/],
    ['mail_sent', '2027-02-01T09:00:00Z', /^Show it: .*\nMore time: .*\nOther exam: .* sessions move 7 --exam ID\n$/],
    ['registered', '2027-02-01T09:00:00Z', /\nMail all: .* exams send-emails 42\nOther exam: /],
    ['mail_sent', '2027-03-02T09:00:00Z', /^Show it: .*\nStart late: .*\n$/],
    ['exam_finished', during, /^Show it: .*\n$/],
  ])('of a student with the status %s at %s it names only what is possible', async (status, now, possible) => {
    const { stderr } = await seen([session(7, null, { status })], '7', now);
    expect(stderr).toMatch(possible);
  });

  test('shows a person several sessions as a table, those of the running exam first, and JSON as the service lists them', async () => {
    const later = { ...exam, id: 43, start_time: '2027-04-01T08:00:00Z', end_time: '2027-04-01T10:00:00Z' };
    const exchanges = [get('/student_sessions', [session(7, null, { exam_id: 43 }), session(71, ten)]), get('/exams', [later, exam])];
    const { stdout, stderr } = await exchange(['sessions', 'find', 's7', '--no-color'], exchanges, { tty: true, now: during });
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['ID', '71', '7', '']);
    expect(stderr).not.toContain('More time');
    expect(ids((await json('sessions find s7', exchanges)).rows)).toEqual([7, 71]);
  });
});
