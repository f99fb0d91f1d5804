/**
 * Open runs: one that this process takes up, under the lock of its command, is looked up, and left as far as it has come. What is left of
 * others in the places of a run stands in its way.
 */
import { operations } from '../api/operations.ts';
import { LockHeld, type Run, type RunState } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { blockedBy } from './ended.ts';
import { ExamGate } from './gate.ts';
import { look } from './look.ts';
import { examsIn, holding } from './places.ts';
import { againOf, type Place } from './request.ts';
import { itemsOf } from './rows.ts';
import { type More, type Running, runningOf, type World } from './running.ts';
import { isUnsettled } from './step.ts';
import { StopRule } from './stop-rule.ts';

export async function takeUp(world: World, run: Run, gate = new ExamGate(world)): Promise<Running> {
  const items = await itemsOf(world.record, run.id);
  const wasThere = new Set((run.more as More).listed);
  const stop = new StopRule(world.host);
  // Since it was planned, somebody may have added what it is yet to create.
  const readAt = { wall: 0, elapsed: 0 };
  return runningOf(world, { run: await world.record.take(run), items, gate, stop, wasThere, readAt });
}

/** Takes it up, and looks up what is unknown of it. */
export async function lookUp(world: World, run: Run, gate?: ExamGate): Promise<Running> {
  const running = await takeUp(world, run, gate);
  await look(running, running.items);
  return running;
}

/** Partial when something was not done. */
export async function leave({ run, items }: Running): Promise<RunState> {
  const ended = items.every(({ state }) => state === 'done') ? 'finished' : 'partial';
  const state = items.some(isUnsettled) ? 'open' : ended;
  await run.close(state);
  return state;
}

/** Throws `unfinished` where a run that has to be finished is open in one of these exams. `digest`: of the command itself. */
export async function settleOthers(world: World, places: readonly Place[], digest: string): Promise<void> {
  const { record, origin } = world;
  const exams = examsIn(places);
  const inExams = exams.length === 0 ? [] : await record.find(origin, { exams, states: ['planned', 'sending', 'unknown'] });
  const newExams = places.includes('exams')
    ? await record.find(origin, { ops: [operations.createExam.id], states: ['sending', 'unknown'] })
    : [];
  const byRun = Map.groupBy([...inExams, ...newExams], ({ run }) => run);
  for (const [id, rows] of byRun) {
    const run = await record.run(id);
    if (run.digest === digest || run.state !== 'open') continue;
    const settle = async () => {
      if (rows.some(({ state }) => state !== 'planned') && (await leave(await lookUp(world, run))) !== 'open') return;
      if (againOf(run.kind) === 'anew') return;
      throw blockedBy(id, 'unfinished', sentence`Run ${id} (${run.command}) is unfinished, with steps in exam ${rows[0]?.exam ?? ''}.`);
    };
    await holding(record.lock([run.digest], world.context.recorded()), settle).catch((error: unknown) => {
      // It is at work, and has the locks of its own places.
      if (!(error instanceof LockHeld)) throw error;
    });
  }
}
