/**
 * What a person wants: a command line, which changes it allows, and what is so in the end. An intent may take several invocations;
 * it is judged by the truth since its beginning.
 */

import type { Arrived } from '../../support/service.ts';
import type { Change, Exam, Fields, Session, Truth } from '../../support/truth.ts';
import type { Machine } from '../story/machine.ts';
import type { Random } from '../world/random.ts';

/** The truth since an intent began. */
export type Sight = {
  truth: Truth;
  /** The number of the first change since then. */
  from: number;
  exams: ReadonlyMap<number, Exam>;
  sessions: ReadonlyMap<number, Session>;
  /** The invocations of this intent so far. */
  invocations: ReadonlySet<number>;
  /** All requests so far. */
  arrived: readonly Arrived[];
  /** The service keeps times by the minute, or addresses in another spelling. */
  kept(address: string): string;
};

export type Intent = {
  kind: string;
  words: readonly string[];
  /** What a file says that is edited between the same commands. */
  edited?: string;
  /** Whether a refusal is true, which only a person can mend. */
  refuses?(said: string): boolean;
  /** Why a change that the program made was not asked for; undefined if it was. */
  forbids(change: Change, sight: Sight): string | undefined;
  /** What is not so although it was asked for and the program said 0. */
  unmet(sight: Sight): string[];
  /** Whether it is so that it was there already, as status 11 says; true of anything unless this says otherwise. */
  stands?(sight: Sight): boolean;
  /** By an amount: once more is one more change, which is asked about. */
  relative?: true;
  /** It is about whoever a list shows. */
  listed?: true;
  /** It finds students by their addresses, at each try anew. */
  byAddress?: true;
  /** Acts without looking first. */
  raw?: true;
  /** It may be put to a terminal: all its questions are answered by yes. */
  asks?: true;
  /** The addresses that it is about. */
  addresses?: readonly string[];
  /** The invocations that it undoes. */
  undoes?: ReadonlySet<number>;
  /** It is carried out by the engine of before. */
  before?: true;
  /** A person consents to a second student. */
  consents?: true;
};

/** What is to become of an exam, and of a session in it, by what they are. `now`: a moment at which it may have been computed. */
export type Times = {
  exam?(exam: Exam): Fields;
  session(session: Session, exam: Exam, now: number): Fields;
  /** It names its sessions, and means those that have finished, too. */
  ofFinished?: true;
};

/** What an intent is drawn from. */
export type Draw = { random: Random; truth: Truth; machine: Machine; number: number; kinds: Kinds };
/** Kinds of commands: those of the new engine, of these those that set times, those of the engine of before, or all. */
export type Kinds = 'moved' | 'times' | 'before' | 'all';

export const main = 6;
export const second = 7;

const minute = 60_000;
export const laterBy = (time: unknown, minutes: number) =>
  `${new Date(Date.parse(String(time)) + minutes * minute).toISOString().slice(0, 19)}Z`;
export const same = (one: unknown, other: unknown) =>
  one === other || (Number.isFinite(Date.parse(String(one))) && Math.abs(Date.parse(String(one)) - Date.parse(String(other))) < minute);

/** Changes of a record since the intent began that are not of its invocations. */
export function byOthers({ truth, from, invocations }: Sight, kind: Change['kind'], id: number): Change[] {
  return truth.record.slice(from).filter((one) => one.kind === kind && one.id === id && !invocations.has(Number(one.by)));
}

export const untouched = (sight: Sight, kind: Change['kind'], id: number) => byOthers(sight, kind, id).length === 0;

/** The fields that a change of a record changed. */
export function fieldsOf({ before = {}, after = {} }: Change): string[] {
  return Object.keys(after).filter((name) => !same(before[name], after[name]));
}

/** Refuses a change of other fields than these. */
export function onlyFields(change: Change, fields: readonly string[]): string | undefined {
  const other = fieldsOf(change).filter((name) => !fields.includes(name));
  return other.length > 0 ? `changed ${other.join(', ')} of ${change.kind} ${change.id}, which nobody asked for` : undefined;
}

export const describe = ({ kind, id, before, after }: Change) =>
  `${before ? (after ? 'changed' : 'deleted') : 'created'} ${kind} ${id} (${String((after ?? before)?.email ?? (after ?? before)?.name ?? '')})`;

/** A change that is of no use to the intent at all. */
export const unasked = (change: Change) => `${describe(change)}, which nobody asked for`;

export const keyOf = (sight: Pick<Sight, 'kept'>, address: unknown) =>
  typeof address === 'string' ? sight.kept(address).toLowerCase() : undefined;

/** The sessions of an exam with an address, however it is spelled. */
export function sessionsOf(sight: Sight, exam: number, address: string): Session[] {
  const key = keyOf(sight, address);
  return sight.truth.inExam(exam).filter(({ email }) => email?.toLowerCase() === key);
}

/** Whether others have taken this student out of the exam since the intent began: deleted, or given the session to somebody else. */
export function takenAway(sight: Sight, exam: number, address: string): boolean {
  const key = keyOf(sight, address);
  return sight.truth.record.slice(sight.from).some(({ kind, before, after, by }) => {
    if (kind !== 'session' || sight.invocations.has(Number(by))) return false;
    const was = (fields: Fields | undefined) => fields?.exam_id === exam && keyOf(sight, fields.email) === key;
    return was(before) && !was(after);
  });
}
