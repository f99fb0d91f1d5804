/**
 * Carries out the planned steps of a run, as many at a time as the pacer allows: what a step waits for comes first, and a step that
 * follows one other goes right after it. It ends early only by the stop rule.
 */
import { firstWindow } from '../api/pace-calculator.ts';
import { CliError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { sentence } from '../text/sentence.ts';
import type { Book } from './book.ts';
import { readExam } from './reading.ts';
import { createsStudent, eachStep, type Step } from './step.ts';
import { type SenderParts, StepSender } from './step-sender.ts';
import { isGood, isOpen } from './step-states.ts';

/** A step with at most so many followers takes them along. */
const takenAlong = 2;

export async function execute(parts: SenderParts): Promise<void> {
  const { world, book, stop } = parts;
  const sender = new StepSender(parts);
  const followers = followersOf(book);
  const tried = new Set<number>();
  const total = book.count('planned');
  const progress = total > 1 ? world.context.progress(total) : undefined;
  const others = new OtherImporters(parts);
  // A few are done sooner than it takes to understand what happened to several at once.
  const most = total > 2 * firstWindow ? total : 1;
  const sendWithFollowers = async (index: number): Promise<void> => {
    tried.add(index);
    await sender.send(index);
    progress?.tick(isGood(book.state(index)));
    await others.look(index);
    const next = followers.get(index) ?? [];
    if (next.length > takenAlong) return;
    for (const each of next) if (!tried.has(each) && isReady(book, each)) await sendWithFollowers(each);
  };
  try {
    for (;;) {
      const ready = readyIn(book, tried);
      const { value: first, done } = ready.next();
      if (done || stop.why) return;
      await world.client.pacer.each(chain(first, ready), sendWithFollowers, most);
    }
  } finally {
    progress?.end();
  }
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
  return dependenciesOf(step).every((before) => !isOpen(book.state(before)));
}

function dependenciesOf(step: Step | undefined): number[] {
  if (!step) return [];
  return [...(step.after ?? []), ...(step.made ? [step.made.by] : []), ...(step.proven === undefined ? [] : [step.proven])];
}

function followersOf(book: Book): ReadonlyMap<number, number[]> {
  const followers = new Map<number, number[]>();
  for (const [index, step] of eachStep(book.steps)) {
    for (const before of new Set(dependenciesOf(step))) followers.set(before, [...(followers.get(before) ?? []), index]);
  }
  return followers;
}

/** After so many creates in an exam, somebody else may have begun as well. */
const lookAfter = 8;
const foreignAtMost = 3;

/**
 * Another importer that shares no state: students of this run's own list, still planned, not there when it was planned, who are there
 * now. Three of them stop the run.
 */
export class OtherImporters {
  readonly #parts: SenderParts;
  readonly #created = new Map<string, number>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async look(index: number): Promise<void> {
    const { book, world, stop } = this.#parts;
    const step = book.steps.at(index);
    if (!step || !createsStudent(step) || step.exam === undefined || book.state(index) !== 'done') return;
    const created = (this.#created.get(step.exam) ?? 0) + 1;
    this.#created.set(step.exam, created);
    if (created !== lookAfter || book.count('planned') < foreignAtMost) return;
    const reading = await readExam(world.client, world.host, step.exam, world.keep).catch((error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    });
    if (!reading) return;
    const planned = new Set<string>();
    for (const each of book.inState('planned')) {
      const { email, exam } = book.steps.at(each) ?? {};
      if (email !== undefined && exam === step.exam) planned.add(addressKey(email));
    }
    const foreign = reading.sessions.filter(
      ({ id, email }) =>
        id !== undefined && email !== undefined && planned.has(addressKey(email)) && !this.#parts.wasListed('session', id, step.exam),
    );
    if (foreign.length >= foreignAtMost)
      stop.stop(
        new CliError(
          'already_running',
          sentence`Another import is working on exam ${step.exam}: ${foreign.length} students of the file were added by somebody else.`,
          {
            hint: 'Wait until the other import has ended, then run the same command again: it sends what is still missing.',
          },
        ),
      );
  }
}
