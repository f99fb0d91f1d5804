/** One line that tells an exam or a session from the others, and how far an exam is, of whatever the service shows. */
import { expect, test } from 'vitest';
import { describeExam, describeSession, examClock } from '../../src/model/describe.ts';
import { firstLines, sentence } from '../../src/text/sentence.ts';

const exam = { id: 4, name: 'Linear Algebra', title: 'LA', start_time: '2027-02-01T08:00:00Z' };

test.each([
  [exam, 'name', 'Linear Algebra, 2027-02-01 09:00 +01:00'],
  [exam, 'title', 'LA, 2027-02-01 09:00 +01:00'],
  [{ ...exam, start_time: 1801468800 }, 'name', 'Linear Algebra, 2027-02-01 09:00 +01:00'],
  [{ ...exam, start_time: null }, 'name', 'Linear Algebra'],
  [{ id: 4, name: { de: 'LA' }, start_time: 'soon' }, 'name', 'soon'],
  [{ id: 4 }, 'name', ''],
])('exam %j', (shown, nameKey, line) => {
  expect(describeExam(shown, nameKey, 'Europe/Vienna')).toBe(line);
});

test.each([
  [{ id: 1, email: 'ada@example.org', name: 'Ada', status: 'registered' }, 'ada@example.org, Ada, registered'],
  [{ id: 1, email: null, name: '', status: 'mail_sent' }, 'mail_sent'],
  [{}, ''],
])('session %j', (session, line) => {
  expect(describeSession(session, 'name')).toBe(line);
});

test('twenty things are told, and the others are counted', () => {
  const last = (items: number) => firstLines(Array(items).fill(''), () => sentence`item`).slice(19);
  expect([last(20), last(22)]).toEqual([['item'], ['item', '… and 2 more.']]);
});

const [minute, hour] = [60_000, 3_600_000];
const now = Date.parse('2026-11-21T09:00:00Z');

test.each<[string, number | undefined, number | undefined]>([
  ['starts in 2 h 5 min', now + 125 * minute, now + 4 * hour],
  ['starts in 30 s', now + 30_000, undefined],
  ['has been running for 0 s, ends in 2 h', now, now + 2 * hour],
  ['has been running for 47 min, ends in 1 h 13 min', now - 47 * minute, now + 73 * minute],
  ['has been running for 5 min 1 s, has no end', now - 301_000, undefined],
  ['has no start, ends in 3 d 1 h', undefined, now + 73 * hour],
  ['ended 0 s ago', now - hour, now],
  ['ended 23 h ago', undefined, now - 23 * hour],
  ['has no times', undefined, undefined],
  ['ends before it starts', now + hour, now - hour],
])('it %s', (words, start, end) => {
  expect(examClock({ start, end }, now)).toBe(words);
});
