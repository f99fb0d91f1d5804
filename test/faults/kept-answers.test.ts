/** A cache in front of the service that gives old answers, although each read demands a new one: no write rests on them. */
import { expect, test } from 'vitest';
import { goodExam } from '../features/doctor/examined.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, faultServer } from './server.ts';

const old = { age: '57' };
const shown = (headers = {}, exam = {}) => answer(200, { ...goodExam, id: 3, ...exam }, headers);
const update = 'exams update 3 --allow-headphones -o json';

test('a write that rests on an old answer is not sent', async () => {
  const server = await faultServer([shown(old), answer(500)]);
  const outcome = await attempt(update, server.origin);
  expect(failureOf(outcome)).toMatchObject({
    code: 'bad_answer',
    exit: 8,
    message: expect.stringMatching(/was not sent: .* kept for 57 s \(Age: 57\)/),
    hint: expect.stringContaining(`not to cache ${server.origin}/api/v1`),
  });
  expect(server.requests()).toEqual(['GET /exams/3']);
});

test('an import into an exam whose list is old sends no row', async () => {
  const server = await faultServer([shown(), answer(200, [], old), answer(500)]);
  const { code, stderr } = await attempt('sessions import - --exam 3 --yes', server.origin, {
    stdin: 'email\na@example.org\nb@example.org\n',
  });
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('(Age: 57)') });
  expect(server.requests().every((request) => request.startsWith('GET '))).toBe(true);
});

test('an old answer after a write proves nothing about it', async () => {
  const server = await faultServer([shown(), shown({}, { allow_headphones: true }), shown(old)]);
  const outcome = await attempt(update, server.origin);
  expect(failureOf(outcome).message).not.toContain('did not carry out');
  expect(failureOf(outcome).message).toContain('kept for 57 s (Age: 57)');
  expect(outcome.code).not.toBe(0);
});

test('an answer of the age 0 is new, and a command that only reads takes an old one', async () => {
  const age = { age: '0' };
  const server = await faultServer([shown(age), shown(age, { allow_headphones: true }), shown(age, { allow_headphones: true })]);
  expect((await attempt(update, server.origin)).code).toBe(0);
  const cached = await faultServer([shown(old), shown(old)]);
  for (let time = 0; time < 2; time += 1) expect((await attempt('exams get 3', cached.origin)).code).toBe(0);
});

test('a failure that a cache has kept shows nothing of the service: the answer to the next try counts', async () => {
  const down = answer(503, { message: 'the origin is away' }, { age: '4' });
  const allowed = { allow_headphones: true };
  const server = await faultServer([down, shown(), shown({}, allowed), down, shown({}, allowed)]);
  expect(await attempt(update, server.origin)).toMatchObject({ code: 0 });
  expect(server.requests()).toEqual(['GET /exams/3', 'GET /exams/3', 'PATCH /exams/3', 'GET /exams/3', 'GET /exams/3']);
});
