/** Sends the steps of a run and looks at what was sent, in turns, until nothing is left to send. */
import { atOnce } from '../api/pacer.ts';
import { CliError } from '../errors.ts';
import type { RunState } from '../record/index.ts';
import { type Execution, isOpen, isUnsettled, rowOf, targeted } from './execution.ts';
import { type Ended, rerunPolicyOf } from './request.ts';
import type { Running } from './running.ts';
import { sendStep } from './send.ts';
import { awaited, creates, examOfStep } from './step.ts';
import { verify } from './verify.ts';

export async function perform(running: Running): Promise<Ended> {
  const { client, context, host, items, stop } = running;
  const total = items.filter(({ state }) => state === 'planned').length;
  const progress = total > 1 ? context.progress(total) : undefined;
  const tried = new Set<Execution>();
  const tellWait = () => {
    const isSending = items.some(({ state }) => state === 'sending');
    if (isSending) context.say('The requests under way are awaited, 5 s at most. Another Ctrl-C ends this at once.');
  };
  host.interrupted.addEventListener('abort', tellWait, { once: true });
  try {
    for (;;) {
      await verify(running);
      const unsettled = new Set(items.filter(isUnsettled));
      const isLastTurn = [...unsettled].every(({ step }) => step.last);
      const isReady = (item: Execution) => {
        if (item.state !== 'planned' || tried.has(item)) return false;
        return item.step.last ? isLastTurn : !awaited(item.step).some((by) => unsettled.has(items[by] as Execution));
      };
      const ready = items.filter(isReady);
      if (ready.length === 0 || stop.why) break;
      await target(running);
      const send = async (item: Execution) => {
        tried.add(item);
        await sendStep(running, item);
        // Acknowledged creates are looked for at the end, all at once.
        const isDone = item.state === 'done' || item.code === '2xx';
        if (isDone || !isOpen(item)) progress?.tick(isDone);
      };
      await client.pacer.map(spread(ready), send, atOnce(total));
      if (stop.endsLooking) break;
    }
  } catch (error) {
    stop.stop(error);
  } finally {
    host.interrupted.removeEventListener('abort', tellWait);
    progress?.end();
  }
  const mayBeMissed = !stop.why && items.some(({ step }) => !creates(step) || step.expectsExam);
  const missed = mayBeMissed ? await (await import('./final-checks.ts')).finalChecks(running) : undefined;
  if (missed) stop.stop(missed);
  await leave(running).catch((error: unknown) => stop.stop(error));
  for (const taken of await Promise.all(running.places.values())) if (!(taken instanceof CliError)) await taken.release();
  return endedOf(running);
}

export function endedOf({ run: { run }, items, stop }: Running): Ended {
  return { run: run.id, rerun: rerunPolicyOf(run.kind), items, stopped: stop.why };
}

export async function leave({ run, items }: Running): Promise<RunState> {
  const ended = items.every(({ state }) => state === 'done') ? 'finished' : 'partial';
  const state = items.some(isUnsettled) ? 'open' : ended;
  await run.close(state);
  return state;
}

/** Records in which new exam a step is: by its exam it is found who is owed an open time. */
async function target({ items, run, record }: Running): Promise<void> {
  const placed = items.filter((item) => {
    if (item.state !== 'planned') return false;
    const { exam } = item.step;
    item.step = targeted(item.step, items);
    return item.step.exam !== exam;
  });
  if (placed.length > 0) await run.save(placed.map((item) => rowOf(item, record)));
}

/** In turn from each exam, so that none waits for the reading of one. */
function spread(items: readonly Execution[]): Execution[] {
  const byExam = Map.groupBy(items, ({ step }) => examOfStep(step));
  const ranked = [...byExam.values()].flatMap((of) => of.map((item, rank) => ({ item, rank })));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}
