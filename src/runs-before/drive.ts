/**
 * A run from its plan, or from where it was left, to its end: what is unknown is settled, what is planned is sent, what is lost is
 * looked for, and all of it is proven.
 */
import { refuseWhileOther } from '../bridge.ts';
import { CliError, isInterruption, stateErrors } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { count } from '../model/count.ts';
import type { HeldRun } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import type { Book } from './book.ts';
import { execute } from './execute.ts';
import type { ExamGate } from './gate/exam-gate.ts';
import { OtherImporters } from './other-importers.ts';
import { prove } from './proof.ts';
import type { Reading } from './reading.ts';
import { type SettleParts, settled, settleUnknown } from './settle.ts';
import { isWhole, listedAs, type Plan } from './step.ts';
import { StepProgress } from './step-progress.ts';
import { isOpen, type StepState } from './step-states.ts';
import { StopRule } from './stop-rule.ts';
import type { World } from './world.ts';

export type Driven = {
  book: Book;
  /** Why not all of it was tried. */
  stopped: CliError | undefined;
  /** The exams that were read as a whole at the end. */
  readings: ReadonlyMap<string, Reading>;
  milliseconds: number;
};

export type DriveParts = {
  world: World;
  run: HeldRun;
  book: Book;
  gate: ExamGate;
  readings: Plan['readings'];
  /** IDs that were there when the run was planned; those of a resumed run are recorded. */
  listed: ReadonlySet<string>;
  /** Sends steps again that two reads do not show. */
  resendAbsent: boolean;
  shownKeys: Map<number, string>;
  /** The exams of the run are read as a whole at the end, however few its steps. */
  wholeProof?: boolean;
  /** Called before the planned steps of a run that goes on are sent; may throw. */
  beforeSending?(): Promise<void>;
};

export async function drive(parts: DriveParts): Promise<Driven> {
  const { world, run, book } = parts;
  const began = world.host.now();
  const stop = new StopRule(world.host, world.client.pacer);
  const found = settleParts(parts);
  const others = new OtherImporters({ world, book, stop, wasListed: found.wasListed });
  const progress = new StepProgress(world.context, book);
  const settle = { ...found, seen: (reading: Reading) => others.judge(reading), waits: () => progress.end() };
  let resend = parts.resendAbsent;
  /** Steps that nobody wants to have sent again. */
  const declined = new Set<number>();
  try {
    await refuseWhileOther(world.context, 'runs-before', examsOf(book));
    await settleUnknown(settle);
    resend = await giveBack(parts, resend, declined);
    if (book.count('planned') > 0) await parts.beforeSending?.();
    for (;;) {
      if (book.count('planned') > 0) {
        await execute({ ...parts, stop, wasListed: settle.wasListed, others, progress, resendAbsent: resend });
        await run.flush();
        if (endsAll(stop.why)) break;
        const unknown = [...book.inState('unknown', 'confirmed')];
        await settleUnknown(settle);
        for (const index of unknown) progress.tick(index);
        if (stop.why) break;
        // What waited for a request whose answer was lost goes on.
        const isSettled = (index: number) => !isOpen(book.state(index)) || book.state(index) === 'planned';
        if (book.count('planned') > 0 && unknown.some(isSettled)) continue;
      }
      if (book.count('absent') === 0) break;
      const planned = book.count('planned');
      resend = await giveBack(parts, resend, declined);
      if (book.count('planned') === planned) break;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    stop.stop(error);
  } finally {
    progress.end();
  }
  let readings: Driven['readings'] = new Map();
  if (!endsAll(stop.why)) {
    try {
      readings = await prove({ ...settle, before: parts.readings, whole: parts.wholeProof ?? false });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      stop.stop(error);
    }
  }
  const stopped = stop.why;
  // What could not be proven is proven by the same command, which would otherwise do it once more.
  await run.close(book.isOpen || endsAll(stopped) ? 'open' : 'finished').catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    if (!stopped) throw error;
  });
  return { book, stopped, readings, milliseconds: world.host.now() - began };
}

function examsOf(book: Book): Set<string> {
  const exams = new Set<string>();
  for (let index = 0; index < book.steps.length; index += 1) exams.add(book.examOf(index) ?? '');
  exams.delete('');
  return exams;
}

/** After these the service gets no further request. */
function endsAll(why: CliError | undefined): boolean {
  return (
    why !== undefined && (isInterruption(why) || ['token_refused', 'not_logged_in', ...stateErrors, 'already_running'].includes(why.code))
  );
}

/** Steps that two reads do not show are planned again, if somebody has consented. */
async function giveBack(parts: DriveParts, resend: boolean, declined: Set<number>): Promise<boolean> {
  const { book, run, world } = parts;
  const absent = [...book.inState('absent')].filter((index) => isWhole(book.steps.at(index)));
  if (absent.length === 0 || absent.every((index) => declined.has(index))) return resend;
  const { host, globals } = world.context;
  const asked = resend || (!globals.yes && canAsk(host, globals.noInput));
  if (!asked) return false;
  const number = absent.length;
  if (
    !resend &&
    !(await host.prompts.confirm(
      sentence`${count(number, 'request')} may have been sent, but two reads do not show what they create. Send ${number === 1 ? 'it' : 'them'} again?`,
    ))
  ) {
    for (const index of absent) declined.add(index);
    return false;
  }
  for (const index of absent) {
    book.restore(index, 'planned');
    book.clear(index);
    run.record({ n: index + 1, event: 'planned' });
  }
  return resend;
}

export function settleParts({ world, run, book, readings, listed, shownKeys }: DriveParts): SettleParts {
  return {
    world,
    run,
    book,
    shownKeys,
    wasListed: (resource, id, exam) =>
      listed.has(listedAs(resource, id)) || (exam !== undefined && resource === 'session' && readings?.get(exam)?.withId(id) !== undefined),
  };
}

/** Gives up what is still open, so that the run is finished: the same command plans it anew. */
export function giveUp(parts: DriveParts, states: readonly StepState[] = ['planned', 'absent']): void {
  const settle = settleParts(parts);
  for (const index of [...parts.book.inState(...states)]) settled(settle, index, 'given_up');
}
