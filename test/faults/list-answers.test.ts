/** What an answer to a list may be: a list is taken where it says so, and an error where a failure may look like this. */
import { expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attemptWith, failureOf } from './outcome.ts';
import { answer, bytes, type Reaction } from './server.ts';

const two = [{ id: 1 }, { id: 2 }];
const listed = async (reaction: Reaction, ...settings: [string, string][]) =>
  attemptWith(reaction, 'sessions list -o json', { home: await homeWith(...settings) });

test.each<[string, Reaction, unknown[], listKey?: string]>([
  ['a 204', answer(204), []],
  ['an empty array', answer(200, []), []],
  ['an empty list in its field', answer(200, { student_sessions: [], total: 0 }), []],
  ['one beside fields that say nothing', answer(200, { data: two, error: null, errors: [], success: true }), two],
  ['one in a record', answer(200, { id: 42, name: 'Algebra', code: '401', status: 'aborted', deleted: false, data: two }), two],
  ['one of its name beside empty ones', answer(200, { items: [], student_sessions: two, data: [] }), two],
  ['one beside an empty one of its name', answer(200, { student_sessions: [], data: two }), two],
  ['one of its name inside data', answer(200, { status: 'success', data: { student_sessions: two } }), two],
  ['one inside a field that is declared for all', answer(200, { payload: { students: two } }), two, 'payload'],
  ['one under the type of pages', answer(200, two, { 'content-type': 'text/html; charset=utf-8' }), two],
  ['one that is declared', answer(200, { students: [{ id: 'x' }], student_sessions: two }), two, 'student_sessions'],
])('%s is a list', async (_what, reaction, items, listKey) => {
  const settings: [string, string][] = listKey === undefined ? [] : [['dialect.listKey', listKey]];
  expect(await listed(reaction, ...settings)).toMatchObject({ code: 0, stdout: `${JSON.stringify(items)}\n`, stderr: '' });
});

const shard = [{ message: 'shard 2 timed out' }];

test.each<[string, Reaction, words: string, listKey?: string]>([
  ['an empty body', bytes(''), 'with an empty body'],
  ['null alone', answer(200, null), 'with null instead of a list'],
  ['null in the field of the list', answer(200, { student_sessions: null }), 'an object without a list (fields: student_sessions)'],
  ['a list in another field', answer(200, { entries: [] }), 'an object without a list', 'entries'],
  ['one further inside', answer(200, { _embedded: { entries: [] }, page: { size: 20 } }), 'an object without a list', '_embedded.entries'],
  ['one of its name inside a field for all lists', answer(200, { payload: { students: [] } }), 'an object without a list', 'payload'],
  ['nothing beside a failure', answer(200, { data: null, errors: shard }), 'shard 2 timed out'],
  ['nothing beside no success', answer(200, { data: null, success: false }), 'with a failure'],
  ['a failure alone', answer(200, { errors: ['shard 2 timed out'] }), 'with a failure: errors: shard 2 timed out'],
  ['a list beside errors', answer(200, { data: two, errors: shard }), 'shard 2 timed out'],
  ['a list beside an error', answer(200, { data: two, error: 'shard 2 timed out' }), 'shard 2 timed out'],
  ['a list beside no success', answer(200, { success: false, data: [] }), 'a list and a failure'],
  ['a list beside no success, as a number', answer(200, { success: 0, data: [] }), 'a list and a failure (200)'],
  ['a list beside no success, as a text', answer(200, { ok: 'false', data: [] }), 'a list and a failure'],
  ['a list beside the status of an error', answer(200, { status: 'error', message: 'shard 2 timed out', data: [] }), 'shard 2 timed out'],
  ['a list beside that of a failure', answer(200, { status: 'fail', data: [] }), 'a list and a failure'],
  ['a list beside another', answer(200, { items: [{ id: 'x' }], data: two }), '2 lists, under "data" and "items"'],
  ['its list beside another', answer(200, { data: two, student_sessions: two }), '2 lists, under "student_sessions" and "data"'],
  ['a list that is only accepted', answer(202, two), '202'],
  ['lists of several statuses', answer(207, two), '207'],
])('%s fails, and where a setting helps, the hint names it', async (_what, reaction, words, listKey) => {
  const outcome = await listed(reaction);
  expect(outcome).toMatchObject({ code: 8, stdout: '' });
  const { message, hint } = failureOf(outcome);
  expect(message).toContain(words);
  if (listKey === undefined) return;
  expect(hint).toContain(`dialect.listKey ${listKey}`);
  expect(await listed(reaction, ['dialect.listKey', listKey])).toMatchObject({ code: 0, stdout: '[]\n' });
});

const hostile = ['Log in again at https://evil.example', 'https://evil.example', 'x'.repeat(101), '--profile'];
test.each(hostile)('a field that is called so is not repeated in a hint: %s', async (name) => {
  expect(failureOf(await listed(answer(200, { [name]: [] }))).hint).toMatch(/: proctor-cli config set dialect\.listKey NAME$/);
});

test.each([
  ['a 204 with a total', answer(204, undefined, { 'x-total-count': '5' }), 'x-total-count says 5 items, but there were 0'],
  ['a part of a list', answer(206, two), '206'],
])('%s is not the whole list: a setting decides', async (_what, reaction, words) => {
  const outcome = await listed(reaction);
  expect(outcome).toMatchObject({ code: 3, stdout: '' });
  expect(failureOf(outcome)).toMatchObject({ message: expect.stringContaining(words), hint: expect.stringContaining('dialect.paging') });
});
