/** Every write is a step of a plan that `executePlan` carries out. Features compute plans. */
export { executePlan, nothingSent, worldOf } from './execute-plan.ts';
export type { Execution } from './execution.ts';
export {
  isOpen,
  isRefusedAsThere,
  isUnknown,
  isWritten,
  loadExecutions,
  mayBeTriedAgain,
  meaningOf,
  needsVerifying,
  retryableIn,
} from './execution.ts';
export { ExistingRecords, existingExams, existingSessions } from './existing-records.ts';
export { locksOf } from './locks.ts';
export {
  type Consents,
  createUnknown,
  type Ended,
  type LockScope,
  mayAsk,
  type Refused,
  type RunRequest,
  rerunPolicyOf,
} from './request.ts';
export { readOne, type World } from './running.ts';
export type { Beside, Plan, Resource, Step } from './step.ts';
export { awaited, creates, examOfStep, kindOf, notSent, oldValues, requestOf, resourceOf, unknownOperation } from './step.ts';
export { poolLacks } from './verify.ts';

/** Loaded by what goes on with a run, or ends it. */
export const openRuns = () => import('./open-runs.ts');
