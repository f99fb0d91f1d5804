/** Which ID a Location tells, of a service at https://proctor.example/api/v1. */
import { expect, test } from 'vitest';
import { idInLocation } from '../../src/api/client.ts';

const base = 'https://proctor.example/api/v1';

test.each([
  ['/api/v1/student_sessions/105', '105'],
  ['https://proctor.example/api/v1/exams/6/student_sessions/105/', '105'],
  ['student_sessions/a%20b', 'a b'],
  ['/api/v1/students/007', '007'],
  ['/api/v1/student_sessions/12345678901234567890', '12345678901234567890'],
])('%s is that of %s.', (location, id) => {
  expect(idInLocation(location, 'session', base)).toBe(id);
});

test.each([
  undefined,
  '',
  'https://elsewhere.example/api/v1/student_sessions/105',
  '/api/v1/exams/6',
  '/api/v1/student_sessions',
  '/api/v1/student_sessions/%E0%A4%A',
  'http://[',
])('%s tells no session.', (location) => {
  expect(idInLocation(location, 'session', base)).toBeUndefined();
});
