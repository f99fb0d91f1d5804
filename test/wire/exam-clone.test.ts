/** The requests of exams clone: typed from the specification (sections 2 and 4). */
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange } from './exchanges.ts';

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
const reading = [get('/exams/42', { ...exam, created_at: 'then' }), get('/exams/42/proctor_pool', [{ id: 4 }, { id: 'eve' }])];
const look = get('/exams', [exam]);
/** The proof, by what the service shows of the new exam. */
const seen = (shown: object = { ...body, id: 43 }) => get('/exams/43', shown);
const pooled = get('/exams/43/proctor_pool', [{ id: 4 }, { id: 'eve' }]);
const create: Exchange = { method: 'POST', path: `${api}/exams`, body, reply: [201, { ...body, id: 43 }] };
const pool: Exchange = { method: 'POST', path: `${api}/exams/43/proctor_pool`, body: { proctors: [4, 'eve'] } };

test('reads the exam and its pool, creates the exam with all that can be set, then adds the pool', async () => {
  const { code, stdout, stderr } = await exchange(words(`exams clone 42 ${start} -o id`), [...reading, look, create, pool, seen(), pooled]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '43\n' });
  expect(stderr).toContain('Not copied from exam 42: created_at.');
  expect(stderr).toContain('sessions import - --exam 43');
});

test('carries over what the service shows as 1 and 0, as true and false', async () => {
  const digits = (fields: object) =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, typeof value === 'boolean' ? Number(value) : value]));
  const { code } = await exchange(words(`exams clone 42 ${start} -o id`), [
    get('/exams/42', digits({ ...exam, save_recording: false })),
    get('/exams/42/proctor_pool', []),
    look,
    { ...create, body: { ...body, save_recording: false }, reply: [201, digits({ ...body, save_recording: false, id: 43 })] },
    seen(digits({ ...body, save_recording: false, id: 43 })),
  ]);
  expect(code).toBe(0);
});

test('prefers given values to those of the exam, and sends no pool if there is none', async () => {
  const given = { ...body, name: 'Second', allow_headphones: false, end_time: '2027-04-05T12:00:00Z' };
  const argv = words(`exams clone 42 ${start} --end 2027-04-05T12:00:00Z --name Second --no-allow-headphones`);
  const { code } = await exchange(argv, [
    get('/exams/42', exam),
    get('/exams/42/proctor_pool', []),
    look,
    { ...create, body: given, reply: [201, { ...given, id: 43 }] },
    seen({ ...given, id: 43 }),
  ]);
  expect(code).toBe(0);
});

test('moves the end by the clocks of the zone', async () => {
  const weekend = { ...exam, start_time: '2027-03-20T08:00:00Z', end_time: '2027-03-22T08:00:00Z' };
  const moved = { ...body, start_time: '2027-03-27T08:00:00Z', end_time: '2027-03-29T07:00:00Z' };
  const argv = words('exams clone 42 --start 2027-03-27T09:00 --timezone Europe/Vienna');
  await exchange(argv, [
    get('/exams/42', weekend),
    get('/exams/42/proctor_pool', []),
    look,
    { ...create, body: moved, reply: [201, { ...moved, id: 43 }] },
    seen({ ...moved, id: 43 }),
  ]);
});

test('sends nothing where the clocks would show the end before the start', async () => {
  const night = { ...exam, start_time: '2027-10-31T00:45:00Z', end_time: '2027-10-31T01:15:00Z' };
  const line = `exams clone 42 ${start} --timezone Europe/Vienna`;
  const { code, error } = await json(line, [get('/exams/42', night), get('/exams/42/proctor_pool', [])]);
  expect(code).toBe(3);
  expect(error.hint).toContain('--end');
});

test('says which restrictions the exam does not show', async () => {
  const { allow_whiteboard: _w, ...shown } = exam;
  const { allow_whiteboard: _b, ...sent } = body;
  const { stderr } = await exchange(words(`exams clone 42 ${start}`), [
    get('/exams/42', shown),
    get('/exams/42/proctor_pool', []),
    look,
    { ...create, body: sent },
    seen(),
  ]);
  expect(stderr).toContain('does not show allow_whiteboard');
});

test('names the new exam and the line that finishes it where the pool was refused', async () => {
  const { code, rows, error } = await json(`exams clone 42 ${start}`, [
    ...reading,
    look,
    create,
    { ...pool, reply: [422, { message: 'no such user' }] },
    seen(),
  ]);
  expect({ code, id: rows.id }).toEqual({ code: 9, id: 43 });
  expect(error.message).toContain('Exam 43 was created');
  expect(error.hint).toBe('Finish it with: proctor-cli proctors add 4 eve --exam 43');
});

test('reads the pool after a lost answer', async () => {
  const lost: Exchange = { ...pool, reply: [502, 'gone'] };
  const after = (shown: unknown) => get('/exams/43/proctor_pool', shown);
  const both = [{ id: 4 }, { id: 'eve' }];
  const found = await json(`exams clone 42 ${start}`, [...reading, look, create, lost, after(both), seen(), after(both)]);
  expect(found.code).toBe(0);
  const one = await json(`exams clone 42 ${start}`, [...reading, look, create, lost, after([{ id: 4 }]), after([{ id: 4 }]), seen()]);
  expect(one.code).toBe(9);
  expect(one.error.message).toContain('the pool does not show eve');
});

test('stops if it is unknown whether the exam was created', async () => {
  const { code, error } = await json(`exams clone 42 ${start}`, [...reading, look, { ...create, reply: [502, 'gone'] }, look, look]);
  expect(code).toBe(10);
  expect(error.message).toMatch(/Two reads after \d+ s do not show it/);
  expect(error.hint).toMatch(/proctor-cli runs resume \S+/);
});

test('finds the exam by name and start after a lost answer, and goes on', async () => {
  const found = get('/exams', [exam, { ...body, id: 43 }]);
  const { code, rows } = await json(`exams clone 42 ${start}`, [
    ...reading,
    look,
    { ...create, reply: [502, 'gone'] },
    found,
    pool,
    seen(),
    pooled,
  ]);
  expect({ code, id: rows.id }).toEqual({ code: 0, id: 43 });
});

test('sends nothing where an exam of this name and start is there', async () => {
  const { code, error } = await json(`exams clone 42 ${start}`, [...reading, get('/exams', [exam, { ...body, id: 9 }])]);
  expect(code).toBe(11);
  expect(error.code).toBe('already_there');
});

test('sends nothing for an exam without times, unless the end is given', async () => {
  const timeless = { ...exam, start_time: null };
  const reads = [get('/exams/42', timeless), get('/exams/42/proctor_pool', [])];
  const { code, error } = await json(`exams clone 42 ${start}`, reads);
  expect(code).toBe(3);
  expect(error.hint).toContain('--end');
  expect((await json(`exams clone 42 ${start} --end 2027-04-05T10:00:00Z`, [...reads, look, create, seen()])).code).toBe(0);
});

test('shows both requests with --dry-run, and sends neither', async () => {
  const { rows } = await json(`exams clone 42 ${start} --dry-run`, [...reading, look]);
  expect(rows.map(({ method, url, body }: Record<string, unknown>) => [method, url, body])).toEqual([
    ['POST', 'https://proctor.example/api/v1/exams', body],
    ['POST', 'https://proctor.example/api/v1/exams/ID/proctor_pool', { proctors: [4, 'eve'] }],
  ]);
});
