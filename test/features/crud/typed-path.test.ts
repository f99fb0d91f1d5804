/** The paths that a user types: only a plain spelling is sent, and the removed operation in none. */
import { describe, expect, test } from 'vitest';
import { operations, pathSegment } from '../../../src/api/operations.ts';
import { CliError, type ErrorCode } from '../../../src/errors.ts';
import { typedPath } from '../../../src/features/crud/typed-path.ts';

function codeOf(act: () => unknown): ErrorCode | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof CliError) return error.code;
    throw error;
  }
  return undefined;
}

const path = '/student_sessions/1/end_exam';
const disguises = [
  ...[path, path.slice(1), `${path}/`, `${path}//`, `/${path}`, path.replaceAll('/', '//'), path.toUpperCase(), `${path}?`, `${path}?a=1`],
  ...['%65nd_exam', '%65%6E%64%5F%65%78%61%6D', '%45nd_exam', '%2565nd_exam', '%252565nd_exam'].map((end) => `/student_sessions/1/${end}`),
  ...['1%2Fend_exam', '1%252Fend_exam', '1%5Cend_exam', '1/x/../end_exam', '1/./end_exam'].map((end) => `/student_sessions/${end}`),
  ...['/Student_Sessions/1/End_Exam', '/student_sessions\\1\\end_exam', `${path}/.`, `${path}/x/..`, ` ${path}`],
  ...['%3Fa=1', '#x', '%23x', '.json', '.xml', '%2Ejson', ';v=1', ';jsessionid=1/', '%3Bv=1'].map((behind) => path + behind),
  ...['%20', ' ', '\n', '%00', '%0a', '\u200b'].map((behind) => path + behind),
  ...['end\u00ad_exam', 'ｅｎｄ＿ｅｘａｍ', '%EF%BD%85nd_exam', encodeURIComponent('ｅｎｄ＿ｅｘａｍ')].map(
    (end) => `/student_sessions/1/${end}`,
  ),
  ...['/', '', 'https://proctor.example/', '//proctor.example/', 'https://elsewhere.example/'].map((before) => `${before}api/v1${path}`),
  `HTTPS://PROCTOR.EXAMPLE/api/v1${path}?a=1`,
];

test.each(disguises)('the removed operation is refused as %j', (typed) => {
  expect(codeOf(() => typedPath('POST', typed))).toMatch(/^(unsupported|invalid_input)$/);
});

test('the removed operation is named as such, with every method: since when, why, and what to do instead', () => {
  for (const typed of [path, path.slice(1), `/api/v1${path}`, path.toUpperCase(), `${path}/`, `${path}.json`, `${path};v=1`, `${path}?a=1`])
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
      expect(() => typedPath(method, typed)).toThrow(/removed this on 2022-05-17 because of a critical defect.*Nothing was sent/);
});

test.each([
  ...['/exams/weekend_exam', '/exams/end_exams', '/exams/end-exam', '/exams/end_exam_2', '/exams?sort=end_exam'],
  ...['/exams?path=/student_sessions/1/end_exam', '/things/a:b~c', '/things/ada.l@example.org', '/exams?q=a%20b.c/d'],
])('%s is taken as it is', (typed) => {
  expect(typedPath('GET', typed).path).toBe(typed);
});

test.each([
  ...['/EXAMS/42', '/%65xams/42', '/exams%2F42', '/exams/42/', '/exams//42', '/exams/42;v=1', '/exams/a%20b', '/exams/%C3%BC'],
  ...['/exams/ü', '/exams/42/Send_Emails', '/exams/42/send_emails.json', '/exams.json', '/exams/3.json', '/exams/3,4', '/exams/%2533'],
  ...['/exams/./42', '/exams/%E0%A4%A'],
])('%s is another spelling, and refused', (typed) => {
  const method = /send/i.test(typed) ? 'POST' : 'GET';
  expect(codeOf(() => typedPath(method, typed))).toBe('invalid_input');
});

test.each([
  ['PATCH', '/exams/42', 'patchExam', { id: '42' }],
  ['PATCH', 'exams/42?x=1', 'patchExam', { id: '42' }],
  ['PUT', '/exams/ada@example.org', 'putExam', { id: 'ada@example.org' }],
  ['POST', '/exams/42/send_emails', 'sendEmails', { id: '42' }],
  ['GET', '/api/v1/student_sessions/7', 'getSession', { id: '7' }],
  ['GET', '/exams/42/proctor_pool', 'listProctors', { id: '42' }],
  ['GET', '/exams/42/send_emails', undefined, {}],
  ['POST', '/exams/42', undefined, {}],
  ['GET', '/things/1', undefined, {}],
  ['POST', '/exams/42/7/send_emails', undefined, {}],
] as const)('%s %s is the operation %s', (method, typed, id, params) => {
  const { operation, params: found } = typedPath(method, typed);
  expect(operation?.id).toBe(id);
  expect(found).toEqual(params);
});

describe('an ID as a segment of a path', () => {
  test.each([
    ['42', '42'],
    ['a b', 'a%20b'],
    ['ü', '%C3%BC'],
    ['a.b', 'a.b'],
    ['...a', '...a'],
    ['?#&%', '%3F%23%26%25'],
    ['%2F', '%252F'],
    [';v=1', '%3Bv%3D1'],
    ['18446744073709551616', '18446744073709551616'],
  ])('%j is encoded as %s', (id, segment) => {
    expect(pathSegment(id)).toBe(segment);
  });

  test.each(['', ' ', '\t', '.', '..', '...', '/', 'a/b', '\\', 'a\\b', 'a\nb', '\u0000', 'a\u007f', '\ud800'])('%j is refused', (id) => {
    expect(codeOf(() => pathSegment(id))).toBe('invalid_input');
  });
});

test.each([
  ['5', 'sessions get 5', 'sessions list --exam 5'],
  ['--yes', 'sessions get -- --yes', 'sessions list --exam=--yes'],
])('the command that shows whether a write happened names the ID %s: %s, %s', (id, session, students) => {
  const { deleteSession, sendEmails, createSession } = operations;
  expect([deleteSession.look({ id }), sendEmails.look({ id }), createSession.look({ exam_id: id })]).toEqual([session, students, students]);
});
