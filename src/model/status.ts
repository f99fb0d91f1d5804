/**
 * The states of a student session (specification, section 3), in the order in which a student
 * passes through them. The service may show others: they are displayed as they are.
 */
import { folded } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { nearest } from './nearest.ts';

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

/**
 * How far a student has come: `waiting` has not been seen yet, `checking` has begun the check and not
 * the exam, `writing` has started the exam, `finished` has finished it.
 */
export type Phase = 'waiting' | 'checking' | 'writing' | 'finished';

const phases: Record<SessionStatus, Phase> = {
  registered: 'waiting',
  mail_sent: 'waiting',
  check_started: 'checking',
  check_completed: 'checking',
  exam_session_opened: 'checking',
  exam_started: 'writing',
  exam_finished: 'finished',
};

/**
 * The status that a word of the service means, whatever its case and its separators, or an object with one such word
 * (`{"id": 6, "name": "exam_started"}`); undefined for others, and for an object with two.
 */
export function statusOf(word: unknown): SessionStatus | undefined {
  if (isJsonObject(word)) {
    const named = new Set(Object.values(word).flatMap((part) => (typeof part === 'string' ? (statusOf(part) ?? []) : [])));
    return named.size === 1 ? [...named][0] : undefined;
  }
  if (typeof word !== 'string') return undefined;
  const plain = Object.hasOwn(phases, word) ? word : plainWord(word);
  return Object.hasOwn(phases, plain) ? (plain as SessionStatus) : undefined;
}

/** A status as text: as the service spells it, and in the specification's spelling for an object that names it; null for others. */
export function statusText(status: unknown): string | null {
  return typeof status === 'string' ? status : (statusOf(status) ?? null);
}

/** `EXAM_STARTED`, `Exam-Started`, `examStarted` and `exam started` in the specification's spelling. */
function plainWord(word: string): string {
  return word
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

/** The word under which a status is counted: one for all its spellings; as it is where the specification lacks it. */
export function countedStatus(word: string | null): string | null {
  return statusOf(word) ?? word;
}

/** The phase of a student with a status; undefined for a status that the specification does not know. */
export function phaseOf(status: unknown): Phase | undefined {
  const known = statusOf(status);
  return known && phases[known];
}

/** The status that a filter means, in any spelling of `statusOf`. Throws `InvalidValue` for an unknown one, and for the former one (specification 9.3). */
export function statusFilter(text: string): SessionStatus {
  if (plainWord(text) === 'mail_send')
    throw new InvalidValue(sentence`The status ${text} has been called mail_sent since 2022-03-27.`, 'Use mail_sent instead.');
  const known = statusOf(text);
  if (known) return known;
  const meant = nearest(plainWord(text), sessionStatuses);
  const all = sentence`Known statuses: ${sessionStatuses.join(', ')}.`;
  throw new InvalidValue(sentence`Unknown status "${text}".`, meant === undefined ? all : sentence`Did you mean ${meant}? ${all}`);
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

/** A level of suspicion in words (specification 2.2), 3 is very suspicious; 0 means not rated, not cleared. */
export function suspicionInWords(level: number): string {
  if (level === 0) return 'not rated';
  return level >= 1 && level <= 3 ? `${level} of 3` : String(level);
}
