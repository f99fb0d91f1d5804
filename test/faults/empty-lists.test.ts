/** Answers without items: an empty list where they say so, and an error that names the setting where a failure may look like this. */
import { expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, bytes, faultServer, type Reaction } from './server.ts';

const listed = async (reaction: Reaction, settings: [string, string][] = [], line = 'sessions list -o json') => {
  const server = await faultServer(Array.from({ length: 5 }, () => reaction));
  return attempt(line, server.origin, { home: await homeWith(...settings) });
};

test.each<[string, Reaction]>([
  ['204', answer(204)],
  ['null in the field of the list', answer(200, { student_sessions: null })],
  ['null in a common field', answer(200, { data: null })],
  ['null in a field of a field', answer(200, { data: { students: null } })],
  ['null and a total of 0', answer(200, { data: null, total: 0, page: 1, per_page: 20, next: null })],
  ['null and a success', answer(200, { code: 0, msg: 'success', data: null, error: null })],
  ['null and that nothing was found', answer(200, { status: 'success', message: 'No students found.', data: null })],
  [
    'null and what describes the answer',
    answer(200, { data: null, meta: { requestId: 'r-1', timestamp: 'x', took: 3 }, links: { self: '/x' } }),
  ],
  ['null and the exam', answer(200, { exam: { id: 3, name: 'Algebra' }, students: null })],
])('%s is an empty list', async (_what, reaction) => {
  expect(await listed(reaction)).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
});

test.each<[string, Reaction, string, string]>([
  ['an empty body', bytes(''), 'with an empty body', 'dialect.emptyList empty-body'],
  ['null alone', answer(200, null), 'with null instead of a list', 'dialect.emptyList null'],
  [
    'null and a message',
    answer(200, { data: null, message: 'Invalid token' }),
    'null in "data", beside "message"',
    'dialect.emptyList null',
  ],
  ['null and a code', answer(200, { code: 40101, data: null }), 'null in "data", beside "code"', 'dialect.emptyList null'],
  ['null and a reason', answer(200, { data: null, meta: { reason: 'shard down' } }), 'beside "meta.reason"', 'dialect.emptyList null'],
  ['null in another field', answer(200, { sessions: null }), 'an object without a list', 'dialect.listKeys data,items,results,sessions'],
])('%s fails, and the hint names the setting', async (_what, reaction, message, hint) => {
  const outcome = await listed(reaction);
  expect(outcome).toMatchObject({ code: 8, stdout: '' });
  expect(failureOf(outcome)).toMatchObject({ message: expect.stringContaining(message), hint: expect.stringContaining(hint) });
  const [, key = '', value = ''] = /config set (dialect\.\w+) (\S+)/.exec(hint.startsWith('dialect') ? `config set ${hint}` : hint) ?? [];
  expect(await listed(reaction, [[key, value]])).toMatchObject({ code: 0, stdout: '[]\n' });
});

test.each<[string, Reaction, string]>([
  ['a failure', answer(200, { data: null, errors: [{ message: 'shard 2 timed out' }] }), 'shard 2 timed out'],
  ['no success', answer(200, { data: null, success: false }), 'a list and a failure'],
  ['a total', answer(200, { data: null, total: 5 }), 'total says 5 items, but there were 0'],
  ['a total of a 204', answer(204, undefined, { 'x-total-count': '5' }), 'x-total-count says 5 items, but there were 0'],
  ['more', answer(200, { data: null, has_more: true }), '"has_more" says that there are more items'],
])('nothing beside %s fails, whatever the setting', async (_what, reaction, message) => {
  for (const settings of [[], [['dialect.emptyList', 'empty-body']]] as [string, string][][]) {
    const outcome = await listed(reaction, settings);
    expect([outcome.code, failureOf(outcome).message]).toEqual([8, expect.stringContaining(message)]);
  }
});

test('a map by ID is empty in the same ways', async () => {
  const map: [string, string] = ['dialect.listForm', 'map'];
  expect(await listed(answer(200, { data: null }), [map])).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(await listed(answer(204), [map])).toMatchObject({ code: 0, stdout: '[]\n' });
  expect((await listed(answer(200, null), [map])).code).toBe(8);
});
