/** What is left to do of a run. */
import type { Run } from '../record/index.ts';
import { type Execution, isOpen, isUnknown, reasons } from './execution.ts';
import { needsVerifying, rulesOf } from './steps/index.ts';

export function isUnsettled(execution: Execution): boolean {
  return isOpen(execution) || needsVerifying(execution);
}

/** Tried again once its run has ended: never what only another consent sends. */
export function isRetryable({ reason, step, isForgotten }: Execution): boolean {
  return reason !== undefined && reasons[reason].again && !isForgotten && rulesOf(step).resend !== 'never';
}

/** What `runs resume` would bring to an end. */
export function retryableIn(run: Pick<Run, 'state'>, executions: readonly Execution[]): Execution[] {
  return executions.filter(run.state === 'open' ? isUnsettled : isRetryable);
}

/** What brings a run to its end; undefined where nothing does. */
export function wayOn(run: Pick<Run, 'state'>, executions: readonly Execution[]): 'resume' | 'close' | undefined {
  const left = retryableIn(run, executions);
  if (left.length === 0) return undefined;
  const isLost = (execution: Execution) => isUnknown(execution) && !rulesOf(execution.step).isVerifiable;
  return left.every(isLost) ? 'close' : 'resume';
}
