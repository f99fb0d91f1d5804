/** What is left to do of a run. */
import type { Run } from '../record/index.ts';
import { type Execution, Executions, isOpen, isUnknown, reasons } from './execution.ts';
import { needsVerifying, rulesOf } from './steps/index.ts';
import { created, isUpdate, refsIn, type Step } from './steps/step.ts';

export function isUnsettled(execution: Execution): boolean {
  return isOpen(execution) || needsVerifying(execution);
}

/** What `runs resume` sends again once the run has ended: never what only another consent sends, nor a step behind one that is not sent. */
export function retryable(executions: readonly Execution[]): Execution[] {
  const again = new Set<Execution>();
  const all = new Executions(executions);
  for (const execution of executions) {
    const { reason, step, isForgotten } = execution;
    if (reason === undefined || !reasons[reason].again || isForgotten || rulesOf(step).resend === 'never') continue;
    const isFinal = (other: Execution) => other.reason !== undefined && isBlocking(step, other) && !again.has(other);
    if (reason !== 'after_failed' || !all.dependencies(execution).some(isFinal)) again.add(execution);
  }
  return [...again];
}

/** Whether a step is not sent, as one before it was not done. */
export function isBlocking(step: Step, before: Execution): boolean {
  const { state, owned, seen, reason, step: other } = before;
  if (step.dependsOn === 'all others') return other.dependsOn !== 'all others' && state !== 'done';
  const isCreator = refsIn(step).includes(other.number);
  // A step does not go on with what somebody else has created.
  if (isCreator && reason === 'there') return true;
  // What it follows is there, though another value is shown.
  if ((isCreator || !created(other)) && owned && seen && reason === 'different') return false;
  // A student who is gone holds up nothing that is done for the others.
  const isOfNobody = reason === 'gone' && isUpdate(other) && other.resource === 'session' && typeof other.id === 'string';
  return !(state === 'done' && seen) && !isOfNobody;
}

/** What `runs resume` would bring to an end. */
export function retryableIn(run: Pick<Run, 'state'>, executions: readonly Execution[]): Execution[] {
  return run.state === 'open' ? executions.filter(isUnsettled) : retryable(executions);
}

/** What brings a run to its end; undefined where nothing does. */
export function wayOn(run: Pick<Run, 'state'>, executions: readonly Execution[]): 'resume' | 'close' | undefined {
  const left = retryableIn(run, executions);
  if (left.length === 0) return undefined;
  const isLost = (execution: Execution) => isUnknown(execution) && !rulesOf(execution.step).isVerifiable;
  return left.every(isLost) ? 'close' : 'resume';
}
