/** One status in many spellings: it is recognised, counted and filtered as one. */
import { describe, expect, test } from 'vitest';
import { countedStatus, phaseOf, sessionStatuses, statusFilter, statusOf, statusText } from '../../src/model/status.ts';

const spellings = ['exam_started', 'EXAM_STARTED', 'Exam_Started', 'exam-started', 'Exam Started', 'examStarted', 'ExamStarted'];

describe('a status of the specification', () => {
  test.each(spellings)('spelled %s means the same', (word) => {
    expect([statusOf(word), phaseOf(word), countedStatus(word), statusFilter(word)]).toEqual([
      'exam_started',
      'writing',
      'exam_started',
      'exam_started',
    ]);
  });

  test('is itself in its own spelling', () => {
    expect(sessionStatuses.map(countedStatus)).toEqual([...sessionStatuses]);
  });
});

test.each(['PAUSED', 'exam started now', '', 'mail_send', '__proto__'])(
  '%j is no status of the specification and counts as it is',
  (word) => {
    expect([statusOf(word), countedStatus(word)]).toEqual([undefined, word]);
    expect(() => statusFilter(word)).toThrow();
  },
);

test('a status in an object is that of its one word', () => {
  const status = { id: 6, name: 'EXAM_STARTED', label: 'The exam has been started', color: 'red' };
  expect([statusOf(status), phaseOf(status), statusText(status)]).toEqual(['exam_started', 'writing', 'exam_started']);
});

test.each([
  { name: 'active' },
  { now: 'exam_started', before: 'registered' },
  { name: { of: 'exam_started' } },
  ['exam_started'],
  {},
  null,
])('a status that is %j is unknown', (status) => {
  expect([statusOf(status), statusText(status)]).toEqual([undefined, null]);
});

test('a former spelling is refused in capitals, too, with its present name', () => {
  expect(() => statusFilter('MAIL_SEND')).toThrow(/has been called mail_sent since/);
});

test('a session without a status is counted as one', () => {
  expect([statusOf(null), countedStatus(null)]).toEqual([undefined, null]);
});
