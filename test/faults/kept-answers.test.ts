/** A cache in front of the service that gives old answers, although each read demands a new one: no write rests on them. */
import { expect, test } from 'vitest';
import { serviceWithExam } from '../support/algebra.ts';
import { refused, type Service } from '../support/service.ts';
import { failureOf } from './outcome.ts';

const update = 'exams update 1 --allow-headphones -o json';

/** A service behind it, and what it has kept for so many seconds: the exam as it was, and a list of nobody. */
function behind(age: number, isOld: (service: Service) => boolean = () => true): Service {
  const service = serviceWithExam();
  const before = { ...service.exams[0] };
  service.fault = ({ method, path }) =>
    method === 'GET' && isOld(service) ? refused(200, path.endsWith('/student_sessions') ? [] : before, { age: String(age) }) : undefined;
  return service;
}

test.each([update, 'sessions import - --exam 1 --yes -o json'])('a write that rests on an old answer is not sent: %s', async (line) => {
  const service = behind(57);
  const outcome = await service.run(line, { stdin: 'email\na@example.org\nb@example.org\n' });
  expect(failureOf(outcome)).toMatchObject({
    code: 'bad_answer',
    exit: 8,
    message: expect.stringContaining('a copy of 57 s ago'),
    hint: expect.stringContaining(`not to cache ${service.origin}/api/v1`),
  });
  expect(service.writes()).toEqual([]);
});

test('an old answer after a write proves nothing about it', async () => {
  const { code, stderr } = await behind(57, (service) => service.writes().length > 0).run(update);
  expect([code, stderr]).toEqual([10, expect.stringContaining('a copy of 57 s ago')]);
  expect(stderr).not.toContain('shows otherwise');
});

test('an answer of the age 0 is new, and a command that only reads takes an old one', async () => {
  expect((await behind(0, (service) => service.writes().length === 0).run(update)).code).toBe(0);
  expect((await behind(57).run('exams get 1')).code).toBe(0);
});
