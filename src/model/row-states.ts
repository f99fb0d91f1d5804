/**
 * The life of a row of an import: the states that it can be in, in the order in which they are shown.
 * The only table of them: the plan, the journal, the result, `imports list`, the schema and docs/import.md
 * read it. Each row is in one state at a time; the counts of all states add up to the rows of the file.
 */

/** `complete`: a run with only such rows succeeded. `settledBy`: null if nothing can be done. `aside`: not part of the run. */
type RowStateMeaning = { complete: boolean; settledBy: 'you' | 'the same command' | null; aside?: true; means: string; next: string };

const complete = { complete: true, settledBy: null } as const;
/** The run ends with it. */
const byYou = { complete: false, settledBy: 'you' } as const;
/** The run stays open. */
const byCommand = { complete: false, settledBy: 'the same command' } as const;
const nothing = 'nothing';

export const rowStates = {
  created: { ...complete, means: 'the run registered the student with the fields of the row', next: nothing },
  updated: { ...complete, means: 'the student was in the exam, and the run updated the fields that differed', next: nothing },
  unchanged: { ...complete, means: 'the student was already in the exam with the fields of the row', next: nothing },
  different: {
    ...byYou,
    means: 'the student is in the exam, but a field differs from the row',
    next: '`--update` changes it; `--accept-different` keeps it and counts the row as done',
  },
  duplicate: { ...byYou, means: 'the exam has several students with this address', next: 'delete the duplicate' },
  rejected: { ...byYou, means: 'the service rejected the row', next: 'correct it and import it again' },
  partial: {
    ...byCommand,
    means: 'the run registered the student, but `open_time` is not set yet',
    next: 'the same command sets it',
  },
  absent: {
    ...byCommand,
    means: 'the row was sent, but no answer confirmed it, and a complete listing does not show the student',
    next: '`--resend-absent` sends it again',
  },
  missing: {
    ...byCommand,
    means: 'the service confirmed the student, but the session no longer exists',
    next: '`--resend-absent` sends it again',
  },
  not_sent: {
    ...byCommand,
    means: 'no request was sent for the row, or the service provably did not carry it out',
    next: 'the same command sends it',
  },
  unknown: {
    ...byCommand,
    means: 'a request was sent, and its outcome is unknown',
    next: 'the same command checks again; `imports settle` settles a row by hand',
  },
  deleted: { complete: false, settledBy: null, means: '`imports undo` deleted the session', next: nothing },
  invalid: { ...byYou, means: 'the row cannot be sent as it is', next: 'correct it and import it again' },
  left_out: { ...complete, aside: true, means: 'the row is not a student', next: nothing },
  other_shard: { ...complete, aside: true, means: 'the row belongs to another `--shard`', next: nothing },
} as const satisfies Record<string, RowStateMeaning>;

export type RowStateName = keyof typeof rowStates;
export const rowStateNames = Object.keys(rowStates) as RowStateName[];

export type RowCounts = Record<RowStateName, number>;

export function noRows(): RowCounts {
  return Object.fromEntries(rowStateNames.map((name) => [name, 0])) as RowCounts;
}

function statesWhere(holds: (state: RowStateMeaning) => boolean): readonly RowStateName[] {
  return rowStateNames.filter((name) => holds(rowStates[name]));
}

/** In these a row needs nothing more. */
export const completeStates = statesWhere((state) => state.complete);
/** With these a run has ended, without complete success. */
export const failedStates = statesWhere((state) => !state.complete && state.settledBy !== 'the same command');
/** With these a run stays open. */
export const openStates = statesWhere((state) => state.settledBy === 'the same command');
/** Rows that are not part of the run. */
export const asideStates = statesWhere((state) => state.aside === true);

/** How many rows are in one of these states. */
export function sumOf(counts: Readonly<Partial<RowCounts>>, names: readonly RowStateName[] = rowStateNames): number {
  return names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
}
