/**
 * The requests of sessions extend, changes undo and resume, and sessions find: typed from the
 * specification (sections 2 and 4).
 */
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange } from './exchanges.ts';

const api = '/api/v1';
const get = (path: string, body: unknown, status = 200): Exchange => ({ method: 'GET', path: api + path, reply: [status, body] });
const patch = (id: number, close_time: unknown, reply: Exchange['reply'] = [200, session(id, close_time)]): Exchange => ({
  method: 'PATCH',
  path: `${api}/student_sessions/${id}`,
  body: { close_time },
  ...(reply ? { reply } : {}),
});
const session = (id: number, close_time: unknown, more: object = {}) => ({
  id,
  exam_id: 42,
  email: `s${id}@example.org`,
  status: 'exam_started',
  open_time: null,
  close_time,
  ...more,
});
const look = (id: number, close_time: unknown) => get(`/student_sessions/${id}`, session(id, close_time));
const [ten, half, eleven] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z', '2027-03-01T11:00:00Z'];
const exam = {
  id: 42,
  name: 'Algebra',
  start_time: '2027-03-01T08:00:00Z',
  end_time: ten,
  save_recording: false,
  allow_headphones: true,
  allow_whiteboard: false,
  allow_leave_room: false,
  allow_pen_paper: true,
};
const words = (line: string) => line.split(' ');

/** Runs a line, and returns what it printed as JSON beside its status. */
async function json(line: string, exchanges: readonly Exchange[], home = temporaryFolder()) {
  const { code, stdout, stderr } = await exchange([...words(line), '-o', 'json'], exchanges, { home });
  return { code, rows: stdout === '' ? undefined : JSON.parse(stdout), error: code === 0 ? undefined : JSON.parse(stderr).error };
}
const results = (rows: { session: number; result: string }[]) => rows.map(({ session, result }) => [session, result]);

/** A home with a change that extended sessions 7 and 8 by half an hour. */
async function extended(home: string): Promise<string> {
  const { code } = await json(
    'sessions extend 7 8 --by 30m',
    [look(7, ten), look(8, null), get('/exams/42', exam), look(7, ten), patch(7, half), look(8, null), patch(8, half)],
    home,
  );
  expect(code).toBe(0);
  return theChange(home);
}

async function theChange(home: string): Promise<string> {
  const { rows } = await json('changes list', [], home);
  return rows[0].change;
}

const stateIn = async (home: string) => (await json('changes list', [], home)).rows[0].state;

