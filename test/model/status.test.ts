/** One status in many spellings: it is recognised, counted and filtered as one. */
import { expect, test } from 'vitest';
import { countedStatus, phaseOf, sessionStatuses, statusFilter, statusOf, statusText } from '../../src/model/status.ts';

test.each(['exam_started', 'EXAM_STARTED', 'Exam_Started', 'exam-started', 'Exam Started', 'examStarted', 'ExamStarted'])(
  'a status of the specification spelled %s means the same',
  (word) => {
    expect([statusOf(word), countedStatus(word), statusFilter(word)]).toEqual(Array(3).fill('exam_started'));
    expect(phaseOf(word)).toBe('writing');
  },
);

test('a status is itself in its own spelling, and has one phase', () => {
  expect(sessionStatuses.map(countedStatus)).toEqual([...sessionStatuses]);
  const phases = ['waiting', 'waiting', 'checking', 'checking', 'checking', 'writing', 'finished'];
  expect(sessionStatuses.map(phaseOf)).toEqual(phases);
});

test.each(['PAUSED', 'exam started now', '', 'mail_send', '__proto__', 'constructor', null])('%j is none, and counts as it is', (word) => {
  expect([statusOf(word), phaseOf(word), countedStatus(word)]).toEqual([undefined, undefined, word]);
  if (word !== null) expect(() => statusFilter(word)).toThrow();
});

test('a status in an object is that of its one word', () => {
  const status = { id: 6, name: 'EXAM_STARTED', label: 'The exam has been started', color: 'red' };
  expect([statusOf(status), phaseOf(status), statusText(status)]).toEqual(['exam_started', 'writing', 'exam_started']);
});

test.each([...[{ name: 'active' }, { now: 'exam_started', before: 'registered' }, { name: { of: 'exam_started' } }, ['exam_started'], {}]])(
  'a status that is %j is unknown',
  (status) => {
    expect([statusOf(status), statusText(status)]).toEqual([undefined, null]);
  },
);

test('a former spelling is refused in capitals, too, with its present name', () => {
  expect(() => statusFilter('MAIL_SEND')).toThrow(/has been called mail_sent since/);
});
