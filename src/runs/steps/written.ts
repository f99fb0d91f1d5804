/** What a read shows that does not show yet what steps have written. */
import { compared, replacedBy } from '../../model/compare.ts';
import { type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { addressKey, otherStudent } from '../../model/listing.ts';
import { type Execution, isUnknown } from '../execution.ts';
import { bodyOf, previousOf, type Resource, resourceOf, type Step } from './step.ts';

/** What a read shows: a record, or the pool of an exam, which goes with it. */
export type Read = Resource | 'pool';

export function mayHaveWritten(execution: Execution, read: Read): boolean {
  const { step, state, seen, reason } = execution;
  const mayBe = isUnknown(execution) || reason === 'closed' || ((state === 'done' || seen) && reason !== 'there');
  const ofPool = ['change pool', 'delete'].includes(step.kind);
  const isShown = read === 'pool' ? ofPool : step.kind !== 'change pool' && step.kind !== 'send mails';
  return mayBe && isShown && resourceOf(step) === (read === 'pool' ? 'exam' : read);
}

/** Whether a record shows a value that a step has replaced; the latest first. */
export function isBefore(shown: JsonObject, steps: readonly Step[]): boolean {
  const [last] = steps;
  if (!last || last.kind === 'delete') return otherStudent(last?.student.email, shown) === undefined;
  const shows = ({ field, value }: { field: string; value: Json }) => {
    const { changes, notShown } = compared(resourceOf(last), { [field]: value }, shown);
    return changes.length + notShown.length === 0;
  };
  // The ID of a student who was deleted may be another one's.
  const replaced = (step: Step) =>
    step.kind === 'delete' ? { email: step.student.email ?? null } : replacedBy(Object.keys(bodyOf(step)), previousOf(step));
  const valuesOf = (step: Step) =>
    [bodyOf(step), replaced(step)].flatMap((values) => Object.entries(values).map(([field, value]) => ({ field, value })));
  const all = Map.groupBy(steps.flatMap(valuesOf), ({ field }) => field).values();
  return [...all].some(([now, ...before]) => now && !shows(now) && before.some(shows));
}

export function isPoolBefore({ proctors: pool }: { proctors: readonly (readonly string[])[] }, steps: readonly Step[]): boolean {
  const shown = new Set(pool.flat());
  const changes = steps.toReversed().flatMap((step) => (step.kind === 'change pool' ? step : []));
  const isIn = new Map(changes.flatMap(({ proctors, change }) => proctors.map((each) => [addressKey(textOfJson(each)), change === 'add'])));
  return [...isIn].some(([proctor, is]) => shown.has(proctor) !== is);
}
