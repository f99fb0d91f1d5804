/** A step as it is recorded, and back: what is looked for is plain, everything else is sealed. */
import { type Operation, operations } from '../api/operations.ts';
import type { JsonObject } from '../model/json.ts';
import type { RunRecord, StepRow } from '../record/index.ts';
import type { Reason, StepState } from './states.ts';
import { creates, examOfStep, type Item, type Step, targeted, unknownOperation } from './step.ts';

/** What a row has besides its step, sealed like it. */
type Sealed = Omit<Step, 'operation'> & Pick<Item, 'stored' | 'code'>;

export function rowOf(item: Item, record: RunRecord): StepRow {
  const { step, index, state, reason, seen, id, ours, at, code, stored } = item;
  const { operation, ...rest } = step;
  // Also the exam that it has created.
  const exam = creates(step) === 'exam' ? id : examOfStep(step);
  const sealed: Sealed = { ...rest, code, stored };
  return {
    ...{ n: index + 1, op: operation.id, line: step.line ?? null, exam: exam ?? null },
    target: step.params.id ?? null,
    student: studentOf(step, record),
    ...{ state, reason: reason ?? null, seen, session: id ?? null, ours, at },
    plan: sealed as unknown as JsonObject,
  };
}

/** The key of the student whom a step is about: by address, or else by number. */
export function studentOf({ email, number }: Pick<Step, 'email' | 'number'>, { keys }: RunRecord): string | null {
  if (email !== undefined) return keys.studentKey(email);
  return number === undefined ? null : keys.studentKey(`number ${number}`);
}

export async function itemsOf(record: RunRecord, run: string): Promise<Item[]> {
  const items = (await record.steps(run)).map(itemOf);
  for (const item of items) item.step = targeted(item.step, items);
  return items;
}

export function itemOf({ n, op, state, reason, seen, session, ours, at, plan }: StepRow): Item {
  const known: Readonly<Record<string, Operation>> = operations;
  const { stored, code, ...rest } = plan as unknown as Sealed;
  const step: Step = { operation: known[op] ?? unknownOperation, ...rest };
  // What is left of a step whose process has ended.
  const is = state === 'sending' ? 'unknown' : (state as StepState);
  return {
    ...{ index: n - 1, step, state: is, reason: (reason ?? undefined) as Reason | undefined },
    ...{ seen, ours, at, sentNow: false, id: session ?? undefined, code, stored },
  };
}

export function newItem(step: Step, index: number, now: number): Item {
  const id = creates(step) === undefined ? step.params.id : undefined;
  return { index, step, state: 'planned', seen: false, ours: false, at: now, sentNow: false, id };
}
