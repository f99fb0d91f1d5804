/** The life of a step: six states, and the reason beside them. The engine, `runs show`, results and the docs read this one table. */

/** `planned`: not sent yet · `sending`: about to leave, unknown once its process has ended · `unknown`: sent, and what became of it is unknown. */
export type StepState = 'planned' | 'sending' | 'unknown' | 'done' | 'failed' | 'skipped';

type Meaning = {
  state: 'done' | 'failed' | 'skipped';
  /** Tried again by `runs resume` of a run that has ended. */
  again: boolean;
  means: string;
};

export const reasons = {
  there: { state: 'done', again: false, means: 'there already' },
  different: { state: 'failed', again: false, means: 'there, with other values than were sent' },
  duplicate: { state: 'failed', again: false, means: 'there several times' },
  rejected: { state: 'failed', again: true, means: 'rejected by the service' },
  not_applied: { state: 'failed', again: true, means: 'answered, and not carried out' },
  absent: { state: 'failed', again: true, means: 'sent without an answer, and proven not to be there' },
  gone: { state: 'failed', again: false, means: 'no longer there' },
  changed: { state: 'failed', again: false, means: 'not sent: another client changed it meanwhile' },
  held_back: { state: 'skipped', again: true, means: 'not sent: held back' },
  after_failed: { state: 'skipped', again: true, means: 'not sent: a step before it was not done' },
  closed: { state: 'failed', again: false, means: 'sent, and closed while its outcome was unknown' },
  given_up: { state: 'skipped', again: false, means: 'given up: its run was closed, or planned anew' },
} as const satisfies Record<string, Meaning>;

export type Reason = keyof typeof reasons;

export const states: Record<StepState, string> = {
  planned: 'not sent yet',
  sending: 'about to be sent',
  unknown: 'sent, and the outcome is unknown',
  done: 'done',
  failed: 'failed',
  skipped: 'not sent',
};

export function meaningOf(state: StepState, reason: Reason | undefined): string {
  return reason === undefined ? states[state] : reasons[reason].means;
}

/** Its run stays open because of it. */
export function isOpen({ state }: { state: StepState }): boolean {
  return state === 'planned' || isUnknown({ state });
}

/** May have been carried out: only a look settles it. */
export function isUnknown({ state }: { state: StepState }): boolean {
  return state === 'sending' || state === 'unknown';
}

/** A request has done it; it was not so before. */
export function isWritten({ state, reason }: { state: StepState; reason?: Reason | undefined }): boolean {
  return state === 'done' && reason !== 'there';
}

export function isTriedAgain({ reason }: { reason?: Reason | undefined }): boolean {
  return reason !== undefined && reasons[reason].again;
}
