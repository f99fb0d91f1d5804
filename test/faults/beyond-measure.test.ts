/** Answers that are too deep, too large or no text: never a fault of ours, and after a write never "again". */
import { describe, expect, test } from 'vitest';
import { held } from '../support/algebra.ts';
import { refused, type Said, type Service, said } from '../support/service.ts';
import { attemptWith, failureOf } from './outcome.ts';
import { answer } from './server.ts';

const deep = (levels: number, inside = '') => '{"a":'.repeat(levels) + (inside || '1') + '}'.repeat(levels);
/** A service that answers each read so. */
function answering(answer: Said): Service {
  const service = held();
  service.always('GET', { answer });
  return service;
}

const create = 'sessions create --exam 1 --email a@example.org -o json';

const unreadable: [string, Said][] = [
  ['5,000 levels deep', said(201, `{"id":7,"extra":${deep(5000)}}`)],
  ['5,000 levels of lists deep', said(201, `{"id":7,"extra":${'['.repeat(5000)}${']'.repeat(5000)}}`)],
  ['100,000 levels deep with a long number, which takes another way', said(201, `{"id":12345678901234567890,"extra":${deep(100_000)}}`)],
  ['no UTF-8', said(201, Buffer.from('{"id":7,"name":"M\xfcller"}', 'latin1'))],
];

describe('an answer that cannot be read', () => {
  test.each(unreadable)('to a write is settled by looking: %s', async (_what, answer) => {
    const service = held();
    service.next('write', { answer });
    const outcome = await service.run(create);
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).not.toContain('proctor-cli:');
    expect(service.writes()).toHaveLength(1);
    const there = held();
    there.next('write', { answer, done: 'now' });
    expect(await there.run(create)).toMatchObject({ code: 0 });
  });

  test.each(unreadable)('to a read is a bad answer: %s', async (_what, answer) => {
    for (const line of ['sessions get 7 -o json', 'api GET /student_sessions/7 -o json']) {
      const service = answering(answer);
      const outcome = await service.run(line);
      expect(outcome).toMatchObject({ code: 8, stdout: '' });
      expect(failureOf(outcome)).toMatchObject({ code: 'bad_answer', message: expect.not.stringContaining('proctor-cli:') });
    }
  });

  test('is read to the limit and no further', async () => {
    const service = answering(said(200, deep(100, '{"id":1}').replace('{"a"', '{"id":7,"a"')));
    expect(await service.run('sessions get 7 -o json')).toMatchObject({ code: 8 });
    const within = said(200, `{"id":7,"a":${deep(99)}}`);
    for (const format of ['json', 'csv', 'table'])
      expect((await answering(within).run(`sessions get 7 -o ${format}`)).code, format).toBe(0);
  });

  test('as the words of a failure does not hide what the failure means', async () => {
    for (const body of [deep(5000), 'x'.repeat(1 << 20)]) {
      const service = held();
      service.next('write', refused(422, body));
      expect((await service.run(create)).code).toBe(7);
    }
  });
});

test('an answer of more than 64 MB is refused, without a second try', async () => {
  const many = answer(200, 'x'.repeat(64_000_001));
  for (const line of ['exams list -o json', 'sessions get 7 -o json']) {
    const outcome = await attemptWith(many, line);
    expect(outcome).toMatchObject({ code: 8, stdout: '', waits: [] });
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining('the answer is larger than 64 MB'),
      hint: expect.stringContaining('config set dialect.listQuery per_page=1000'),
    });
  }
});

test.each([`[{"id":1,"a":${deep(5000)}}]`, `{"exams":[{"id":1,"a":${deep(5000)}}]}`, `{"meta":${deep(5000)},"exams":[]}`])(
  'a list with an item that is too deep fails as one',
  async (body) => {
    const outcome = await answering(said(200, body)).run('exams list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain('nested more than 100 levels deep');
  },
);

test.each(['json', 'ndjson', 'csv'])('numbers keep every digit as %s', async (format) => {
  const numbers = ['1e400', '-1e400', '1e-400', '12345678901234567.25', '0.1234567890123456789', '12345678901234567890', '1.5', '0.1'];
  const body = `[${numbers.map((number, id) => `{"id":${id},"extra":${number}}`).join(',')}]`;
  const { code, stdout } = await answering(said(200, body)).run(`exams list -o ${format} --columns extra`);
  expect(code).toBe(0);
  for (const number of numbers) expect(stdout.split(/[\s,"{}[\]]+|extra|:/)).toContain(number);
});
