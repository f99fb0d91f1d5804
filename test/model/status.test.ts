/** One status in many spellings: it is recognised, counted and filtered as one; sessions are chosen by it, and by a part of the address. */
import { describe, expect, test } from 'vitest';
import { phaseOf, type SessionFilter, sessionFilter, sessionStatuses, statusFilter, statusOf, statusText } from '../../src/model/status.ts';

test.each(['exam_started', 'EXAM_STARTED', 'Exam_Started', 'exam-started', 'Exam Started', 'examStarted', 'ExamStarted'])(
  'a status of the specification spelled %s means the same',
  (word) => {
    expect([statusOf(word), statusFilter(word)]).toEqual(['exam_started', 'exam_started']);
    expect(phaseOf(word)).toBe('writing');
  },
);

test('a status is itself in its own spelling, and has one phase', () => {
  expect(sessionStatuses.map(statusOf)).toEqual(sessionStatuses);
  const phases = ['waiting', 'waiting', 'checking', 'checking', 'checking', 'writing', 'finished'];
  expect(sessionStatuses.map(phaseOf)).toEqual(phases);
});

test.each(['PAUSED', 'exam started now', '', 'mail_send', '__proto__', 'constructor', null])('%j is none, and counts as it is', (word) => {
  expect([statusOf(word), phaseOf(word)]).toEqual([undefined, undefined]);
  if (word !== null) expect(() => statusFilter(word)).toThrow();
});

test.each([{ id: 6, name: 'exam_started' }, ['exam_started'], {}, 3])('a status that is %j is unknown', (status) => {
  expect([statusOf(status), statusText(status)]).toEqual([undefined, null]);
});

test('a former spelling is refused in capitals, too, with its present name', () => {
  expect(() => statusFilter('MAIL_SEND')).toThrow(/has been called mail_sent since/);
});

const sessions = [
  { id: 1, status: 'registered', email: 'Ada@Example.org' },
  { id: 2, status: 'EXAM_STARTED', email: 'zoë@example.net' },
  { id: 3, status: 'paused', email: null },
  { id: 4, status: null },
];
const chosen = (filter: SessionFilter) => sessions.filter(sessionFilter(filter) ?? (() => true)).map(({ id }) => id);

describe('a filter of sessions', () => {
  test.each([
    [{}, [1, 2, 3, 4]],
    [{ status: 'registered' }, [1]],
    [{ status: ' registered, exam-started,' }, [1, 2]],
    [{ notStatus: 'registered' }, [2, 3, 4]],
    [{ status: 'registered,exam_started', notStatus: 'registered' }, [2]],
    [{ email: 'EXAMPLE.' }, [1, 2]],
    [{ email: 'zoe@' }, [2]],
    [{ email: 'ada', notStatus: 'registered' }, []],
  ])('%o', (filter, ids) => {
    expect(chosen(filter)).toEqual(ids);
  });

  test.each([
    [{ status: 'registred' }, 'Unknown status "registred".', /^Did you mean registered\?/],
    [{ notStatus: 'registered,mail_send' }, 'The status mail_send has been called mail_sent', /mail_sent/],
    [{ status: ',' }, '--status is empty.', /commas/],
    [{ notStatus: '' }, '--not-status is empty.', /commas/],
    [{ email: ' ' }, '--email is empty.', /part of the address/],
    [{ status: 'registered', notStatus: 'REGISTERED' }, '--status and --not-status leave no status.', /Leave one/],
  ])('refuses %o', (filter, message, hint) => {
    const refusal = { name: 'InvalidValue', message: expect.stringContaining(message), hint: expect.stringMatching(hint) };
    expect(() => sessionFilter(filter)).toThrow(expect.objectContaining(refusal));
  });
});
