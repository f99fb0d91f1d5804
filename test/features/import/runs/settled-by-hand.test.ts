/** Rows without an address whose answer was lost: a person enters their outcome, and no student is doubled. */
import { expect, test } from 'vitest';
import { run } from '../../../support/run.ts';
import { type Exam, exam, states } from './importing.ts';

const roster = 'email,name\n,Ann\n,Bob\ndan@example.org,Dan\n';
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
const again = '--allow-no-email --concurrency 1';

/** A run whose second row, without an address, may have been created. */
async function unknownRow(done: 'now' | 'never') {
  const made = await exam();
  made.posts({ 2: { answer: 'reset', done } });
  const ended = await made.imports(roster, again);
  expect(ended.code).toBe(10);
  expect(states(ended)).toEqual({ created: 2, unknown: 1 });
  const { run: id } = ended.report;
  expect(ended.stderr).toContain(`proctor-cli imports settle ${id} --row 2 --created ID`);
  made.posts({});
  return { ...made, settle: (args: string) => settle(made, `${id} ${args}`), id: String(id) };
}

function settle({ service, home }: Exam, line: string) {
  const env = { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests' };
  return run(['imports', 'settle', ...line.split(' '), '-o', 'json'], { home, env });
}

test('A row that is said to have created a session is done, and the run comes to its end without a second POST.', async () => {
  const { service, settle, imports } = await unknownRow('now');
  const settled = await settle('--row 2 --created 101');
  expect(settled.code).toBe(0);
  expect(JSON.parse(settled.stdout)).toMatchObject({ created: 3, unknown: 0, open_rows: [], state: 'unfinished' });
  const ended = await imports(roster, again);
  expect(ended.code).toBe(0);
  expect(states(ended)).toEqual({ created: 3 });
  expect(service.posts()).toBe(3);
});

test('A row that is said to be absent is sent again with --resend-absent, and no other.', async () => {
  const { service, settle, imports } = await unknownRow('never');
  expect(JSON.parse((await settle('--row 2 --absent')).stdout)).toMatchObject({ created: 2, absent: 1 });
  const kept = await imports(roster, again);
  expect(kept.code).toBe(9);
  expect(states(kept)).toEqual({ created: 2, absent: 1 });
  const ended = await imports(roster, `${again} --resend-absent`);
  expect(ended.code).toBe(0);
  expect(service.students().map(({ name }) => name)).toEqual(['Ann', 'Dan', 'Bob']);
});

test('A row with an address that stays unknown can be settled as well, and the hint says how.', async () => {
  const made = await exam();
  made.posts({ 1: { answer: 'empty', done: 'never' } });
  const ended = await made.imports('email\nann@example.org\n');
  expect(ended.code).toBe(10);
  const { run: id } = ended.report;
  expect(ended.stderr).toContain(`settle it by hand: proctor-cli imports settle ${id} --row 1 --created ID`);
  expect((await settle(made, `${id} --row 1 --absent`)).code).toBe(0);
  made.posts({});
  expect(states(await made.imports('email\nann@example.org\n', '--resend-absent'))).toEqual({ created: 1 });
});

test('The open rows of a run are shown with their numbers.', async () => {
  const { home, id } = await unknownRow('now');
  const { stdout } = await run(['imports', 'show', id, '-o', 'json'], { home });
  expect(JSON.parse(stdout).open_rows).toMatchObject([{ row: 2, state: 'unknown', session: null }]);
  expect((await run(['imports', 'show', id], { home })).stderr).toContain('Row 2: unknown');
});

test.each([
  ['a row that is done', '--row 1 --created 101', 3, 'the row is created'],
  ['a row that the run does not have', '--row 9 --absent', 3, 'the file has 3 rows'],
  ['the session of another row', '--row 2 --created 100', 3, 'belongs to row 1'],
  ['a missing session', '--row 2 --created 999', 6, 'not found'],
  ['neither a session nor --absent', '--row 2', 2, 'either --created'],
  ['both of them', '--row 2 --created 101 --absent', 2, 'either --created'],
  ['a row that is no number', '--row x --absent', 2, '--row'],
])('It refuses %s, and changes nothing.', async (_, args, code, words) => {
  const { settle, imports } = await unknownRow('now');
  const refused = await settle(args);
  expect([refused.code, refused.stdout]).toEqual([code, '']);
  expect(refused.stderr).toContain(words);
  expect(states(await imports(roster, again))).toEqual({ created: 2, unknown: 1 });
});

test('It refuses a session of another address, where the row has one, and one of another exam, however long its ID.', async () => {
  const made = await exam();
  made.service.fault = ({ method, count }) => {
    if (method === 'POST') return count === 1 ? { answer: 'reset', done: 'now' } : undefined;
    return count > 1 ? { answer: { status: 500 } } : undefined;
  };
  const ended = await made.imports('email\nann@example.org\n');
  expect(states(ended)).toEqual({ unknown: 1 });
  made.service.fault = () => undefined;
  const other = made.service.add({ email: 'zoe@example.org' });
  const elsewhere = made.service.add({ email: 'ann@example.org', exam_id: 7 });
  const far = made.service.add({ email: 'ann@example.org', exam_id: rawJson('90071992547409931') });
  for (const { id } of [other, elsewhere, far]) expect((await settle(made, `${ended.report.run} --row 1 --created ${id}`)).code).toBe(3);
  expect((await settle(made, `${ended.report.run} --row 1 --created 100`)).code).toBe(0);
});
