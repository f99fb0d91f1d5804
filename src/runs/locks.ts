/**
 * Locks. That of a command is not waited for. A place is: on a terminal as long as a person likes,
 * else until the same command has had it for ten seconds more.
 */
import { CliError } from '../errors.ts';
import { LockHeld, type Run } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import type { Locks } from './active-run.ts';
import type { Engine } from './engine.ts';
import { loadExecutions, stepInItsExam } from './execution.ts';
import type { LockScope } from './request.ts';
import { rulesOf } from './steps/index.ts';
import type { Step } from './steps/step.ts';

/** How long a script waits for the same holder. Milliseconds. */
const patience = 10_000;
const tryEvery = 500;

export async function holding<T>(taken: Promise<Locks>, act: () => Promise<T>): Promise<T> {
  const locks = await taken;
  try {
    return await act();
  } finally {
    await locks.release();
  }
}

export function examsIn(places: readonly LockScope[]): string[] {
  return [...new Set(places.flatMap((place) => (place === 'exams' ? [] : place.slice(place.indexOf(' ') + 1))))];
}

/** Throws `already_running` while another process is at one of these commands. */
export async function lockCommand({ record, command }: Engine, digests: readonly string[]): Promise<Locks> {
  return record.lock(digests, command).catch((error: unknown) => {
    if (!(error instanceof LockHeld)) throw error;
    const what = sentence`This command is running already: ${error.by}, ${error.lock.command}.`;
    throw new CliError('already_running', what, {
      hint: 'Nothing was sent. Wait until it ends, or stop it and run this command again: it goes on.',
    });
  });
}

/** Waits for the places of a run. Throws `already_running`, or the interruption. */
export async function lockScopes(engine: Engine, places: readonly LockScope[]): Promise<Locks> {
  const { record, context, origin, command, host } = engine;
  const names = places.toSorted().map((place) => `${origin} ${place}`);
  const isWatched = !context.globals.noInput;
  let held = { holder: '', until: 0 };
  for (;;) {
    try {
      const locks = await record.lock(names, command);
      engine.reads.lockedAt = host.elapsed();
      return locks;
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error;
      const { lock, by } = error;
      const works = sentence`Another run works on ${scopeInWords(lock.name.slice(origin.length + 1))}: ${by}, ${lock.command}.`;
      if (held.holder !== lock.holder) {
        held = { holder: lock.holder, until: host.now() + patience };
        context.waits(sentence`${works} This waits for it.`);
      }
      if (!isWatched && host.now() >= held.until)
        throw new CliError('already_running', works, { hint: 'Nothing was sent. Run the same command again once it has ended.' });
    }
    await context.whileWaiting(() => host.sleep(tryEvery));
  }
}

function scopeInWords(place: string): string {
  if (place === 'exams') return 'new exams';
  return place.replace(/^students /, 'the students of exam ');
}

export function locksOf(steps: readonly Step[]): LockScope[] {
  return steps.flatMap((step) => rulesOf(step).locks(step));
}

/** The locks of an open run, also those of exams that it has created. */
export async function recordedLocks({ record }: Engine, run: Run): Promise<LockScope[]> {
  const executions = await loadExecutions(record, run.id);
  return locksOf(executions.map(stepInItsExam));
}
