/** Which sessions are meant, by their statuses and addresses. */
import { folded } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';
import type { JsonObject } from './json.ts';
import { didYouMean } from './nearest.ts';
import { plainWord, type SessionStatus, sessionStatuses, statusOf } from './status.ts';

/** The status that a filter means, in any spelling of `statusOf`. Throws `InvalidValue` for an unknown one, and for the former one (specification 9.3). */
export function statusFilter(text: string): SessionStatus {
  if (plainWord(text) === 'mail_send')
    throw new InvalidValue(sentence`The status ${text} has been called mail_sent since 2022-03-27.`, 'Use mail_sent instead.');
  const known = statusOf(text);
  if (known) return known;
  const hint = sentence`${didYouMean(plainWord(text), sessionStatuses)}Known statuses: ${sessionStatuses.join(', ')}.`;
  throw new InvalidValue(sentence`Unknown status "${text}".`, hint);
}

/** As given: names of statuses with commas between them, and a part of an address. */
export type SessionFilter = { status?: string | undefined; notStatus?: string | undefined; email?: string | undefined };

/** Undefined where all sessions are meant. Throws `InvalidValue` for an unknown status, an empty text, and a filter that nothing passes. */
export function sessionFilter({ status, notStatus, email }: SessionFilter): ((session: Readonly<JsonObject>) => boolean) | undefined {
  if (status === undefined && notStatus === undefined && email === undefined) return undefined;
  const wanted = status === undefined ? undefined : statusesIn('--status', status);
  const unwanted = notStatus === undefined ? new Set<string>() : statusesIn('--not-status', notStatus);
  if (wanted && [...wanted].every((each) => unwanted.has(each)))
    throw new InvalidValue('--status and --not-status leave no status.', 'Leave one of them out.');
  const sought = email === undefined ? undefined : folded(email.trim());
  if (sought === '') throw new InvalidValue('--email is empty.', 'Give a part of the address.');
  return (session) => {
    const is = statusOf(session.status);
    if (is === undefined ? wanted !== undefined : unwanted.has(is) || wanted?.has(is) === false) return false;
    return sought === undefined || (typeof session.email === 'string' && folded(session.email).includes(sought));
  };
}

function statusesIn(flag: string, text: string): Set<string> {
  const words = text.split(',').filter((word) => word.trim() !== '');
  if (words.length === 0) throw new InvalidValue(sentence`${flag} is empty.`, 'Give one status, or several with commas between them.');
  return new Set(words.map(statusFilter));
}
