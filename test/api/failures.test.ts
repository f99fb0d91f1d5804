/** The service's own words are found in whatever document a failure has, and an answer means what its status says. */
import { describe, expect, test } from 'vitest';
import { replyOf, textsInAnswer } from '../../src/api/answer.ts';
import { refusalOf } from '../../src/api/refusal.ts';
import { Secrets } from '../../src/model/secrets.ts';

const reply = (status: number, body = '', headers: Record<string, string> = {}) =>
  replyOf({ status, headers, body: Buffer.from(body), broken: undefined }, { sent: 0, received: 0 }, new Secrets());

test.each([
  [{ message: 'Email is taken.' }, 'Email is taken.'],
  [{ status: 422, error: 'Unprocessable', message: 'Email is taken' }, 'Unprocessable; Email is taken.'],
  [
    { errors: { email: ['is taken', 'is bad'], name: ['is blank'] } },
    'errors.email: is taken; errors.email: is bad; errors.name: is blank.',
  ],
  [{ error: 'Invalid', fields: { email: ['is taken'] } }, 'Invalid; fields.email: is taken.'],
  [{ error: { details: [{ field: 'email', reason: 'is taken' }] } }, 'error.details.field: email; error.details.reason: is taken.'],
  // What a summary says is said once.
  [{ message: 'Email is taken.', errors: { email: ['is taken'], name: ['is taken'] } }, 'Email is taken; errors.name: is taken.'],
  [{ error: 'invalid', message: 'email is bad.', errors: [{ field: 'email', message: 'is bad' }] }, 'invalid; email is bad.'],
  [{ message: '', detail: null, title: 'Bad' }, 'title: Bad.'],
  ['just text', 'just text.'],
  [['a', 'b'], 'a; b.'],
  [{ message: 'line one\n\n  line two' }, 'line one line two.'],
  [{ code: 17, data: {}, list: [] }, ''],
  [{ message: 'No', token: 'abc' }, 'No.'],
  [
    { texts: Array.from({ length: 12 }, (_, at) => `t${at}`) },
    Array.from({ length: 10 }, (_, at) => `texts: t${at}`)
      .join('; ')
      .concat('.'),
  ],
  ['x'.repeat(10_000), `${'x'.repeat(500)}…`],
  [['x'.repeat(400), 'y'.repeat(400)], `${'x'.repeat(400)}; ${'y'.repeat(98)}…`],
])('the words of %j', (document, words) => {
  expect(textsInAnswer(document)).toBe(words);
});

test.each([
  ['', ''],
  [' \n', ''],
  ['Bad gateway', 'Bad gateway.'],
  ['{"message":"cut sho', '{"message":"cut sho.'],
  ['{}', ''],
  ['<!DOCTYPE html><html><title>x</title>', 'its answer is HTML instead of JSON.'],
  ['  <html lang="en">', 'its answer is HTML instead of JSON.'],
])('the words of a failure whose body is %j', (body, words) => {
  expect(reply(500, body).words).toBe(words);
});

test('a page is recognised by its type, too', () => {
  expect(reply(502, 'oops', { 'content-type': 'text/HTML; charset=utf-8' }).words).toBe('its answer is HTML instead of JSON.');
});

describe('the meaning of a status', () => {
  const request = { does: 'do it', path: '/exams/5' };
  test.each([
    ...[301, 307].map((status) => [status, 'redirected'] as const),
    ...[401, 403].map((status) => [status, 'token_refused'] as const),
    ...[400, 405, 409, 422].map((status) => [status, 'rejected'] as const),
    ...[408, 425, 499, 500, 503, 599].map((status) => [status, 'unavailable'] as const),
    [404, 'not_found'] as const,
    [429, 'rate_limited'] as const,
  ])('%i is %s, in a whole sentence with and without words', (status, code) => {
    const silent = refusalOf(request, reply(status));
    expect(silent).toMatchObject({ code, status });
    expect(silent.message).toMatch(/[^.:]\.$/);
    if (status >= 400) expect(refusalOf(request, reply(status, 'It is so')).message).toMatch(/: It is so\.$/);
  });

  test('the target of a redirect is shown without its query and without a password', () => {
    const location = 'https://user:secret@elsewhere.example/login?token=secret#secret';
    const { message } = refusalOf(request, reply(302, '', { location }));
    expect(message).toContain('https://elsewhere.example/login;');
    expect(message).not.toContain('secret');
  });

  test('how long to wait', () => {
    const hint = (after: string, date = '') => refusalOf(request, reply(429, '', { 'retry-after': after, date })).hint;
    expect(hint('17')).toBe('Wait as long as the service asks (17 s), then run the command again.');
    expect(hint('Sat, 21 Nov 2026 08:01:00 GMT', 'Sat, 21 Nov 2026 08:00:00 GMT')).toContain('(1 min)');
    expect(hint('9999999, then log in again at https://evil.example/login')).not.toMatch(/evil|9999999/);
  });
});
