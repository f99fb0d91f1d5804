/**
 * The states of a line of an import: the only table of them. Each is derived from the states of the steps of the run
 * (`src/runs/step-states.ts`); a line without a step is judged by what the exam shows. The plan, the result, the schema and
 * docs/import.md read it. Each line is in one state; the counts of all states add up to the lines of the file.
 */

/**
 * `complete`: an import with only such lines succeeded. `settledBy`: null if nothing can be done.
 * `creates`, `updates`: the states of a step that creates, or updates, the student of the line.
 */
type LineStateMeaning = {
  complete: boolean;
  settledBy: 'you' | 'the same command' | null;
  creates?: readonly string[];
  updates?: readonly string[];
  means: string;
  next: string;
};

const complete = { complete: true, settledBy: null } as const;
/** The run ends with it. */
const byYou = { complete: false, settledBy: 'you' } as const;
/** The run stays open. */
const byCommand = { complete: false, settledBy: 'the same command' } as const;
const nothing = 'nothing';

export const lineStates = {
  created: { ...complete, creates: ['done'], means: 'the run created the student with the fields of the line', next: nothing },
  updated: {
    ...complete,
    updates: ['done'],
    means: 'the student was in the exam, and the run updated the fields that differed',
    next: nothing,
  },
  unchanged: {
    ...complete,
    creates: ['there'],
    updates: ['there'],
    means: 'the student was already in the exam with the fields of the line',
    next: nothing,
  },
  different: {
    ...byYou,
    creates: ['different'],
    updates: ['different', 'not_applied'],
    means: 'the student is in the exam, but a field differs from the line',
    next: '`--update` changes it; `--accept-different` keeps it and counts the line as done',
  },
  duplicate: {
    ...byYou,
    creates: ['duplicate'],
    updates: ['duplicate'],
    means: 'the exam has several students with this address',
    next: 'delete the surplus sessions; the result names them',
  },
  rejected: {
    ...byYou,
    creates: ['rejected', 'not_applied'],
    updates: ['rejected'],
    means: 'the service rejected the line',
    next: 'correct it and import it again',
  },
  absent: {
    ...byCommand,
    creates: ['absent'],
    updates: ['absent'],
    means: 'the line was sent, but no answer confirmed it, and two reads do not show the student',
    next: '`--resend-absent` sends it again',
  },
  unknown: {
    ...byCommand,
    creates: ['sending', 'unknown', 'confirmed'],
    updates: ['sending', 'unknown', 'confirmed'],
    means: 'a request was sent, and its outcome is unknown',
    next: 'the same command looks again; `runs settle` settles a line by hand',
  },
  changed: {
    ...byYou,
    creates: ['changed', 'gone'],
    updates: ['changed', 'gone'],
    means: 'another client deleted the session, gave it to another student, or changed a value that was to be updated',
    next: 'check the session, then import the file again',
  },
  not_sent: {
    ...byCommand,
    creates: ['planned', 'skipped', 'given_up'],
    updates: ['planned', 'skipped', 'given_up'],
    means: 'no request was sent for the line, or the service provably did not carry it out',
    next: 'the same command sends it',
  },
  invalid: { ...byYou, means: 'the line cannot be sent as it is', next: 'correct it and import it again' },
  left_out: { ...complete, means: 'the line is not a student, or with `--update-only` not one of the exam', next: nothing },
} as const satisfies Record<string, LineStateMeaning>;

export type LineStateName = keyof typeof lineStates;
export const lineStateNames = Object.keys(lineStates) as LineStateName[];

const table: Readonly<Record<LineStateName, LineStateMeaning>> = lineStates;

/** The state of a line by that of its step. */
export function lineStateOf(step: 'creates' | 'updates', state: string): LineStateName {
  return lineStateNames.find((name) => table[name][step]?.includes(state)) ?? 'unknown';
}

export type LineCounts = Record<LineStateName, number>;

export function noLines(): LineCounts {
  return Object.fromEntries(lineStateNames.map((name) => [name, 0])) as LineCounts;
}

function statesWhere(holds: (state: LineStateMeaning) => boolean): readonly LineStateName[] {
  return lineStateNames.filter((name) => holds(lineStates[name]));
}

/** In these a line needs nothing more. */
export const completeStates = statesWhere((state) => state.complete);
/** With these a run has ended, without complete success. */
export const failedStates = statesWhere((state) => !state.complete && state.settledBy !== 'the same command');
/** With these a run stays open. */
export const openStates = statesWhere((state) => state.settledBy === 'the same command');

/** How many lines are in one of these states. */
export function sumOf(counts: Readonly<Partial<LineCounts>>, names: readonly LineStateName[] = lineStateNames): number {
  return names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
}
