/** One status in many spellings: it is recognised, counted and filtered as one. */
import { describe, expect, test } from 'vitest';
import { countedStatus, phaseOf, sessionStatuses, statusFilter, statusOf } from '../../src/model/status.ts';

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

test('a former spelling is refused in capitals, too, with its present name', () => {
  expect(() => statusFilter('MAIL_SEND')).toThrow(/has been called mail_sent since/);
});

test('a session without a status is counted as one', () => {
  expect([statusOf(null), countedStatus(null)]).toEqual([undefined, null]);
});
