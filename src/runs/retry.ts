/**
 * A finished run that did only a part of a relative change: the same command would make the change twice where it was done, so only
 * what the service refused or did not do, and what waited for that, is tried again.
 */
import type { RunRecord } from '../state/state.ts';
import { Book } from './book.ts';
import type { DriveParts } from './drive.ts';
import { stepsOf } from './recorded.ts';
import { folded } from './resume.ts';
import { isGood } from './step-states.ts';
import type { World } from './world.ts';

/** The latest run of the same command, if it ended so and nobody has begun to undo it. `done`: the number of its steps that are done. */
export async function doneInPart(world: World, identity: string): Promise<{ record: RunRecord; done: number } | undefined> {
  const { state, origin } = world;
  const record = await state.findLast(origin, identity);
  if (!record || (await state.runs()).some(({ undoOf }) => undoOf === record.id)) return undefined;
  const { steps, forgotten } = stepsOf(await state.steps(record.id));
  const book = new Book(steps);
  folded(book, await state.events(record.id), forgotten);
  const done = [...book.outcomes()].filter(({ state: is, ours }) => isGood(is) && ours).length;
  return done > 0 && leftOf(book).length > 0 ? { record, done } : undefined;
}

/** The steps that were refused, skipped, or shown not to be carried out, and what a skipped one waited for. */
function leftOf(book: Book): number[] {
  const left = new Set(book.inState('rejected', 'not_applied', 'skipped'));
  for (const index of book.inState('skipped')) {
    for (const before of book.steps.at(index)?.after ?? []) if (book.state(before) === 'changed') left.add(before);
  }
  return [...left];
}

export function retryLeft({ book, run }: DriveParts): void {
  for (const index of leftOf(book)) {
    book.restore(index, 'planned');
    book.clear(index);
    run.record({ n: index + 1, event: 'planned' });
  }
}
