/** The requests of exams clone: typed from the specification (sections 2 and 4). */
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange, succeeds } from './exchanges.ts';

const api = '/api/v1';
const get = (path: string, body: unknown, status = 200): Exchange => ({ method: 'GET', path: api + path, reply: [status, body] });
const exam = {
  id: 42,
  name: 'Algebra',
  start_time: '2027-03-01T08:00:00Z',
  end_time: '2027-03-01T10:00:00Z',
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
  return {
    code,
    rows: stdout === '' ? undefined : JSON.parse(stdout),
    error: code === 0 ? undefined : JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error,
  };
}

const start = '--start 2027-04-05T08:00:00Z';
const { id: _, ...fields } = exam;
const body = { ...fields, start_time: '2027-04-05T08:00:00Z', end_time: '2027-04-05T10:00:00Z' };
const proctors = [{ id: 4 }, { id: 'eve' }];
const reading = (shown: object = exam, pool: object[] = []) => [get('/exams/42', shown), get('/exams/42/proctor_pool', pool)];
const look = get('/exams', [exam]);
/** The exam is created, and a list shows it. */
const created = (sent: object = body, shown: object = { ...sent, id: 43 }): Exchange[] => [
  { method: 'POST', path: `${api}/exams`, body: sent, reply: [201, shown] },
  get('/exams', [exam, shown]),
];
const pool: Exchange = { method: 'POST', path: `${api}/exams/43/proctor_pool`, body: { proctors: [4, 'eve'] } };

test('reads the exam and its pool, looks for one like it, creates the exam with all that can be set, then adds the pool', async () => {
  const exchanges = [
    ...reading({ ...exam, created_at: 'then' }, proctors),
    look,
    ...created(),
    pool,
    get('/exams/43/proctor_pool', proctors),
  ];
  const { code, stdout, stderr } = await exchange(words(`exams clone 42 ${start} -o id`), exchanges);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '43\n' });
  expect(stderr).toContain('Not copied from exam 42: created_at.');
  expect(stderr).toContain('sessions import - --exam 43');
});

test('carries over what the service shows as 1 and 0, as true and false', async () => {
  const digits = (fields: object) =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, typeof value === 'boolean' ? Number(value) : value]));
  const exchanges = [...reading(digits(exam)), look, ...created(body, digits({ ...body, id: 43 }))];
  await succeeds(words(`exams clone 42 ${start} -o id`), exchanges);
});

test('sends nothing where the clocks would show the end before the start', async () => {
  const night = { ...exam, start_time: '2027-10-31T00:45:00Z', end_time: '2027-10-31T01:15:00Z' };
  const { code, error } = await json(`exams clone 42 ${start} --timezone Europe/Vienna`, reading(night));
  expect([code, error.hint]).toEqual([3, expect.stringContaining('--end')]);
});

test('says which restrictions the exam does not show', async () => {
  const { allow_whiteboard: _w, ...shown } = exam;
  const { allow_whiteboard: _b, ...sent } = body;
  const { stderr } = await exchange(words(`exams clone 42 ${start}`), [...reading(shown), look, ...created(sent)]);
  expect(stderr).toContain('does not show allow_whiteboard');
});
