/** The plan for a whole roster: the plan of each row, and the students of the exam that the roster lacks. */

import type { Entries } from '../../roster/map/entries.ts';
import type { Rows } from './journal/rows.ts';
import { type Actions, type ImportStep, noActions, type PlanOptions, planRow } from './plan.ts';
import type { ExamStudent, Presence } from './presence.ts';
import { inShard, type Shard } from './shard.ts';

export type ImportScope = PlanOptions & {
  exam: string;
  shard: Shard | undefined;
  /** The fields that `--map` fills. */
  mapped: readonly string[];
};

export type ImportPlan = {
  counts: Actions;
  presence: Presence;
  /** Students of the exam that the file lacks. */
  notInFile: ExamStudent[];
  /** Row by row, made anew at each reading. */
  steps(): Iterable<ImportStep>;
};

/** What becomes of each row, if the exam has these students. `rows`: what an unfinished run has done of them. */
export function planFor(presence: Presence, entries: Entries, options: ImportScope, rows: Rows | undefined): ImportPlan {
  const steps = () => stepsFor(presence, entries, options, rows);
  const counts = noActions();
  let planned = 0;
  for (const { action } of steps()) {
    counts[action] += 1;
    planned += 1;
  }
  counts.other_shard = entries.length - planned;
  return { counts, presence, notInFile: studentsBeside(entries, presence, rows), steps };
}

/**
 * The exam's students without a row in the file, whatever shard is imported: a row's student is the one of its
 * session, and each student with its address.
 */
export function studentsBeside(entries: Entries, presence: Presence, rows: Pick<Rows, 'get'> | undefined): ExamStudent[] {
  const inFile = new Set<ExamStudent>();
  for (const entry of entries) {
    for (const student of presence.alike(entry.email)) inFile.add(student);
    for (const student of presence.match(entry, rows?.get(entry.row)?.session)) inFile.add(student);
  }
  return presence.students.filter((student) => !inFile.has(student));
}

/** The fields of a session that the plan and the proof compare. */
export function comparedFields({ dialect, extra, mapped }: ImportScope): Set<string> {
  return new Set([dialect.sessionNameKey, 'open_time', 'close_time', 'skip_requirements', ...Object.keys(extra), ...mapped]);
}

/** The addresses that are imported. */
export function addresses(entries: Entries, { shard }: ImportScope): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (const entry of entries) if (entry.email !== undefined && inShard(entry, shard)) yield entry.email;
    },
  };
}

/** What becomes of each row, if the exam has these students. */
export function* stepsFor(presence: Presence, entries: Entries, options: ImportScope, rows: Rows | undefined): Generator<ImportStep> {
  for (const entry of entries) if (inShard(entry, options.shard)) yield planRow(entry, presence, rows, options);
}
