/**
 * The states of a student session (specification, section 3), in the order in which a student
 * passes through them. The service may show others: they are displayed as they are.
 */
import { isJsonObject } from './json.ts';

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
export function plainWord(word: string): string {
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

/** A level of suspicion in words (specification 2.2), 3 is very suspicious; 0 means not rated, not cleared. */
export function suspicionInWords(level: number): string {
  if (level === 0) return 'not rated';
  return level >= 1 && level <= 3 ? `${level} of 3` : String(level);
}
