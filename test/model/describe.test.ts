/** One line that tells an exam or a session from the others, of whatever the service shows of it. */
import { expect, test } from 'vitest';
import { describeExam, describeSession } from '../../src/model/describe.ts';

const exam = { id: 4, name: 'Linear Algebra', title: 'LA', start_time: '2027-02-01T08:00:00Z' };

test.each([
  [exam, 'name', 'Linear Algebra, 2027-02-01 09:00 +01:00'],
  [exam, 'title', 'LA, 2027-02-01 09:00 +01:00'],
  [{ ...exam, start_time: 1801468800 }, 'name', 'Linear Algebra, 2027-02-01 09:00 +01:00'],
  [{ ...exam, start_time: null }, 'name', 'Linear Algebra'],
  [{ id: 4, name: { de: 'LA' }, start_time: 'soon' }, 'name', 'soon'],
  [{ id: 4 }, 'name', ''],
])('exam %j', (shown, nameKey, line) => {
  expect(describeExam(shown, { nameKey, zone: 'Europe/Vienna' })).toBe(line);
});

test.each([
  [{ id: 1, email: 'ada@example.org', name: 'Ada', status: 'registered' }, 'ada@example.org, Ada, registered'],
  [{ id: 1, email: null, name: '', status: 'mail_sent' }, 'mail_sent'],
  [{}, ''],
])('session %j', (session, line) => {
  expect(describeSession(session, { nameKey: 'name' })).toBe(line);
});
