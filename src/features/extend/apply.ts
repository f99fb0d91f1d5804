/**
 * Sets the close_time of sessions, one after the other. Invariants: a request is sent only if a read
 * right before it shows the value to be replaced, and only after the journal holds `begun`;
 * so a value that another client has set is never overwritten, and none is replaced twice.
 */
import { inBatch } from '../../api/batch.ts';
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { perform } from '../../api/perform.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { inWords, shows } from './close-time.ts';
import type { ChangeJournal } from './journal.ts';
import type { ExtendStep, MoveState } from './records.ts';
import { type AppliedTasks, type ExtendTask, notTried, results, rowOf } from './result.ts';

type TaskEnd = { is: Exclude<MoveState, 'begun'>; error?: CliError; looked?: string };

/** Completes each task, or leaves it untouched once the run has to stop. */
export async function applyTasks(
  context: Context,
  journal: ChangeJournal,
  step: ExtendStep,
  tasks: readonly ExtendTask[],
): Promise<AppliedTasks> {
  const { host } = context;
  // A request in flight is never cut off: an interruption ends the work between two sessions.
  const client = await context.patientClient();
  const progress = tasks.length > 1 ? context.progress(tasks.length) : undefined;
  try {
    const { ends, stopped } = await inBatch(tasks, host, async (task) => {
      const end = await applyTask({ client, journal, zone: context.zone() }, step, task);
      progress?.tick(end.is === 'done');
      return end;
    });
    const rows = ends.map(({ item, end }) =>
      end ? rowOf(item, results[step][end.is], end.error?.message ?? end.looked) : rowOf(item, notTried),
    );
    const failures = ends.flatMap(({ item, end }) => {
      // An undo promises to skip values that another client has set.
      if (!end?.error || (step === 'undo' && end.is === 'left')) return [];
      return [{ id: item.session, error: end.error }];
    });
    return { rows, failures, stopped };
  } finally {
    progress?.end();
  }
}

type TaskContext = { client: Client; journal: ChangeJournal; zone: string };

async function applyTask({ client, journal, zone }: TaskContext, step: ExtendStep, task: ExtendTask): Promise<TaskEnd> {
  const { session, from, to } = task;
  let sent = false;
  try {
    const shown = (await client.get(operations.getSession, { params: { id: session } })).close_time;
    if (shows(shown, to)) return end('done');
    if (!shows(shown, from)) return end('left', changed(session, shown, zone));
    await journal.begin(session, step);
    sent = true;
    const { looked } = await perform(client, operations.patchSession, { params: { id: session }, body: { close_time: to } });
    return end('done', undefined, looked);
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'journal_failed') throw error;
    if (!sent) return end(error.code === 'not_found' ? 'left' : 'failed', error);
    return end(error.code === 'outcome_unknown' || error.code === 'not_applied' ? 'unknown' : 'failed', error);
  }

  function end(is: TaskEnd['is'], error?: CliError, looked?: string): TaskEnd {
    // A failed read settles nothing: the outcome of the earlier request stays unknown.
    if (sent || is !== 'failed') journal.end(session, step, is);
    return { is, ...(error ? { error } : {}), ...(looked === undefined ? {} : { looked }) };
  }
}

function changed(session: string, shown: unknown, zone: string): CliError {
  return new CliError('not_applied', sentence`The close_time of session ${session} is now ${inWords(shown, zone)}: it was changed since.`);
}
