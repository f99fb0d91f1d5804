/**
 * The states of a student session (specification, section 3), in the order in which a student
 * passes through them. The service may show others: they are displayed as they are.
 */
import { InvalidValue } from './invalid-value.ts';

export const sessionStatuses = [
  'registered',
  'mail_sent',
  'check_started',
  'check_completed',
  'exam_session_opened',
  'exam_started',
  'exam_finished',
] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** Earlier spellings and when they were given up (specification 9.3). */
const renamed = new Map<string, { now: SessionStatus; since: string }>([['mail_send', { now: 'mail_sent', since: '2022-03-27' }]]);

/** Checks a status given as a filter. Throws `InvalidValue` for a former or unknown one. */
export function statusFilter(text: string): SessionStatus {
  const former = renamed.get(text);
  if (former) {
    throw new InvalidValue(`The status ${text} is called ${former.now} since ${former.since}.`, `Use ${former.now} instead.`);
  }
  const known = sessionStatuses.find((status) => status === text);
  if (known) return known;
  throw new InvalidValue(`There is no status "${text}".`, `The statuses are: ${sessionStatuses.join(', ')}.`);
}
