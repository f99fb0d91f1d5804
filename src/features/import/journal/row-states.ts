/**
 * The life of a row: the states that it can be in, in the order in which they are told. The one table
 * of them: the plan, the journal, the report, the list of imports and the docs use these words and no
 * others. Each row is in one state at a time, and the counts of all states add up to the rows of the file.
 */

/**
 * `done`: nothing is left to do. `failed`: a person decides what happens next; the run is over with it.
 * `open`: the same command continues with it, so the run stays open. `aside`: not part of the run.
 */
export type RowGroup = 'done' | 'failed' | 'open' | 'aside';

type Meaning = { group: RowGroup; means: string; next: string };

const nothing = 'nothing';

export const rowStates = {
  created: { group: 'done', means: 'the run registered the student with the fields of the row', next: nothing },
  updated: { group: 'done', means: 'the student was in the exam, and the run updated the fields that differed', next: nothing },
  unchanged: { group: 'done', means: 'the student was already in the exam with the fields of the row', next: nothing },
  different: {
    group: 'failed',
    means: 'the student is in the exam, but a field differs from the row',
    next: '`--update` changes it; `--accept-different` keeps it and counts the row as done',
  },
  duplicate: { group: 'failed', means: 'the exam has several students with this address', next: 'delete the duplicate' },
  rejected: { group: 'failed', means: 'the service rejected the row', next: 'correct it and import it again' },
  partial: {
    group: 'open',
    means: 'the run registered the student, but `open_time` is not set yet',
    next: 'the same command sets it',
  },
  absent: {
    group: 'open',
    means: 'the row was sent, but no answer confirmed it, and a complete listing does not show the student',
    next: '`--resend-absent` sends it again',
  },
  missing: {
    group: 'open',
    means: 'the service confirmed the student, but the session no longer exists',
    next: '`--resend-absent` sends it again',
  },
  not_sent: {
    group: 'open',
    means: 'no request was sent for the row, or the service provably did not carry it out',
    next: 'the same command sends it',
  },
  unknown: {
    group: 'open',
    means: 'a request was sent, and its outcome is unknown',
    next: 'the same command checks again; `imports settle` settles a row by hand',
  },
  deleted: { group: 'failed', means: '`imports undo` deleted the session', next: nothing },
  invalid: { group: 'failed', means: 'the row cannot be sent as it is', next: 'correct it and import it again' },
  left_out: { group: 'aside', means: 'the row is not a student', next: nothing },
  other_shard: { group: 'aside', means: 'the row belongs to another `--shard`', next: nothing },
} as const satisfies Record<string, Meaning>;

export type RowStateName = keyof typeof rowStates;
export const rowStateNames = Object.keys(rowStates) as RowStateName[];

export type RowCounts = Record<RowStateName, number>;

export function noRows(): RowCounts {
  return Object.fromEntries(rowStateNames.map((name) => [name, 0])) as RowCounts;
}

export function namesIn(group: RowGroup): RowStateName[] {
  return rowStateNames.filter((name) => rowStates[name].group === group);
}

/** How many rows are in one of these states. */
export function sumOf(counts: Readonly<Partial<RowCounts>>, names: readonly RowStateName[] = rowStateNames): number {
  return names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
}
