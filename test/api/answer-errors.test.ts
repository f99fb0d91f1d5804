/** The service's own words are found in whatever body an error has, and an answer means what its status says. */
import { describe, expect, test } from 'vitest';
import { answerError, badAnswer } from '../../src/api/answer-errors.ts';
import { detailOf } from '../../src/api/error-words.ts';
import type { HttpAnswer } from '../../src/api/http.ts';
import { typedLook } from '../../src/api/operations.ts';

const answer = (status: number, headers: Record<string, string> = {}): HttpAnswer => ({ status, headers, body: Buffer.alloc(0) });

describe('the words in a body', () => {
  const bodies: [unknown, string][] = [
    [{ message: 'Email is taken' }, 'Email is taken.'],
    [{ message: 'Email is taken.' }, 'Email is taken.'],
    [{ error: 'no such exam' }, 'no such exam.'],
    [{ error: { code: 12, message: 'no such exam' } }, 'no such exam.'],
    [{ status: 422, error: 'Unprocessable', message: 'Email is taken' }, 'Email is taken.'],
    [{ errors: ['one', 'two'] }, 'one; two.'],
    [{ errors: [{ message: 'one' }, { detail: 'two' }] }, 'one; two.'],
    [{ errors: { email: ['is taken', 'is bad'], name: ['is blank'] } }, 'email: is taken; is bad; name: is blank.'],
    [{ email: ['is taken'] }, 'email: is taken.'],
    [{ type: 'about:blank', title: 'Bad', detail: 'The end is before the start' }, 'The end is before the start.'],
    [{ title: 'Bad Request', status: 400 }, 'Bad Request.'],
    [{ message: '', detail: 'the real one' }, 'the real one.'],
    [{ message: null, error: 'the real one' }, 'the real one.'],
    [{ message: { text: 'within' } }, 'text: within.'],
    ['just text', 'just text.'],
    [['a', 'b'], 'a; b.'],
    [{ code: 17 }, '{"code":17}.'],
    [12, '12.'],
    [{ message: 'line one\n\n  line two' }, 'line one line two.'],
    [{ message: 'Why?' }, 'Why?'],
    [
      { message: 'Validation failed.', errors: { email: ['is taken'], name: ['is blank'] } },
      'Validation failed: email: is taken; name: is blank.',
    ],
    [{ message: 'Invalid', errors: [{ field: 'email', message: 'is taken' }] }, 'Invalid: email is taken.'],
    [{ errors: [{ source: { pointer: '/email' }, status: 422, detail: 'is taken' }] }, '/email is taken.'],
    [{ detail: [{ loc: ['body', 'email'], msg: 'is taken' }] }, 'body email is taken.'],
    [{ name: 'ValidationError', message: 'is taken' }, 'is taken.'],
    [{ message: 'No', student: { email: 'ada@example.org' } }, 'No.'],
  ];
  test.each(bodies)('%j', (body, words) => {
    expect(detailOf(JSON.stringify(body), answer(422))).toBe(words);
  });

  test.each([
    ['', ''],
    [' \n', ''],
    ['Bad gateway', 'Bad gateway.'],
    ['{"message":"cut sho', '{"message":"cut sho.'],
    ['{"message":""}', '{"message":""}.'],
    ['""', ''],
    ['{}', ''],
    ['[]', ''],
    ['<!DOCTYPE html><html><title>x</title>', 'the body is an HTML page, not JSON.'],
    ['  <html lang="en">', 'the body is an HTML page, not JSON.'],
  ])('%j', (text, words) => {
    expect(detailOf(text, answer(500))).toBe(words);
  });

  test('a page is recognised by its type, too', () => {
    expect(detailOf('oops', answer(502, { 'content-type': 'text/HTML; charset=utf-8' }))).toBe('the body is an HTML page, not JSON.');
  });

  test('are cut when they are long', () => {
    const words = detailOf(JSON.stringify({ message: 'x'.repeat(10_000) }), answer(422));
    expect(words).toMatch(/^x{500}…$/);
  });
});

describe('the meaning of a status', () => {
  const request = (repeat: 'safe' | 'settle' | 'never') => ({
    does: 'do it',
    path: '/exams/5',
    repeat,
    look: typedLook('exams list', {}),
  });
  test.each([
    [301, 'redirected', 'outcome_unknown'],
    [307, 'redirected', 'outcome_unknown'],
    [400, 'rejected', 'rejected'],
    [401, 'token_refused', 'token_refused'],
    [403, 'token_refused', 'token_refused'],
    [404, 'not_found', 'not_found'],
    [405, 'rejected', 'rejected'],
    [408, 'unavailable', 'outcome_unknown'],
    [409, 'rejected', 'rejected'],
    [410, 'rejected', 'rejected'],
    [422, 'rejected', 'rejected'],
    [429, 'rate_limited', 'rate_limited'],
    [500, 'unavailable', 'outcome_unknown'],
    [502, 'unavailable', 'outcome_unknown'],
    [503, 'unavailable', 'outcome_unknown'],
    [504, 'unavailable', 'outcome_unknown'],
    [599, 'unavailable', 'outcome_unknown'],
  ])('%i is %s for a read and %s for a write', (status, read, write) => {
    expect(answerError(request('safe'), answer(status), '')).toMatchObject({ code: read, status });
    expect(answerError(request('settle'), answer(status), '')).toMatchObject({ code: write, status });
    expect(answerError(request('never'), answer(status), '')).toMatchObject({ code: write, status });
  });

  test.each([400, 401, 403, 404, 422, 429, 500, 503])('%i ends its sentence, with and without words', (status) => {
    for (const repeat of ['safe', 'settle'] as const) {
      expect(answerError(request(repeat), answer(status), '').message).toMatch(/[^.:]\.$/);
      expect(answerError(request(repeat), answer(status), 'It is so.').message).toMatch(/: It is so\.( Its outcome is unknown\.)?$/);
    }
  });

  test('an outcome that is unknown says how to find out', () => {
    expect(answerError(request('never'), answer(500), '').hint).toContain('proctor-cli exams list');
  });

  test('the target of a redirect is shown without its query and without a password', () => {
    const { message } = answerError(
      request('safe'),
      answer(302, { location: 'https://user:secret@elsewhere.example/login?token=secret#secret' }),
      '',
    );
    expect(message).toContain('https://elsewhere.example/login;');
    expect(message).not.toContain('secret');
  });

  test.each([
    ['/exams/5', 'proctor-cli exams list'],
    ['/exams/5/student_sessions', 'proctor-cli exams list'],
    ['/student_sessions/5', 'proctor-cli sessions find NAME'],
    ['/exams', 'proctor-cli doctor'],
  ])('where to look for what is not at %s is told', (path, line) => {
    expect(answerError({ ...request('safe'), path }, answer(404), '').hint).toMatch(new RegExp(`: ${line}$`));
  });

  test('how long to wait is told', () => {
    expect(answerError(request('settle'), answer(429, { 'retry-after': '17' }), '').hint).toContain('Retry-After: 17');
  });

  test('a page in place of JSON is told by its title alone', () => {
    const { message } = badAnswer('list the exams', 200, 'HTML instead of JSON', {
      html: '<html><title> Sign in\n</title><body>secret</body>',
    });
    expect(message).toContain('a page titled "Sign in"');
    expect(message).not.toContain('secret');
  });
});
