/**
 * Carries out the planned steps of a run, as many at a time as the pacer allows: what a step waits for comes first, and a step that
 * follows one other goes right after it. It ends early only by the stop rule.
 */

import { atOnce } from '../api/pacer.ts';
import { addTo } from '../model/groups.ts';
import type { Book } from './book.ts';
import type { OtherImporters } from './other-importers.ts';
import { dependenciesOf, eachStep } from './step.ts';
import type { StepProgress } from './step-progress.ts';
import { type SenderParts, StepSender } from './step-sender.ts';
import { isOpen } from './step-states.ts';

/** Up to this many followers are sent right after their step. */
const takenAlong = 2;

export type ExecuteParts = SenderParts & { others: OtherImporters; progress: StepProgress; resendAbsent: boolean };

export async function execute(parts: ExecuteParts): Promise<void> {
  const { world, book, stop, progress } = parts;
  const sender = new StepSender(parts);
  const followers = followersOf(book);
  const tried = new Set<number>();
  const total = book.count('planned');
  progress.begin();
  const sendWithFollowers = async (index: number): Promise<void> => {
    tried.add(index);
    await sender.send(index);
    progress.tick(index);
    await parts.others.look(index);
    const next = followers.get(index) ?? [];
    if (next.length > takenAlong) return;
    for (const each of next) if (!tried.has(each) && isReady(book, each)) await sendWithFollowers(each);
  };
  for (;;) {
    const ready = readyIn(book, tried);
    const { value: first, done } = ready.next();
    if (stop.why) return;
    if (done) {
      if (!(await settleClaimed(parts, sender, tried))) return;
      continue;
    }
    await world.client.pacer.each(chain(first, ready), sendWithFollowers, atOnce(total));
  }
}

/** Students whom other runs have claimed come last: by then, most of those runs have ended. Resolves to whether any is tried again. */
async function settleClaimed({ world, book, resendAbsent }: ExecuteParts, sender: StepSender, tried: Set<number>): Promise<boolean> {
  const claimed = sender.takeClaimed();
  const runs = new Set<string>();
  for (const [index, claim] of claimed) {
    tried.delete(index);
    if (runs.has(claim.run)) continue;
    runs.add(claim.run);
    // Whoever does a single thing waits for it.
    await world.settleOther?.(claim, { waits: book.steps.length === 1, resendAbsent });
  }
  return claimed.size > 0;
}

function* chain(first: number, rest: Iterable<number>): Generator<number> {
  yield first;
  yield* rest;
}

/** The planned steps, each once, whose turn has come when it is asked for. */
function* readyIn(book: Book, tried: ReadonlySet<number>): Generator<number, undefined> {
  for (const index of book.inState('planned')) if (!tried.has(index) && isReady(book, index)) yield index;
}

/** Whether nothing that it waits for can still be done. What is left open by a step before it stays open with it. */
function isReady(book: Book, index: number): boolean {
  if (book.state(index) !== 'planned') return false;
  const step = book.steps.at(index);
  if (step?.last && book.turnOfLast === 'open') return false;
  return (step ? dependenciesOf(step) : []).every((before) => !isOpen(book.state(before)));
}

function followersOf(book: Book): ReadonlyMap<number, number[]> {
  const followers = new Map<number, number[]>();
  for (const [index, step] of eachStep(book.steps)) {
    for (const before of dependenciesOf(step)) addTo(followers, before, index);
  }
  return followers;
}
