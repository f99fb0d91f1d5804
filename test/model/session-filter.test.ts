/** Sessions are chosen by status, in whatever spelling, and by a part of the address. */
import { describe, expect, test } from 'vitest';
import { type SessionFilter, sessionFilter } from '../../src/model/status.ts';

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
