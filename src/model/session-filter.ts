/** Which sessions are meant: by status, in whatever spelling, and by a part of the address. */
import { folded } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';
import { statusFilter, statusOf } from './status.ts';

/** As given: names of statuses with commas between them, and a part of an address. */
export type SessionFilter = { status?: string | undefined; notStatus?: string | undefined; email?: string | undefined };

type Filtered = Readonly<Record<string, unknown>>;

/** Undefined where all sessions are meant. Throws `InvalidValue` for an unknown status, an empty text, and a filter that nothing passes. */
export function sessionFilter({ status, notStatus, email }: SessionFilter): ((session: Filtered) => boolean) | undefined {
  if (status === undefined && notStatus === undefined && email === undefined) return undefined;
  const wanted = status === undefined ? undefined : statusesIn('--status', status);
  const unwanted = statusesIn('--not-status', notStatus);
  if (wanted && [...wanted].every((each) => unwanted.has(each))) {
    throw new InvalidValue('--status and --not-status leave no status.', 'Leave one of them out.');
  }
  const sought = email === undefined ? undefined : folded(email.trim());
  if (sought === '') throw new InvalidValue('--email is empty.', 'Give a part of the address.');
  return (session) => {
    const is = statusOf(session.status);
    if (wanted && (is === undefined || !wanted.has(is))) return false;
    if (is !== undefined && unwanted.has(is)) return false;
    return sought === undefined || (typeof session.email === 'string' && folded(session.email).includes(sought));
  };
}

function statusesIn(flag: string, text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return new Set();
  const words = text.split(',').filter((word) => word.trim() !== '');
  if (words.length === 0) throw new InvalidValue(sentence`${flag} is empty.`, 'Give one status, or several with commas between them.');
  return new Set(words.map(statusFilter));
}
