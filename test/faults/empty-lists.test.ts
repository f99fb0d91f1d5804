/** Answers without items: an empty list where they say so, and an error where a failure may look like this. */
import { expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, bytes, faultServer, type Reaction } from './server.ts';

const listed = async (reaction: Reaction, settings: [string, string][] = [], line = 'sessions list -o json') => {
  const server = await faultServer(Array.from({ length: 5 }, () => reaction));
  return attempt(line, server.origin, { home: await homeWith(...settings) });
};

test('204 and [] are empty lists', async () => {
  for (const reaction of [answer(204), answer(200, []), answer(200, { student_sessions: [], total: 0 })])
    expect(await listed(reaction)).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
});

test.each<[string, Reaction, string]>([
  ['an empty body', bytes(''), 'with an empty body'],
  ['null alone', answer(200, null), 'with null instead of a list'],
  ['null in the field of the list', answer(200, { student_sessions: null }), 'an object without a list (fields: student_sessions)'],
])('%s fails: it may be a failure', async (_what, reaction, message) => {
  const outcome = await listed(reaction);
  expect(outcome).toMatchObject({ code: 8, stdout: '' });
  expect(failureOf(outcome).message).toContain(message);
});

test.each<[string, Reaction, string, string]>([
  ['a list in another field', answer(200, { entries: [] }), 'an object without a list', 'dialect.listKey entries'],
  [
    'a list in a field of another field',
    answer(200, { _embedded: { entries: [] }, page: { size: 20 } }),
    'an object without a list',
    'dialect.listKey _embedded.entries',
  ],
])('%s fails, and the hint names the setting', async (_what, reaction, message, hint) => {
  const outcome = await listed(reaction);
  expect(outcome).toMatchObject({ code: 8, stdout: '' });
  expect(failureOf(outcome)).toMatchObject({ message: expect.stringContaining(message), hint: expect.stringContaining(hint) });
  const [key = '', value = ''] = hint.split(' ');
  expect(await listed(reaction, [[key, value]])).toMatchObject({ code: 0, stdout: '[]\n' });
});

test.each<[string, Reaction, string]>([
  ['a failure', answer(200, { data: null, errors: [{ message: 'shard 2 timed out' }] }), 'shard 2 timed out'],
  ['no success', answer(200, { data: null, success: false }), 'with a failure'],
  ['a failure alone', answer(200, { errors: ['shard 2 timed out'] }), 'with a failure: errors: shard 2 timed out'],
  ['a total of a 204', answer(204, undefined, { 'x-total-count': '5' }), 'x-total-count says 5 items, but there were 0'],
])('nothing beside %s fails', async (_what, reaction, message) => {
  const outcome = await listed(reaction);
  expect([outcome.code, failureOf(outcome).message]).toEqual([8, expect.stringContaining(message)]);
});
