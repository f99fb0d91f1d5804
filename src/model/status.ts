/** The states of a student session (specification, section 3), and which sessions are meant by them. Others are displayed as they are. */
import { folded } from '../text/fold.ts';
import { quote, sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';
import type { JsonObject } from './json.ts';
import { didYouMean } from './nearest.ts';

export type SessionStatus = keyof typeof phases;

/** `waiting`: not seen yet; `checking`: in the check; `writing`: has started the exam. */
export type Phase = 'waiting' | 'checking' | 'writing' | 'finished';

const phases = {
  registered: 'waiting',
  mail_sent: 'waiting',
  check_started: 'checking',
  check_completed: 'checking',
  exam_session_opened: 'checking',
  exam_started: 'writing',
  exam_finished: 'finished',
} as const satisfies Record<string, Phase>;

export const sessionStatuses = Object.keys(phases) as SessionStatus[];

export function statusOf(word: unknown): SessionStatus | undefined {
  const plain = typeof word === 'string' ? plainWord(word) : '';
  return Object.hasOwn(phases, plain) ? (plain as SessionStatus) : undefined;
}

export function statusText(status: unknown): string | null {
  return typeof status === 'string' ? status : null;
}

/** `exam_started` for `EXAM_STARTED`, `Exam-Started`, `examStarted` and `exam started`. */
export function plainWord(word: string): string {
  return word
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

export function phaseOf(status: unknown): Phase | undefined {
  const known = statusOf(status);
  return known && phases[known];
}

/** The service rates from 1 to 3, which is very suspicious; 0 says that nobody has rated yet (specification 2.2). */
export function suspicionInWords(level: number): string {
  if (level === 0) return 'not rated';
  return level >= 1 && level <= 3 ? `${level} of 3` : String(level);
}

/** A status in any spelling. Throws `InvalidValue`, also for the former one (specification 9.3). */
export function statusFilter(text: string): SessionStatus {
  const known = statusOf(text);
  if (known) return known;
  const word = plainWord(text);
  if (word === 'mail_send')
    throw new InvalidValue(sentence`The status ${text} has been called mail_sent since 2022-03-27.`, 'Use mail_sent instead.');
  const hint = sentence`${didYouMean(word, sessionStatuses)}Known statuses: ${sessionStatuses.join(', ')}.`;
  throw new InvalidValue(sentence`Unknown status ${quote(text)}.`, hint);
}

/** Names of statuses with commas between them, and a part of an address. */
export type SessionFilter = Partial<Record<'status' | 'notStatus' | 'email', string | undefined>>;
type Passes = (session: Readonly<JsonObject>) => boolean;

/** Undefined where all sessions are meant. Throws `InvalidValue`, also for a filter that nothing passes. */
export function sessionFilter({ status, notStatus, email }: SessionFilter): Passes | undefined {
  if (status === undefined && notStatus === undefined && email === undefined) return undefined;
  const wanted = status === undefined ? undefined : statusesIn('--status', status);
  const unwanted = notStatus === undefined ? new Set<string>() : statusesIn('--not-status', notStatus);
  if (wanted && [...wanted].every((each) => unwanted.has(each)))
    throw new InvalidValue('--status and --not-status leave no status.', 'Leave one of them out.');
  const sought = email === undefined ? undefined : folded(email.trim());
  if (sought === '') throw new InvalidValue('--email is empty.', 'Give a part of the address.');
  return ({ status, email }) => {
    const is = statusOf(status);
    if (wanted && !(is && wanted.has(is))) return false;
    if (is && unwanted.has(is)) return false;
    return sought === undefined || (typeof email === 'string' && folded(email).includes(sought));
  };
}

function statusesIn(flag: string, text: string): Set<string> {
  const words = text.split(',').filter((word) => word.trim() !== '');
  if (words.length === 0) {
    const hint = 'Give one status, or several with commas between them.';
    throw new InvalidValue(sentence`${flag} is empty.`, hint);
  }
  return new Set(words.map(statusFilter));
}
