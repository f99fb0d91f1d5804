/** A cache in front of the service that gives old answers, although each read demands a new one: no write rests on them. */
import { expect, test } from 'vitest';
import { held } from '../support/algebra.ts';
import { refused, type Service } from '../support/service.ts';
import { failureOf } from './outcome.ts';

const update = 'exams update 1 --allow-headphones -o json';
const get = 'GET /exams/1';
/** The exam as it is, from a cache that has kept it for so many seconds. */
const kept = (service: Service, age: number) => refused(200, service.exams[0], { age: String(age) });

test('a write that rests on an old answer is not sent', async () => {
  const service = held();
  service.fault = ({ line: request }) => (request === get ? kept(service, 57) : undefined);
  const outcome = await service.run(update);
  expect(failureOf(outcome)).toMatchObject({
    code: 'bad_answer',
    exit: 8,
    message: expect.stringMatching(/was not sent: .* in a cache for 57 s \(Age: 57\)/),
    hint: expect.stringContaining(`not to cache ${service.origin}/api/v1`),
  });
  expect(service.writes()).toEqual([]);
});

test('an import into an exam whose list is old sends no row', async () => {
  const service = held();
  service.fault = ({ line: request }) => (request.endsWith('/student_sessions') ? refused(200, [], { age: '57' }) : undefined);
  const { code, stderr } = await service.run('sessions import - --exam 1 --yes', { stdin: 'email\na@example.org\nb@example.org\n' });
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('(Age: 57)') });
  expect(service.writes()).toEqual([]);
});

test('an old answer after a write proves nothing about it', async () => {
  const service = held();
  const before = { ...service.exams[0] };
  service.fault = ({ line: request }) => (request === get && service.writes().length > 0 ? refused(200, before, { age: '57' }) : undefined);
  const { code, stderr } = await service.run(update);
  expect(stderr).not.toContain('did not carry it out');
  expect(stderr).toContain('in a cache for 57 s (Age: 57)');
  expect(code).toBe(10);
});

test('an answer of the age 0 is new, and a command that only reads takes an old one', async () => {
  const service = held();
  service.fault = ({ line: request }) => (request === get ? kept(service, 0) : undefined);
  expect((await service.run(update)).code).toBe(0);
  service.fault = ({ line: request }) => (request === get ? kept(service, 57) : undefined);
  for (let time = 0; time < 2; time += 1) expect((await service.run('exams get 1')).code).toBe(0);
});
