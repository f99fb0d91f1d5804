/** The user's own paths: the removed operation is found in every disguise, and no other path is mistaken for it. */
import { describe, expect, test } from 'vitest';
import { rawPath } from '../../src/api/raw-path.ts';
import { pathSegment } from '../../src/api/request.ts';
import { CliError, type ErrorCode } from '../../src/errors.ts';

const at = { baseUrl: 'https://proctor.example/api/v1', origin: 'https://proctor.example' };

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
  path,
  path.slice(1),
  `${path}/`,
  `${path}//`,
  `/${path}`,
  path.replaceAll('/', '//'),
  path.toUpperCase(),
  '/Student_Sessions/1/End_Exam',
  '/student_sessions/1/%65nd_exam',
  '/student_sessions/1/%65%6E%64%5F%65%78%61%6D',
  '/student_sessions/1/%65%6e%64%5f%65%78%61%6d',
  '/student_sessions/1/%45nd_exam',
  '/student_sessions/1/%2565nd_exam',
  '/student_sessions/1/%252565nd_exam',
  '/student_sessions/1%2Fend_exam',
  '/student_sessions/1%252Fend_exam',
  '/student_sessions/1%5Cend_exam',
  '/student_sessions\\1\\end_exam',
  '/student_sessions/1/x/../end_exam',
  '/student_sessions/1/./end_exam',
  '/student_sessions/1/end_exam/.',
  '/student_sessions/1/end_exam/x/..',
  `${path}?`,
  `${path}?a=1`,
  `${path}%3Fa=1`,
  `${path}#x`,
  `${path}%23x`,
  `${path}.json`,
  `${path}.xml`,
  `${path}%2Ejson`,
  `${path};v=1`,
  `${path};jsessionid=1/`,
  `${path}%3Bv=1`,
  `${path}%20`,
  `${path} `,
  ` ${path}`,
  `${path}\n`,
  `${path}%00`,
  `${path}%0a`,
  `${path}\u200b`,
  '/student_sessions/1/end\u00ad_exam',
  '/student_sessions/1/ｅｎｄ＿ｅｘａｍ',
  '/student_sessions/1/%EF%BD%85nd_exam',
  `/student_sessions/1/${encodeURIComponent('ｅｎｄ＿ｅｘａｍ')}`,
  `/api/v1${path}`,
  `api/v1${path}`,
  `https://proctor.example/api/v1${path}`,
  `HTTPS://PROCTOR.EXAMPLE/api/v1${path}?a=1`,
  `//proctor.example/api/v1${path}`,
  `https://elsewhere.example/api/v1${path}`,
];

describe('the removed operation', () => {
  test.each(disguises)('is refused as %j', (typed) => {
    expect(codeOf(() => rawPath('POST', typed, at))).toBe('unsupported');
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'] as const)('is refused with %s', (method) => {
    expect(codeOf(() => rawPath(method, path, at))).toBe('unsupported');
  });

  test('is explained: since when, why, and what to do instead', () => {
    expect(() => rawPath('POST', path, at)).toThrow(/removed this operation on 2022-05-17 because of a critical defect.*Nothing was sent/);
  });
});

describe('a path that only resembles it is accepted', () => {
  test.each([
    '/exams/weekend_exam',
    '/exams/end_exams',
    '/exams/the_end_exam_of_2027',
    '/exams/end-exam',
    '/exams/end/exam',
    '/exams/endexam',
    '/exams/end_exam_2',
    '/exams?sort=end_exam',
    '/exams?path=/student_sessions/1/end_exam',
    '/student_sessions/1',
    '/exams/extend_exam',
  ])('%s', (typed) => {
    expect(rawPath('GET', typed, at).path).toBe(typed);
  });
});

describe('a path of the table is that operation, however it is spelled', () => {
  test.each([
    ['PATCH', '/exams/42', 'patchExam', { id: '42' }],
    ['PATCH', 'exams/42/', 'patchExam', { id: '42' }],
    ['PATCH', '/EXAMS/42?x=1', 'patchExam', { id: '42' }],
    ['PUT', '/%65xams/a%20b', 'putExam', { id: 'a b' }],
    ['PATCH', '/exams%2F42', 'patchExam', { id: '42' }],
    ['GET', '/exams/%C3%BC', 'getExam', { id: 'ü' }],
    ['POST', '/exams/42/send_emails', 'sendEmails', { id: '42' }],
    ['POST', '/exams/42/send%5Femails/', 'sendEmails', { id: '42' }],
    ['POST', '/exams/42/send_emails.json', 'sendEmails', { id: '42' }],
    ['POST', '/exams/42/send_emails;v=1', 'sendEmails', { id: '42' }],
    ['POST', '/exams/42%2Fsend_emails', 'sendEmails', { id: '42' }],
    ['GET', 'https://proctor.example/api/v1/student_sessions/7', 'getSession', { id: '7' }],
    ['GET', '/exams.json', 'listExams', {}],
    ['GET', '/exams/42/proctor_pool', 'listProctors', { id: '42' }],
  ] as const)('%s %s is %s', (method, typed, id, params) => {
    const { operation, params: found } = rawPath(method, typed, at);
    expect(operation?.id).toBe(id);
    expect(found).toEqual(params);
  });

  test.each([
    ['GET', '/exams/42/send_emails'],
    ['POST', '/exams/42'],
    ['GET', '/'],
    ['GET', '/things/1'],
    ['POST', '/exams/42/7/send_emails'],
  ] as const)('%s %s is none', (method, typed) => {
    expect(rawPath(method, typed, at).operation).toBeUndefined();
  });
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
