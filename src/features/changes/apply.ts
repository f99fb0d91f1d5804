/**
 * Makes moves, as many at a time as the pacer allows. Invariants: a
 * request is sent only if a read right before it shows the values to be replaced, and only after the journal
 * holds `begun`; so no value set by another client is overwritten, and none is replaced twice. A move that the
 * gate refuses is not begun, and its change stays as it was. A move that waits for others of its exam is tried
 * only once they are made.
 */
import { inPacedBatch } from '../../api/batch.ts';
import type { Client } from '../../api/client.ts';
import { withFreshRead } from '../../api/fresh-read.ts';
import { firstWindow } from '../../api/pace-calculator.ts';
import { perform } from '../../api/perform.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { restrictionKeys, restrictionsOf } from '../../model/restrictions.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import { type ChangeTask, changedFields } from './change-move.ts';
import type { ChangeJournal } from './journal.ts';
import { wordsOf } from './kinds.ts';
import { phases, type TaskEnd, wavesOf } from './phases.ts';
import { requestsOf } from './read.ts';
import type { ChangeStep } from './records.ts';
import { type AppliedTasks, notTried, resultOf, type TaskOutcome } from './result.ts';
import { inWords, shows } from './value.ts';

/** Completes each task, or leaves it untouched once the run has to stop. `tasks`: in the order of the plan. */
export async function applyTasks(
  context: Context,
  journal: ChangeJournal,
  step: ChangeStep,
  tasks: readonly ChangeTask[],
): Promise<AppliedTasks> {
  const { host } = context;
  // A request in flight is never cut off: an interruption ends the work between two moves.
  const client = await context.uninterruptedClient();
  const progress = tasks.length > 1 ? context.progress(tasks.length) : undefined;
  const order = phases(step);
  try {
    // A few are done sooner than it takes to understand what happened to several at once.
    const most = tasks.length > 2 * firstWindow ? tasks.length : 1;
    const act = async (task: ChangeTask) => {
      const end = await applyTask({ client, journal, zone: context.zone() }, step, task);
      order.see(task, end);
      progress?.tick(end.is === 'done');
      return end;
    };
    const { ends, stopped } = await inPacedBatch(order.open(wavesOf(tasks, step)), host, act, { pacer: client.pacer, most });
    const endOf = new Map(ends.map(({ item, end }) => [item, end]));
    const outcomes = tasks.map((task): TaskOutcome => {
      const end = endOf.get(task);
      const problem = end ? (end.error?.message ?? end.evidence) : order.reason(task);
      const result = end ? resultOf(journal.header.kind, step, end.is) : notTried;
      return { task, result, did: end?.is === 'done', ...(problem === undefined ? {} : { problem }) };
    });
    const failures = tasks.flatMap((task) => {
      const end = endOf.get(task);
      // An undo promises to skip values that another client has set.
      if (!end?.error || (step === 'undo' && end.is === 'left')) return [];
      return [{ id: task.id, error: end.error }];
    });
    return { outcomes, failures, stopped };
  } finally {
    progress?.end();
  }
}

type TaskContext = { client: Client; journal: ChangeJournal; zone: string };

async function applyTask({ client, journal, zone }: TaskContext, step: ChangeStep, task: ChangeTask): Promise<TaskEnd> {
  const { number, kind, id } = task;
  const { get, patch } = requestsOf[kind];
  let sent = false;
  const readAndWrite = async (): Promise<TaskEnd> => {
    const { data: read, received } = await client.call(get, { params: { id } });
    const shown = read as JsonObject;
    const open = changedFields(task).filter(({ field, to }) => !shows(shown[field], to));
    if (open.length === 0) return end('done');
    const changed = open.find(({ field, from }) => !shows(shown[field], from));
    if (changed) return end('left', changedSince(task, changed.field, inWords(shown[changed.field], zone)));
    const why = step === 'set' ? wordsOf(journal.header.kind, step).keeps?.(task.fields, shown) : undefined;
    if (why !== undefined) return end('left', new CliError('not_applied', sentence`The times of ${kind} ${id} were kept: ${why}.`));
    const body: JsonObject = Object.fromEntries(open.map(({ field, to }) => [field, to]));
    const admitted = async () => {
      if (!sent) await journal.begin(number, step);
      sent = true;
    };
    const { data, evidence } = await perform(client, patch, { params: { id }, body, readAt: received, admitted });
    return end('done', kind === 'exam' ? resetBy(id, shown, data) : undefined, evidence);
  };
  try {
    return await withFreshRead(readAndWrite);
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'journal_failed') throw error;
    if (!sent && error.code === 'not_found') return { ...end('left', error), gone: true };
    if (!sent) return end('failed', error);
    return end(error.code === 'outcome_unknown' || error.code === 'not_applied' ? 'unknown' : 'failed', error);
  }

  function end(is: TaskEnd['is'], error?: CliError, evidence?: string): TaskEnd {
    // A failed read settles nothing: the outcome of the earlier request stays unknown.
    if (sent || is !== 'failed') journal.end(number, step, is);
    return { is, ...(error ? { error } : {}), ...(evidence === undefined ? {} : { evidence }) };
  }
}

function changedSince({ kind, id }: ChangeTask, field: string, now: string): CliError {
  return new CliError('not_applied', sentence`The ${field} of ${kind} ${id} is now ${now}: it was changed since.`);
}

/**
 * Only times are sent, which must leave the restrictions as they are (specification 2.1, rule 2); warns
 * of a service that resets them.
 */
function resetBy(id: string, before: JsonObject, after: Json | undefined): CliError | undefined {
  if (!isJsonObject(after)) return undefined;
  const [was, is] = [restrictionsOf(before), restrictionsOf(after)];
  const reset = restrictionKeys.filter((key) => was[key] !== undefined && is[key] !== undefined && was[key] !== is[key]);
  if (reset.length === 0) return undefined;
  const flags = reset.map((key) => `--${was[key] ? '' : 'no-'}${key.replaceAll('_', '-')}`).join(' ');
  return new CliError('partly_done', sentence`Exam ${id} has its new times, but ${reset.join(', ')} changed with them.`, {
    hint: sentence`Set it again: proctor-cli ${typedCommand('exams update', [id], flags)}`,
  });
}
