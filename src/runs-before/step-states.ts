/**
 * The life of a step: the one table of its states. An event is the state that it leads to; `next` says which may follow. The engine,
 * `runs show` and the result read this table.
 */

type StateMeaning = {
  /** The run stays open while a step is in it. */
  open: boolean;
  /** A step after it may be sent. */
  good: boolean;
  means: string;
  next: readonly string[];
};

const seen = ['done', 'there', 'different', 'duplicate', 'not_applied', 'absent', 'gone', 'changed'] as const;
const ended = { open: false } as const;

export const stepStates = {
  planned: {
    open: true,
    good: false,
    means: 'not sent yet, or refused by the service',
    next: ['sending', 'done', 'there', 'different', 'duplicate', 'changed', 'gone', 'skipped', 'given_up'],
  },
  sending: {
    open: true,
    good: false,
    means: 'about to be sent; unknown once its process has ended',
    next: ['sending', 'planned', 'rejected', 'unknown', 'confirmed', ...seen],
  },
  unknown: {
    open: true,
    good: false,
    means: 'sent, and the outcome is unknown',
    next: ['planned', 'rejected', 'given_up', ...seen],
  },
  confirmed: {
    open: true,
    good: false,
    means: 'the service said yes without an ID; a later read will show it',
    next: ['given_up', ...seen.filter((state) => state !== 'absent')],
  },
  absent: {
    open: true,
    good: false,
    means: 'sent without an answer, and two reads do not show it',
    next: ['planned', 'sending', 'given_up', ...seen],
  },
  done: {
    ...ended,
    good: true,
    means: 'done by this run',
    next: ['done', 'different', 'duplicate', 'not_applied', 'gone', 'changed', 'absent'],
  },
  there: { ...ended, good: true, means: 'there already', next: ['there', 'different', 'duplicate', 'gone'] },
  different: { ...ended, good: false, means: 'there, with other values than were sent', next: [...seen] },
  duplicate: { ...ended, good: false, means: 'the exam has several students with this address', next: [...seen] },
  rejected: { ...ended, good: false, means: 'rejected by the service', next: ['planned'] },
  not_applied: { ...ended, good: false, means: 'accepted by the service, and not carried out', next: ['planned', ...seen] },
  changed: { ...ended, good: false, means: 'not sent: another client changed it meanwhile', next: ['planned', ...seen] },
  gone: { ...ended, good: false, means: 'no longer there', next: ['planned', ...seen] },
  skipped: { ...ended, good: false, means: 'not sent: the exam is running, or a step before it has failed', next: ['planned'] },
  given_up: { ...ended, good: false, means: 'given up', next: [] },
} as const satisfies Record<string, StateMeaning>;

export type StepState = keyof typeof stepStates;
export const stepStateNames = Object.keys(stepStates) as StepState[];

const table: Readonly<Record<StepState, StateMeaning>> = stepStates;

export function isOpen(state: StepState): boolean {
  return table[state].open;
}

/** Whether steps after one in this state may be sent. */
export function isGood(state: StepState): boolean {
  return table[state].good;
}

export function mayFollow(state: StepState, next: StepState): boolean {
  return table[state].next.includes(next);
}

/** The state of a step after an event of the state; an event that the table does not allow there changes nothing. */
export function after(state: StepState, event: string): StepState {
  return (stepStateNames as readonly string[]).includes(event) && mayFollow(state, event as StepState) ? (event as StepState) : state;
}

/** What is left of a step whose process has ended. */
export function leftBehind(state: StepState): StepState {
  return state === 'sending' ? 'unknown' : state;
}
