/** Every write is a step of a plan that `executePlan` carries out. Features compute plans. */
export { type Engine, serviceNow, shortList } from './engine.ts';
export { engineOf, executePlan, nothingSent, plannedRequests } from './execute-plan.ts';
export { type Execution, isOpen, isRefusedAsThere, isUnknown, isWritten, loadExecutions, meaningOf } from './execution.ts';
export { type ExistingRecords, existingIn, refuseUnfinishedCreates } from './existing-records.ts';
export { locksOf } from './locks.ts';
export type { Consents, Ended, LockScope, Refused, RunRequest } from './request.ts';
export { createUnknown, mayAsk, nothingShows, runKindOf, undoHint } from './request.ts';
export { retryable, retryableIn, wayOn } from './retry.ts';
export { poolLacks } from './steps/change-pool.ts';
export { addStudent, copyOf, timesFor } from './steps/create-session.ts';
export { isUndoable, needsVerifying, repeatOf, rulesOf, typedStep } from './steps/index.ts';
export { mailingCommand } from './steps/send-mails.ts';
export type { Plan, Ref, Step, StepDraft, Student } from './steps/step.ts';
export {
  bodyOf,
  copyIn,
  created,
  deletionOf,
  isDelete,
  isLasting,
  listedAs,
  lookAt,
  nobody,
  nothingRequired,
  notSent,
  operationOf,
  previousOf,
  requestOf,
  resourceOf,
  StepList,
  sentBody,
  stepsOf,
  targetOf,
} from './steps/step.ts';
export type { UndoPlan } from './undo-plan.ts';
export { isCompleteUndo, isTakenBack, type NotUndone, standingUndos } from './undoing.ts';

/** Loaded by what goes on with a run, ends it, undoes it or forgets it. */
export const openRuns = () => import('./open-runs.ts');
