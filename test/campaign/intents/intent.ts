/**
 * What a person wants: a command line, which changes it allows, and what is so in the end. An intent may take several invocations;
 * it is judged by the truth since its beginning.
 */
import type { Arrived, Seen, Service } from '../../support/service.ts';
import type { Change, Exam, Fields, Session, Truth } from '../../support/truth.ts';
import type { Machine } from '../story/machine.ts';
import type { Random } from '../world/random.ts';

/** The truth since an intent began. */
export class Sight {
  readonly truth: Truth;
  /** All requests so far, and what the answers to them showed. */
  readonly arrived: readonly Arrived[];
  readonly seen: readonly Seen[];
  /** The number of the first change since then, and the sessions as they were then. */
  readonly from: number;
  readonly sessions: ReadonlyMap<number, Session>;
  /** The invocations of this intent so far, and the words of all of them. */
  invocations = new Set<number>();
  readonly said = new Set<string>();

  /** Lists show the first sessions only. */
  readonly isCut: boolean;

  constructor({ truth, arrived, seen, showing }: Service) {
    this.isCut = showing.cut !== undefined;
    [this.truth, this.arrived, this.seen] = [truth, arrived, seen];
    [this.from, this.sessions] = [truth.record.length, structuredClone(truth.sessions)];
  }

  /** Whether an invocation of this intent has made a change. */
  readonly isOwn = ({ n, by }: Change) => n >= this.from && this.invocations.has(Number(by));

  /** Whether an invocation of this intent has created this session. */
  readonly isMade = (id: number) =>
    this.truth.record.some((one) => one.kind === 'session' && one.id === id && !one.before && this.invocations.has(Number(one.by)));

  /** Changes since the intent began that are not of its invocations: of a record, where one is named. */
  byOthers(kind?: Change['kind'], id?: number): Change[] {
    const isIt = (one: Change) => (kind === undefined || one.kind === kind) && (id === undefined || one.id === id);
    return this.truth.record.slice(this.from).filter((one) => isIt(one) && !this.invocations.has(Number(one.by)));
  }

  readonly untouched = (kind: Change['kind'], id: number) => this.byOthers(kind, id).length === 0;

  /** The changes of colleagues that a write cannot have seen, as they came after the last read before it. */
  unseenBy({ n, at, kind, id, cause, before }: Change): Change[] {
    const sent = this.arrived.find((one) => one.index === cause)?.at ?? at;
    const others = [...this.byOthers(kind, id), ...this.byOthers('exam', Number(before?.exam_id))];
    return others.filter((one) => one.n < n && one.by === 'colleague' && one.at >= sent - fresh);
  }

  /** The sessions of an exam with an address, however it is spelled. */
  sessionsOf(exam: unknown, address: unknown): Session[] {
    const key = keyOf(this.truth, address);
    return this.truth.inExam(Number(exam)).filter(({ email }) => email?.toLowerCase() === key);
  }

  /** Whether others have taken this student out of the exam since the intent began: deleted, or given the session to somebody else. */
  takenAway(exam: number, address: string): boolean {
    const key = keyOf(this.truth, address);
    const was = (fields: Fields | undefined) => fields?.exam_id === exam && keyOf(this.truth, fields.email) === key;
    return this.byOthers('session').some(({ before, after }) => was(before) && !was(after));
  }
}

export type Intent = {
  kind: string;
  words: readonly string[];
  /** What a file says that is edited between the same commands. */
  edited?: string;
  /** It is planned anew each time. */
  anew?: true;
  /** Whether a change that the program made was asked for, or why not; what is not so although the program said 0. */
  allows(change: Change, sight: Sight): boolean | string;
  unmet(sight: Sight): string[];
  /** Whether it is so that it was there already, as status 11 says; true of anything unless this says otherwise. */
  stands?(sight: Sight): boolean;
  /** Whether a refusal is true, which only a person can mend. */
  refuses?(said: string): boolean;
  /** A command that was printed may name another amount than the one that was asked for. */
  typed?(words: readonly string[]): void;
  /** It is about whoever a list shows; it finds students by their addresses, at each try anew. */
  listed?: true;
  byAddress?: true;
  /** It may be put to a terminal: all its questions are answered by yes. */
  asks?: true;
  /** The addresses that it is about. */
  addresses?: readonly string[];
  /** The invocations that it undoes. */
  undoes?: ReadonlySet<number>;
};

/** What is to become of an exam, and of a session in it, by what they are. `now`: a moment at which it may have been computed. */
export type Times = {
  exam?(exam: Exam): Fields;
  session(session: Session, exam: Exam, now: number): Fields;
  /** It names its sessions, and means those that have finished, too. */
  ofFinished?: true;
};

/** Kinds of commands: single writes and times, those about many students or exams of a file, or all. */
export type Kinds = 'moved' | 'students' | 'all';
/** What an intent is drawn from. */
export type Draw = { random: Random; truth: Truth; machine: Machine; number: number; kinds: Kinds };

export const main = 6;
export const second = 7;

export const same = (one: unknown, other: unknown) =>
  one === other || (Number.isFinite(Date.parse(String(one))) && Math.abs(Date.parse(String(one)) - Date.parse(String(other))) < 60_000);

/** For so long a read justifies a write. Milliseconds. */
export const fresh = 2_500;

/** The fields that a change of a record changed. */
export function fieldsOf({ before = {}, after = {} }: Change): string[] {
  return Object.keys(after).filter((name) => !same(before[name], after[name]));
}

export const timeNames = ['start_time', 'end_time', 'open_time', 'close_time'];

export const isOfTimes = (change: Change) => fieldsOf(change).some((name) => timeNames.includes(name));

/** Whether a record was there and still is, and no other fields of it have changed than these. */
export function onlyFields(change: Change, fields: readonly string[]): boolean | string {
  const other = fieldsOf(change).filter((name) => !fields.includes(name));
  if (!change.before || !change.after || other.length === 0) return change.before !== undefined && change.after !== undefined;
  return `changed ${other.join(', ')} of ${change.kind} ${change.id}, which nobody asked for`;
}

/** A change that is of no use to the intent at all. */
export function unasked({ kind, id, before, after }: Change): string {
  const what = before ? (after ? 'changed' : 'deleted') : 'created';
  return `${what} ${kind} ${id} (${String((after ?? before)?.email ?? (after ?? before)?.name ?? '')}), which nobody asked for`;
}

/** By which an address is known, however it is spelled. */
export const keyOf = (truth: Truth, address: unknown) => (typeof address === 'string' ? truth.kept(address).toLowerCase() : undefined);
export const isOne = (truth: Truth, ...both: [unknown, unknown]) => keyOf(truth, both[0]) === keyOf(truth, both[1]);
