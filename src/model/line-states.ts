/**
 * The states of a line of an import: the only table of them. Each is derived from the states of the steps of the run
 * (`src/runs/step-states.ts`); a line without a step is judged by what the exam shows. The plan and the result
 * read it. Each line is in one state; the counts of all states add up to the lines of the file.
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
};

const complete = { complete: true, settledBy: null } as const;
/** The run ends with it. */
const byYou = { complete: false, settledBy: 'you' } as const;
/** The run stays open. */
const byCommand = { complete: false, settledBy: 'the same command' } as const;

export const lineStates = {
  created: { ...complete, creates: ['done'] },
  updated: { ...complete, updates: ['done'] },
  unchanged: { ...complete, creates: ['there'], updates: ['there'] },
  different: { ...byYou, creates: ['different'], updates: ['different', 'not_applied'] },
  duplicate: { ...byYou, creates: ['duplicate'], updates: ['duplicate'] },
  rejected: { ...byYou, creates: ['rejected', 'not_applied'], updates: ['rejected'] },
  absent: { ...byCommand, creates: ['absent'], updates: ['absent'] },
  unknown: { ...byCommand, creates: ['sending', 'unknown', 'confirmed'], updates: ['sending', 'unknown', 'confirmed'] },
  changed: { ...byYou, creates: ['changed', 'gone'], updates: ['changed', 'gone'] },
  not_sent: { ...byCommand, creates: ['planned', 'skipped', 'given_up'], updates: ['planned', 'skipped', 'given_up'] },
  invalid: byYou,
  left_out: complete,
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
