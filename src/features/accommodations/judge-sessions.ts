/**
 * Compares the sessions of an exam with what their students have been granted. Pure: it sends nothing. A folded
 * address means one session or is a conflict; a session that cannot be judged is a conflict with its reason.
 */
import { addressKey } from '../../model/address-key.ts';
import { targetTime } from '../../model/extra-time.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Phase, phaseOf } from '../../model/status.ts';
import { dayOf, instantOf } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type Accommodation, type AccommodationList, ExamScope, type GrantingExam } from './accommodation.ts';

export const accommodationStates = ['ok', 'missing', 'less', 'more', 'finished', 'conflict'] as const;
/**
 * `missing`: the session has no close time of its own; `less`, `more`: its close time is before, after the target;
 * `finished`: the student has finished the exam; `conflict`: only a person can decide.
 */
export type AccommodationState = (typeof accommodationStates)[number];

/** A session with its fields, as the service shows them. */
export type ShownSession = { id: string; email: string; fields: JsonObject };

export type Judgement = {
  exam: GrantingExam;
  session: ShownSession;
  state: AccommodationState;
  granted: Accommodation;
  /** Milliseconds since 1970; undefined where it cannot be computed, or where no extra time was granted. */
  target: number | undefined;
  /** Undefined: the specification does not know its status. */
  phase: Phase | undefined;
  /** Of a conflict: the reason. */
  why?: Sentence;
  /** The target is on a later day than the end of the exam, where the exam is on one day. */
  pastMidnight: boolean;
};

/** The sessions of accommodated students, in the order of the list. `zone`: whose calendar days count. */
export function judgeExam(list: AccommodationList, exam: GrantingExam, sessions: Iterable<ShownSession>, zone: string): Judgement[] {
  const scope = new ExamScope(list, exam, zone);
  const byKey = new Map<string, ShownSession[]>();
  for (const session of sessions) {
    const key = addressKey(session.email);
    if (!list.students.has(key)) continue;
    const others = byKey.get(key);
    if (!others) byKey.set(key, [session]);
    else if (!others.some(({ id }) => id === session.id)) others.push(session);
  }
  const judgements: Judgement[] = [];
  const isLate = laterDay(exam, zone);
  for (const key of list.students.keys()) {
    const found = byKey.get(key) ?? [];
    const granted = found.length === 0 ? undefined : scope.granted(key);
    if (!granted) continue;
    const several = found.length > 1 ? sentence`the exam has ${found.length} sessions with this address` : undefined;
    for (const session of found) judgements.push(judge({ exam, session, granted, isLate }, several));
  }
  return judgements;
}

type Question = { exam: GrantingExam; session: ShownSession; granted: Accommodation; isLate(target: number): boolean };

function judge({ exam, session, granted, isLate }: Question, several: Sentence | undefined): Judgement {
  const { fields } = session;
  const phase = phaseOf(fields.status);
  const target = targetOf(exam, session, granted);
  const computed = typeof target === 'number' ? target : undefined;
  const base = { exam, session, granted, phase, target: computed, pastMidnight: computed !== undefined && isLate(computed) };
  const conflict = (why: Sentence): Judgement => ({ ...base, state: 'conflict', why });
  if (several) return conflict(several);
  if (phase === 'finished') return { ...base, state: 'finished' };
  if (typeof target === 'string') return conflict(target);
  const closes = fields.close_time ?? null;
  const instant = instantOf(closes);
  if (closes !== null && instant === undefined) return conflict(sentence`its close_time is not a time that can be read`);
  if (target !== undefined) {
    if (instant === undefined) return { ...base, state: 'missing' };
    if (instant < target) return { ...base, state: 'less' };
    if (instant > target) return { ...base, state: 'more' };
  }
  return { ...base, state: 'ok' };
}

/** The target; undefined without extra time; in words, why it cannot be computed. */
function targetOf({ start, end }: GrantingExam, { fields }: ShownSession, { extra }: Accommodation): number | Sentence | undefined {
  const opens = fields.open_time ?? null;
  const own = instantOf(opens);
  const target = targetTime({ starts: start, ends: end, opens: own }, extra);
  if (typeof target === 'number' && opens !== null && own === undefined) return sentence`its open_time is not a time that can be read`;
  return target;
}

/** Whether a target is on a later day than the end of the exam, if that is on one day. Few targets are different. */
function laterDay({ start, end }: GrantingExam, zone: string): (target: number) => boolean {
  if (start === undefined || end === undefined) return () => false;
  // Midnight itself is still the evening before.
  const lastDay = dayOf(end - 1, zone);
  if (dayOf(start, zone) !== lastDay) return () => false;
  const known = new Map<number, boolean>();
  return (target) => {
    const before = known.get(target);
    if (before !== undefined) return before;
    const late = dayOf(target - 1, zone) > lastDay;
    known.set(target, late);
    return late;
  };
}
