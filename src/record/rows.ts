/** What is recorded of runs and steps. What is about a student is a keyed hash or sealed (`keys.ts`). */
import { orNone } from '../model/invalid-value.ts';
import type { JsonObject } from '../model/json.ts';
import type { DbRow } from './db.ts';
import type { Keys } from './keys.ts';

export const schemaVersion = 2;

export const tables: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS meta (version INTEGER PRIMARY KEY, key_print TEXT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, origin TEXT NOT NULL, digest TEXT NOT NULL,
     kind TEXT NOT NULL, command TEXT NOT NULL, profile TEXT NOT NULL, who TEXT NOT NULL, undo_of TEXT,
     state TEXT NOT NULL, at BIGINT NOT NULL, last_at BIGINT NOT NULL, steps INTEGER NOT NULL,
     sealed TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS steps (run TEXT NOT NULL, n INTEGER NOT NULL, op TEXT NOT NULL,
     line INTEGER, exam TEXT, target TEXT, student TEXT, state TEXT NOT NULL, reason TEXT,
     seen INTEGER NOT NULL, id TEXT, ours INTEGER NOT NULL, at BIGINT NOT NULL,
     sealed TEXT NOT NULL, PRIMARY KEY (run, n))`,
  `CREATE TABLE IF NOT EXISTS locks (name TEXT PRIMARY KEY, holder TEXT NOT NULL, who TEXT NOT NULL,
     command TEXT NOT NULL, since BIGINT NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS runs_of_command ON runs (digest)',
  'CREATE INDEX IF NOT EXISTS steps_of_exam ON steps (exam, run)',
  'CREATE INDEX IF NOT EXISTS steps_of_student ON steps (student)',
  'CREATE INDEX IF NOT EXISTS steps_to ON steps (id)',
];

/** `partial`: it ended, and something was not done. */
export type RunState = 'open' | 'partial' | 'finished';

export type NewRun = {
  origin: string;
  /** The digest of command, subject and options, by which the same command finds the run; also the name of its lock. */
  digest: string;
  /** Noun and verb, such as `exams shift`; `command` also has flag names, IDs and times. */
  kind: string;
  command: string;
  profile: string;
  /** System user and host, or the URL of a CI job. */
  who: string;
  undoOf: string | null;
  /** Sealed: what else the engine keeps. */
  more: JsonObject;
};

/** `at`, `lastAt`: when it began, and was recorded last. Milliseconds since 1970. */
export type Run = NewRun & { id: string; state: RunState; at: number; lastAt: number; steps: number };

export type StepRow = {
  n: number;
  op: string;
  line: number | null;
  exam: string | null;
  target: string | null;
  /** The key of the student's address, else of their number. */
  student: string | null;
  state: string;
  reason: string | null;
  /** A look has shown it. */
  seen: boolean;
  /** What it created, or is about. */
  id: string | null;
  ours: boolean;
  at: number;
  /** Sealed: everything else. */
  plan: JsonObject;
};

export function rowOfRun({ more, undoOf, lastAt, state, steps, ...run }: Run, keys: Keys): DbRow {
  const row = { ...run, undo_of: undoOf };
  return { ...row, last_at: lastAt, state, steps, sealed: keys.seal(more, proven(row)) };
}

export function runOf({ sealed, last_at, state, steps, ...row }: DbRow, keys: Keys): Run {
  const more = orNone(() => keys.open(String(sealed), proven(row))) ?? { damaged: true };
  const { undo_of: undoOf, ...run } = row;
  return { ...run, undoOf, at: Number(row.at), lastAt: Number(last_at), state, steps, more } as Run;
}

export function rowOfStep({ plan, ...step }: StepRow, run: string, keys: Keys): DbRow {
  const row = { ...step, run, ours: Number(step.ours), seen: Number(step.seen) };
  return { ...row, sealed: keys.seal(plan, proven(row)) };
}

export function stepOf({ sealed, ...row }: DbRow, keys: Keys) {
  const plan = orNone(() => keys.open(String(sealed), proven(row)));
  const step = { ...row, ours: row.ours === 1, seen: row.seen === 1, at: Number(row.at), plan } as StepRow & { run: string };
  return plan ? step : damagedStep(step);
}

/** A row that is not as it was recorded counts as forgotten, but keeps others from doing it twice: whether it was sent is unknown. */
export function damagedStep<S extends StepRow>(step: S): S {
  const state = step.state === 'planned' ? 'unknown' : step.state;
  return { ...step, state, target: null, id: null, ours: false, plan: { forgotten: true, code: 'damaged' } };
}

/** The plain values of a row that its sealed part proves, too. */
function proven(row: DbRow): string {
  const values = Object.keys(row)
    .sort()
    .map((name) => [name, row[name]]);
  return withoutNul(values.join());
}

/** As PostgreSQL can store it: the service may have an ID that holds any character. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
