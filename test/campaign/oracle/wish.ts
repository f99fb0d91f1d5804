/** What a command asks for, as data: the end that each record is to have. It knows nothing of the program. */
import type { Change, Fields } from '../../support/truth.ts';

export type Record = 'exam' | 'session';
/** By how many minutes times move. */
export type Minutes = Fields & { [field: string]: number };

type Times = { start_time?: string; end_time?: string };

export type Wish =
  /** A student is in an exam, or in the one that is created under this name; with these values, or all of another session's, moved so far; `added`: who is there already stays as they are. */
  | { is: 'student'; exam: number | string; email: string; fields?: Fields; from?: number; minutes?: number; beside?: true; added?: true }
  | { is: 'exam'; name: string; fields: Fields; pool?: readonly number[] }
  | { is: 'set'; kind: Record; id: number; fields: Fields }
  | { is: 'by'; kind: Record; id: number; minutes: Minutes }
  /** A window that moves along with its exam, which is to be at these times. */
  | { is: 'along'; id: number; exam: number; to: Times }
  /** A time that is not earlier. */
  | { is: 'least'; id: number; close_time: string }
  /** `moved`: by another session that is asked for, too. */
  | { is: 'gone'; kind: Record; id: number; moved?: true }
  | { is: 'mails'; exam: number }
  | { is: 'pool'; exam: number; add?: readonly number[]; remove?: readonly number[] }
  | { is: 'raw'; line: string };

/** A request as it was sent. `seen`: how many changes there were when it was handled. `denied`: it was answered that it was not done. */
export type Request = {
  n: number;
  by: number;
  method: string;
  path: string;
  line: string;
  seen: number;
  told: boolean;
  denied: boolean;
  done: boolean;
  body: Fields;
};

/** An invocation. `at`: when it began. `way`: it does what was asked for, takes it back, may do both, or neither. The code is null where it was killed. */
/** `took`: milliseconds. */
export type Call = {
  by: number;
  at: number;
  took: number;
  words: string;
  way: 'on' | 'back' | 'both' | 'none';
  code: number | null;
  stdout: string;
  stderr: string;
};

/** All that is known of a story. `start`: the number of the first change that is not furniture. */
export type Tale = {
  wishes: readonly Wish[];
  /** Those that are to be so in the end, where a file was edited meanwhile. */
  due?: readonly Wish[];
  start: number;
  record: readonly Change[];
  exams: ReadonlyMap<number, Fields>;
  sessions: ReadonlyMap<number, Fields>;
  pools: ReadonlyMap<number, ReadonlySet<number>>;
  requests: readonly Request[];
  calls: Call[];
  /** How many changes were judged, and how many writes another service has got. */
  judged: number;
  elsewhere: number;
};

export const folded = (address: unknown) => String(address ?? '').toLowerCase();
export const at = (time: unknown) => Date.parse(String(time));
export const same = (one: unknown, other: unknown) =>
  (one ?? null) === (other ?? null) ||
  (typeof one === 'string' && typeof other === 'string' && (at(one) === at(other) || folded(one) === folded(other)));
/** The time of an exam that a time of a session goes with. */
export const ofExam = { open_time: 'start_time', close_time: 'end_time' } as const;
/** So many minutes later; what is no time stays. */
export const later = (time: unknown, minutes: number) =>
  typeof time === 'string' && Number.isFinite(at(time)) ? `${new Date(at(time) + minutes * 60_000).toISOString().slice(0, 19)}Z` : time;
export const changed = ({ before = {}, after = {} }: Change) =>
  Object.keys({ ...before, ...after }).filter((name) => !same(before[name], after[name]));
