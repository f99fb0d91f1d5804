/** Sends the steps of a run and looks at what was sent, in turns, until nothing is left to send. */
import { atOnce } from '../api/pacer.ts';
import { CliError, orElse } from '../errors.ts';
import { typedOption } from '../model/shell-quote.ts';
import type { RunState } from '../record/index.ts';
import { firstInLine, sentence } from '../text/sentence.ts';
import type { ActiveRun, RunOptions } from './active-run.ts';
import { type Execution, isOpen } from './execution.ts';
import { type Ended, runKindOf } from './request.ts';
import { isUnsettled } from './retry.ts';
import { sendStep } from './send.ts';
import { rulesOf } from './steps/index.ts';
import { nameOfTarget, notShownIn } from './steps/rules.ts';
import { verify } from './verify.ts';

export async function perform(run: ActiveRun): Promise<Ended> {
  const { stop, executions, engine } = run;
  const { client, context, host } = engine;
  const total = executions.filter(({ state }) => state === 'planned').length;
  const progress = total > 1 ? context.progress(total) : undefined;
  const tried = new Set<Execution>();
  const tellWait = () => {
    const isSending = executions.some(({ state }) => state === 'sending');
    if (isSending) context.waits('Waiting 5 s at most for the requests under way. Another Ctrl-C ends this at once.');
  };
  host.interrupted.addEventListener('abort', tellWait, { once: true });
  try {
    for (;;) {
      await verify(run);
      const unsettled = new Set(executions.filter(isUnsettled));
      const isLastTurn = [...unsettled].every(({ step }) => step.dependsOn === 'all others');
      const isReady = (execution: Execution) => {
        if (execution.state !== 'planned' || tried.has(execution)) return false;
        if (execution.step.dependsOn === 'all others') return isLastTurn;
        return !run.dependencies(execution).some((other) => unsettled.has(other));
      };
      const ready = executions.filter(isReady);
      if (ready.length === 0 || stop.why) break;
      const send = async (execution: Execution) => {
        tried.add(execution);
        await sendStep(run, execution);
        // Acknowledged creates are looked for at the end, all at once.
        const isDone = execution.state === 'done' || execution.code === '2xx';
        if (isDone || !isOpen(execution)) progress?.tick(isDone);
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
  if (!stop.why) await finalChecks(run);
  await recordEnd(run).catch((error: unknown) => stop.stop(error));
  for (const taken of await Promise.allSettled(run.newExamLocks.values())) if (taken.status === 'fulfilled') await taken.value.release();
  return endedOf(run);
}

/** Reads what somebody else may have done, at the same moment, to the exams and students that the run has changed. */
async function finalChecks(run: ActiveRun): Promise<void> {
  const byKind = Map.groupBy(run.executions, ({ step }) => rulesOf(step));
  const checks = [...byKind].flatMap(([rules, of]) => rules.finalChecks?.(run, of) ?? []);
  const failed = (exam: string) => (error: CliError) => {
    if (error.code === 'partly_done') return error;
    const what = sentence`Exam ${exam} could not be read afterwards, and somebody may have changed it: ${error.message}`;
    const hint = sentence`Check the result: proctor-cli sessions list ${typedOption('--exam', exam)}`;
    return new CliError('partly_done', what, { hint });
  };
  const found = await run.engine.client.pacer.map(checks, ({ exam, check }) => orElse(check(), failed(exam)));
  for (const error of found) if (error) run.stop.stop(error);
}

export function endedOf({ writer, executions, stop }: ActiveRun): Ended {
  const { id, kind, more } = writer.run;
  const { earlier = [] } = more as Partial<RunOptions>;
  return { run: id, rerun: runKindOf(kind).rerun, items: executions, earlier, stopped: stop.why };
}

export async function recordEnd({ writer, executions, notShown, engine }: ActiveRun): Promise<RunState> {
  for (const [fields, of] of Map.groupBy(notShown, ([, each]) => each.join())) {
    const which = firstInLine(of, ([execution]) => nameOfTarget(execution), 5);
    const shown = of.map(([execution]) => execution.shown ?? {});
    engine.context.warn(notShownIn(fields.split(','), which, shown));
  }
  const ended = executions.every(({ state }) => state === 'done') ? 'finished' : 'partial';
  const state = executions.some(isUnsettled) ? 'open' : ended;
  await writer.close(state);
  return state;
}

/** The steps in turn from each exam, so that no exam waits until another one is read. */
function spread(executions: readonly Execution[]): Execution[] {
  const byExam = Map.groupBy(executions, ({ exam }) => exam);
  const ranked = [...byExam.values()].flatMap((of) => of.map((execution, rank) => ({ execution, rank })));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ execution }) => execution);
}
