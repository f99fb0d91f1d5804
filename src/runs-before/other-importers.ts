/**
 * Another importer that shares no state: students of this run's own list, not there when it was planned, who are there now by somebody
 * else, whether this run has yet to create them, or has just done so as well. Three of them stop the run. It is looked for after the first few creates, and in every reading after that.
 */
import { CliError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { sentence } from '../text/sentence.ts';
import type { Book } from './book.ts';
import { type Reading, readExam } from './reading.ts';
import { createsStudent } from './step.ts';
import type { StopRule } from './stop-rule.ts';
import type { World } from './world.ts';

/** The number of creates in an exam after which another importer is looked for. */
const lookAfter = 8;
const foreignAtMost = 3;

type Parts = {
  world: World;
  book: Book;
  stop: StopRule;
  wasListed(resource: 'exam' | 'session', id: string, exam: string | undefined): boolean;
};

export class OtherImporters {
  readonly #parts: Parts;
  readonly #created = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A step has been sent: after the first few in an exam, the exam is read. */
  async look(index: number): Promise<void> {
    const { book, world } = this.#parts;
    if (book.state(index) !== 'done') return;
    const step = book.steps.at(index);
    if (!step || !createsStudent(step) || step.exam === undefined) return;
    const created = (this.#created.get(step.exam) ?? 0) + 1;
    this.#created.set(step.exam, created);
    if (created !== lookAfter || book.count('planned') < foreignAtMost) return;
    const reading = await readExam(world.client, world.host, step.exam, world.keep).catch((error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    });
    if (reading) this.judge(reading);
  }

  judge(reading: Reading): void {
    const { book, stop, wasListed } = this.#parts;
    if (book.count('planned') < foreignAtMost) return;
    const others = new Set<string>();
    for (const { id, email } of reading.sessions)
      if (id !== undefined && email !== undefined && book.withId(id) === undefined && !wasListed('session', id, reading.exam))
        others.add(addressKey(email));
    if (others.size < foreignAtMost) return;
    let foreign = 0;
    for (const index of book.inState('planned', 'done')) {
      const step = book.steps.at(index);
      if (!step || !createsStudent(step) || step.email === undefined || step.exam !== reading.exam) continue;
      // What was done before is no sign that somebody is at it now.
      if (book.state(index) === 'done' && !book.outcome(index)?.sentNow) continue;
      if (others.has(addressKey(step.email))) foreign += 1;
    }
    if (foreign < foreignAtMost) return;
    stop.stop(
      new CliError(
        'already_running',
        sentence`Another import is working on exam ${reading.exam}: ${foreign} students of the file were added meanwhile, not by this one.`,
        {
          hint: 'Wait until the other import has ended, then run the same command again: it sends what is still missing.',
        },
      ),
    );
  }
}
