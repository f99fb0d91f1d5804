/**
 * What is left to send of a recorded run, for a dry run: the steps that never left, and with a consent those that two readings do not
 * show. What is unknown is looked up first when the run is resumed, and nothing can be said of it before.
 */
import type { RunRecord } from '../state/state.ts';
import type { Book } from './book.ts';
import { recordedRun } from './recorded.ts';
import type { Plan, Step } from './step.ts';
import type { World } from './world.ts';

export async function leftOf(
  { state }: Pick<World, 'state'>,
  { id }: RunRecord,
  resendAbsent: boolean,
): Promise<Plan & { unknown: number }> {
  const { book } = await recordedRun(state, id);
  const wanted = book.inState('planned', ...(resendAbsent ? (['absent'] as const) : []));
  const steps: Step[] = [];
  const places = new Map<number, number>();
  for (const index of wanted) {
    const step = book.steps.at(index);
    const left = step && withIds(step, book, places);
    if (left) places.set(index, steps.push(left) - 1);
  }
  return { steps, unknown: book.count('unknown', 'confirmed') };
}

/** A step with what the steps before it have made; undefined where nobody knows yet whether they have. */
function withIds({ after: _, ...step }: Step, book: Book, places: ReadonlyMap<number, number>): Step | undefined {
  if (!step.made) return step;
  const { made, ...rest } = step;
  const place = places.get(made.by);
  if (place !== undefined) return { ...step, made: { ...made, by: place } };
  const id = book.id(made.by);
  return id === undefined ? undefined : { ...rest, params: { ...step.params, [made.param]: id } };
}
