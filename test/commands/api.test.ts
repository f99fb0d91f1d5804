/** In which format `api` prints; what it sends is in test/wire/api.test.ts. */
import { expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { type Data, embedded } from './embedded.ts';

test.each([
  ['api GET /exams/1', 'exams get 1'],
  ['api get exams', 'exams list'],
  ['api GET /exams/1/show_student -F student_session_id=2', 'sessions get 2'],
])('%s prints the answer as it is, as JSON where no format is given', async (line, same) => {
  const service = embedded();
  const answer = await service.json(same);
  for (const world of [{ tty: true }, { tty: false }, { env: { PROCTOR_OUTPUT: 'table' } }]) {
    const { code, stdout } = await service.run(line, world);
    expect([code, JSON.parse(stdout)]).toEqual([0, answer]);
  }
});

test.each([
  ['api GET /exams -o table', {}, /^ID +NAME/],
  ['api GET /exams/1 -o table', {}, /^ID +1$/m],
  ['api GET /exams', { env: { PROCTOR_OUTPUT: 'csv' } }, /^id,name/],
])('%s prints another format where it is asked for: %j', async (line, world, printed) => {
  expect((await embedded().run(line, world)).stdout).toMatch(printed);
});

test.each([
  ['GET', 'C:/Program Files/Git/exams/1', '/exams/1'],
  ['DELETE', 'C:/Program Files/Git/student_sessions/7', '/student_sessions/7'],
  ['GET', 'D:/git/exams?per_page=5', "'/exams?per_page=5'"],
])('What Git Bash makes of a path is told for what it is, with what was meant: %s %s', async (method, path, meant) => {
  const { code, stderr } = await run(['api', method, path, '-o', 'json']);
  const { message, hint } = JSON.parse(stderr).error;
  expect([code, message]).toEqual([3, expect.stringContaining('Git Bash has turned /')]);
  expect(hint).toBe(`Keep the path as it is: MSYS_NO_PATHCONV=1 proctor-cli api ${method} ${meant}`);
});

test('api --list has the 20 operations, and the one that the service removed', async () => {
  // Neither a login nor a service is needed.
  const rows: Data[] = JSON.parse((await run(['api', '--list', '-o', 'json'])).stdout);
  expect(rows.filter(({ supported }) => supported)).toHaveLength(20);
  expect(rows.filter(({ supported }) => !supported)).toEqual([
    expect.objectContaining({ method: 'POST', path: '/student_sessions/:id/end_exam', note: expect.stringContaining('2022-05-17') }),
  ]);
});