describe('sessions extend', () => {
  test('reads the session, reads it again right before the request, and sends the close_time alone', async () => {
    const { rows } = await json('sessions extend 7 --by 30m', [look(7, ten), look(7, ten), patch(7, half)]);
    expect(rows).toEqual([{ session: 7, email: 's7@example.org', from: ten, to: half, result: 'extended' }]);
  });

  test('asks for the exam where the session has no times of its own', async () => {
    await json('sessions extend 7 --by 25%', [look(7, null), get('/exams/42', exam), look(7, null), patch(7, half)]);
  });

  test('reads each session of an exam of which the list shows no times, and the exam once', async () => {
    const listed = [7, 8].map((id) => ({ id, status: 'exam_started' }));
    const list = get('/exams/42/student_sessions', listed);
    const { rows } = await json('sessions extend --exam 42 --by 30m --yes', [
      list,
      look(7, null),
      get('/exams/42', exam),
      look(8, null),
      look(7, null),
      patch(7, half),
      look(8, null),
      patch(8, half),
    ]);
    expect(results(rows)).toEqual([
      [7, 'extended'],
      [8, 'extended'],
    ]);
  });

  test('extends a session once that the list shows twice', async () => {
    const listed = get('/exams/42/student_sessions', [session(7, ten), session(7, ten)]);
    await json('sessions extend --exam 42 --by 30m --yes', [listed, look(7, ten), patch(7, half)]);
  });

  test('keeps a session that was changed in the meantime', async () => {
    const { code, rows, error } = await json('sessions extend 7 --by 30m', [look(7, ten), look(7, eleven)]);
    expect(code).toBe(7);
    expect(results(rows)).toEqual([[7, 'skipped']]);
    expect(error.message).toMatch(/is now \d{4}-\d\d-\d\d \d\d:\d\d \+00:00: it was changed since/);
    expect(error.hint).not.toContain('changes resume');
    const { stderr } = await exchange(words('sessions extend 7 --by 30m'), [look(7, ten), look(7, eleven)]);
    expect(stderr).not.toContain('take it back');
  });

  test('stops when the token is refused; resume extends the rest, and no student twice', async () => {
    const home = temporaryFolder();
    const refused = [
      look(7, ten),
      look(8, ten),
      look(9, ten),
      look(7, ten),
      patch(7, half),
      look(8, ten),
      patch(8, half, [401, { message: 'no' }]),
    ];
    const first = await json('sessions extend 7 8 9 --by 30m', refused, home);
    expect(first.code).toBe(4);
    expect(results(first.rows)).toEqual([
      [7, 'extended'],
      [8, 'failed'],
      [9, 'not tried'],
    ]);
    const change = await theChange(home);
    expect(first.error.hint).toContain(`changes resume ${change}`);
    expect(await stateIn(home)).toBe('unfinished');
    const again = [look(8, ten), look(9, ten), look(8, ten), patch(8, half), look(9, ten), patch(9, half)];
    const second = await json(`changes resume ${change} --yes`, again, home);
    expect(second.code).toBe(0);
    expect(await stateIn(home)).toBe('finished');
    expect(await json(`changes resume ${change} --yes`, [], home)).toMatchObject({ code: 0, rows: [] });
  });

  test('stops when the service is away for three in a row', async () => {
    const away = { ...look(1, ten), reply: [503, {}] as [number, unknown] };
    const looks = [1, 2, 3].flatMap((id) => [1, 2, 3].map(() => ({ ...away, path: `${api}/student_sessions/${id}` })));
    const shown = [1, 2, 3, 4].map((id) => look(id, ten));
    const { code, rows } = await json('sessions extend 1 2 3 4 --by 30m', [...shown, ...looks]);
    expect(code).toBe(8);
    expect(results(rows)).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'failed'],
      [4, 'not tried'],
    ]);
  });

  test('reads the session after a lost answer, and finds it extended', async () => {
    const home = temporaryFolder();
    const { code, rows } = await json(
      'sessions extend 7 --by 30m',
      [look(7, ten), look(7, ten), patch(7, half, [502, 'gone']), look(7, half)],
      home,
    );
    expect({ code, results: results(rows) }).toEqual({ code: 0, results: [[7, 'extended']] });
    expect(await stateIn(home)).toBe('finished');
  });

  test('says that the outcome is unknown if a read cannot tell; the same line is refused, resume reads and does not repeat it', async () => {
    const home = temporaryFolder();
    const lost = [look(7, ten), look(8, ten), look(7, ten), patch(7, half, [502, 'gone']), look(7, ten), look(8, ten), patch(8, half)];
    const first = await json('sessions extend 7 8 --by 30m', lost, home);
    expect(first.code).toBe(10);
    expect(results(first.rows)).toEqual([
      [7, 'unknown'],
      [8, 'extended'],
    ]);
    const change = await theChange(home);
    // The PATCH arrived after all, late.
    const refused = await json('sessions extend 7 --by 30m', [look(7, half)], home);
    expect(refused.code).toBe(3);
    expect(refused.error).toMatchObject({
      message: expect.stringContaining('is unfinished'),
      hint: expect.stringContaining(`changes resume ${change}`),
    });
    const resumed = await json(`changes resume ${change} --yes`, [look(7, half), look(7, half)], home);
    expect({ code: resumed.code, results: results(resumed.rows) }).toEqual({ code: 0, results: [[7, 'extended']] });
  });

  test('extends over an unfinished change with --again', async () => {
    const home = temporaryFolder();
    await json(
      'sessions extend 7 8 --by 30m',
      [look(7, ten), look(8, ten), look(7, ten), patch(7, half), look(8, ten), patch(8, half, [422, {}])],
      home,
    );
    expect((await json('sessions extend 7 --by 30m', [look(7, half)], home)).code).toBe(3);
    // The one that was rejected was not extended: to extend it is no repetition.
    expect((await json('sessions extend 8 --by 30m', [look(8, ten), look(8, ten), patch(8, half)], home)).code).toBe(0);
    const again = await json('sessions extend 7 --by 30m --again --yes', [look(7, half), look(7, half), patch(7, eleven)], home);
    expect(again.code).toBe(0);
  });

  test('takes an answer that shows another time for no proof of either', async () => {
    const home = temporaryFolder();
    const exchanges = [look(7, ten), look(7, ten), patch(7, half, [200, session(7, ten)]), look(7, ten)];
    const first = await json('sessions extend 7 --by 30m', exchanges, home);
    expect({ code: first.code, results: results(first.rows) }).toEqual({ code: 7, results: [[7, 'unknown']] });
    expect((await json('sessions extend 7 --by 30m', [look(7, ten)], home)).error.message).toContain('is unfinished');
  });

  test('sends times as the profile has them', async () => {
    const home = temporaryFolder();
    await exchange(['config', 'set', 'dialect.timeFormat', 'epoch-s'], [], { home });
    const at = Date.parse(ten) / 1000;
    await json('sessions extend 7 --by 30m', [look(7, at), look(7, at), patch(7, at + 1800)], home);
  });
});

describe('changes undo', () => {
  test('sets back each to its own old value, and what was unset to null', async () => {
    const home = temporaryFolder();
    const change = await extended(home);
    const exchanges = [look(7, half), look(8, half), look(7, half), patch(7, ten), look(8, half), patch(8, null)];
    const { code, rows } = await json(`changes undo ${change} --yes`, exchanges, home);
    expect({ code, results: results(rows) }).toEqual({
      code: 0,
      results: [
        [7, 'restored'],
        [8, 'restored'],
      ],
    });
    expect(await stateIn(home)).toBe('undone');
    const twice = await json(`changes undo ${change} --yes`, [], home);
    expect(twice.code).toBe(3);
    expect(twice.error.message).toBe(`Change ${change} has already been undone.`);
  });

  test('names and keeps sessions that were changed or deleted since', async () => {
    const home = temporaryFolder();
    const change = await extended(home);
    const gone = get('/student_sessions/8', {}, 404);
    const { code, rows } = await json(`changes undo ${change} --yes`, [look(7, eleven), gone, look(7, eleven), gone], home);
    expect({ code, results: results(rows) }).toEqual({
      code: 0,
      results: [
        [7, 'skipped'],
        [8, 'skipped'],
      ],
    });
    expect(await stateIn(home)).toBe('undone');
  });

  test('that failed partway resumes by itself', async () => {
    const home = temporaryFolder();
    const change = await extended(home);
    const refused = [
      look(7, half),
      look(8, half),
      look(7, half),
      patch(7, ten),
      look(8, half),
      patch(8, null, [422, { message: 'no null' }]),
    ];
    const first = await json(`changes undo ${change} --yes`, refused, home);
    expect(first.code).toBe(9);
    expect(await stateIn(home)).toBe('undo unfinished');
    expect((await json(`changes resume ${change} --yes`, [], home)).error.message).toContain('is being undone');
    const second = await json(`changes undo ${change} --yes`, [look(8, half), look(8, half), patch(8, null)], home);
    expect({ code: second.code, results: results(second.rows) }).toEqual({ code: 0, results: [[8, 'restored']] });
    expect(await stateIn(home)).toBe('undone');
  });

  test('that failed partway does not stop a new extension of the sessions it has reset', async () => {
    const home = temporaryFolder();
    const change = await extended(home);
    const refused = [look(7, half), look(8, half), look(7, half), patch(7, ten), look(8, half), patch(8, null, [422, {}])];
    expect((await json(`changes undo ${change} --yes`, refused, home)).code).toBe(9);
    expect((await json('sessions extend 7 --by 30m', [look(7, ten), look(7, ten), patch(7, half)], home)).code).toBe(0);
    const { code, error } = await json('sessions extend 8 --by 30m', [look(8, half)], home);
    expect({ code, message: error.message }).toEqual({ code: 3, message: expect.stringContaining('is not completely undone') });
    expect(error.hint).toMatch(new RegExp(`^Resume the undo: proctor-cli changes undo ${change}`));
  });

  test.each([
    ['is refused', [423, { message: 'locked' }]],
    ['makes no sense', [200, ['locked']]],
  ] as const)('names a session whose answer %s, and sets back the others', async (_, [status, answer]) => {
    const home = temporaryFolder();
    const change = await extended(home);
    const locked = get('/student_sessions/7', answer, status);
    const exchanges = [locked, look(8, half), locked, look(8, half), patch(8, null)];
    const { code, rows, error } = await json(`changes undo ${change} --yes`, exchanges, home);
    expect({ code, results: results(rows) }).toEqual({
      code: 9,
      results: [
        [7, 'failed'],
        [8, 'restored'],
      ],
    });
    expect(error.hint).toBe(`Resume with: proctor-cli changes undo ${change}`);
    expect(await stateIn(home)).toBe('undo unfinished');
  });

  test('takes back what was done of a change that was not finished, and asks for nothing else', async () => {
    const home = temporaryFolder();
    await json(
      'sessions extend 7 8 --by 30m',
      [look(7, ten), look(8, ten), look(7, ten), patch(7, half), look(8, ten), patch(8, half, [422, {}])],
      home,
    );
    await json(`changes undo ${await theChange(home)} --yes`, [look(7, half), look(7, half), patch(7, ten)], home);
    expect(await stateIn(home)).toBe('undone');
  });

  test('gives back a time that is finer than what is sent otherwise', async () => {
    const home = temporaryFolder();
    const fine = '2027-03-01T10:00:00.250Z';
    await json('sessions extend 7 --by 30m', [look(7, fine), look(7, fine), patch(7, half)], home);
    await json(`changes undo ${await theChange(home)} --yes`, [look(7, half), look(7, half), patch(7, fine)], home);
  });

  test('is refused for another service, and for an unknown change', async () => {
    const home = temporaryFolder();
    const change = await extended(home);
    const elsewhere = await json(`changes undo ${change} --yes --base-url https://other.example`, [], home);
    expect(elsewhere.code).toBe(3);
    expect(elsewhere.error.message).toContain('https://proctor.example');
    expect((await json('changes undo 20270101T000000-abcdef --yes', [], home)).code).toBe(6);
  });
});

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
  ])('%j finds %j', async (text, found) => {
    const { rows } = await json(`sessions find ${text}`, [get('/student_sessions', sessions), exams]);
    expect(ids(rows)).toEqual(found);
  });

  test('finds no session: an empty list, no further request, and a note on the search', async () => {
    const { code, stdout, stderr } = await exchange(['sessions', 'find', 'nobody', '-o', 'json'], [get('/student_sessions', sessions)]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
    expect(stderr).toContain('No session matches "nobody" (3 searched).');
  });

  test('goes through the exams where sessions do not name theirs', async () => {
    const bare = sessions.map(({ exam_id: _, ...rest }) => rest);
    const exchanges = [get('/student_sessions', bare), exams, get('/exams/42/student_sessions', bare), exams];
    const { rows } = await json('sessions find ada', exchanges);
    expect(ids(rows)).toEqual([7, 70]);
    expect(rows[0]).toMatchObject({ exam_id: 42, exam_name: 'Algebra' });
  });

  test('tells a person what to type next, with the words quoted as a shell needs them', async () => {
    const odd = [session(7, ten), session(0, ten, { id: "o'clock $(id)", email: 's7@example.net' })];
    const argv = ['--base-url', 'https://proctor.example', 'sessions', 'find', 's7@'];
    const { stderr } = await exchange(argv, [get('/student_sessions', odd), exams], { tty: true });
    expect(stderr).toContain('proctor-cli --base-url https://proctor.example students show --exam 42 --session 7\n');
    expect(stderr).toContain(`sessions extend 'o'\\''clock $(id)' --by 15m\n`);
  });
});
