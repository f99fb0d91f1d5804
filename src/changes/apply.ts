/**
 * Sets the close_time of sessions, one after the other. Invariants: a request leaves only if a look
 * right before it shows the value that is to be replaced, and only after the journal holds `begun`;
 * so a value that somebody else has set is never overwritten, and none is replaced twice.
 */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { perform } from '../api/perform.ts';
import type { Context, Row } from '../command.ts';
import { CliError, errorTable } from '../errors.ts';
import { sameInstant } from '../model/time.ts';
import type { ChangeJournal } from './journal.ts';
import type { Moment, Standing, Step } from './records.ts';

export type Task = {
  session: string;
  email: string | null;
  from: Moment;
  to: Moment;
  /** The end of the exam, from which the new time counts where the session has none of its own. */
  ends?: Moment;
};

export type Failure = { id: string; error: CliError };

/** `stopped`: why the rest was not tried. */
export type Applied = { rows: Row[]; failures: Failure[]; stopped: CliError | undefined };

/** How a row says what became of its session. */
export const results: Record<Step, Record<Exclude<Standing, 'begun'>, string>> = {
  set: { done: 'extended', left: 'left alone', failed: 'failed', unknown: 'unknown' },
  undo: { done: 'set back', left: 'left alone', failed: 'failed', unknown: 'unknown' },
};

type Ended = { is: Exclude<Standing, 'begun'>; error?: CliError; looked?: string };

/** Failures in a row of which each may only mean that the service is away; then the others wait. */
const unavailableAtMost = 3;

/** Takes each task to its end, or leaves it untouched once going on is of no use. */
export async function applyTasks(context: Context, journal: ChangeJournal, step: Step, tasks: readonly Task[]): Promise<Applied> {
  const { host } = context;
  // What is under way is never cut off: an interruption ends the work between two sessions.
  const client = await context.patientClient();
  const rows: Row[] = [];
  const failures: Failure[] = [];
  const progress = tasks.length > 1 ? context.progress(tasks.length) : undefined;
  let stopped: CliError | undefined;
  let unavailable = 0;
  try {
    for (const task of tasks) {
      if (host.interrupted.aborted) stopped ??= host.interrupted.reason as CliError;
      if (stopped) {
        rows.push(rowOf(task, 'not tried'));
        continue;
      }
      const { is, error, looked } = await applyTask(client, journal, step, task);
      rows.push(rowOf(task, results[step][is], error?.message ?? looked));
      progress?.tick(is === 'done');
      unavailable = error?.exit === errorTable.unavailable.exit ? unavailable + 1 : 0;
      // To leave alone what somebody else has set is what an undo promises.
      if (!error || (step === 'undo' && is === 'left')) continue;
      failures.push({ id: task.session, error });
      if (error.code === 'token_refused' || unavailable === unavailableAtMost) stopped = error;
    }
  } finally {
    progress?.end();
  }
  return { rows, failures, stopped };
}

async function applyTask(client: Client, journal: ChangeJournal, step: Step, task: Task): Promise<Ended> {
  const { session, from, to } = task;
  let sent = false;
  try {
    const shown = (await client.get(operations.getSession, { params: { id: session } })).close_time;
    if (isMoment(shown, to)) return end('done');
    if (!isMoment(shown, from)) return end('left', changed(session, shown));
    await journal.begin(session, step);
    sent = true;
    const { looked } = await perform(client, operations.patchSession, { params: { id: session }, body: { close_time: to } });
    return end('done', undefined, looked);
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'journal_failed') throw error;
    if (!sent) return end(error.code === 'not_found' ? 'left' : 'failed', error);
    return end(error.code === 'outcome_unknown' || error.code === 'not_applied' ? 'unknown' : 'failed', error);
  }

  function end(is: Ended['is'], error?: CliError, looked?: string): Ended {
    // What an earlier request has come to is not known any better after a look that failed.
    if (sent || is !== 'failed') journal.end(session, step, is);
    return { is, ...(error ? { error } : {}), ...(looked === undefined ? {} : { looked }) };
  }
}

/** Whether the service shows this close_time, however it writes it; null and none are the same. */
export function isMoment(shown: unknown, moment: Moment): boolean {
  return moment === null ? shown === null || shown === undefined : sameInstant(shown, moment);
}

function changed(session: string, shown: unknown): CliError {
  return new CliError('not_applied', `The close_time of session ${session} is ${shown ?? 'not set'} now: somebody has changed it since.`);
}

export function rowOf({ session, email, from, to }: Task, result: string, problem?: string): Row {
  return { session, email, from, to, result, ...(problem === undefined ? {} : { problem }) };
}

/** How a command ends: with the common failure of its sessions, or with what all of it has come to; undefined where all is done. */
export function failureOf({ rows, failures, stopped }: Applied, step: Step, hint: string | undefined): CliError | undefined {
  const [first] = failures;
  if (!stopped && !first) return undefined;
  const done = rows.filter(({ result }) => result === results[step].done).length;
  const untried = rows.filter(({ result }) => result === 'not tried').length;
  const unknown = failures.find(({ error }) => error.code === 'outcome_unknown')?.error;
  const alike = failures.every(({ error }) => error.exit === first?.error.exit) ? first?.error : undefined;
  const code = stopped?.code ?? unknown?.code ?? (done === 0 && alike ? alike.code : 'partly_done');
  const counts = [`${done} of ${rows.length} ${results[step].done}`];
  if (failures.length > 0) counts.push(`${failures.length} failed`);
  if (untried > 0) counts.push(`${untried} not tried`);
  const why = stopped ?? (failures.length === 1 ? first?.error : undefined);
  return new CliError(code, `${counts.join(', ')}${why ? `: ${why.message}` : '.'}`, {
    hint: hint ?? first?.error.hint ?? errorTable[code].hint,
    items: failures.map(({ id, error }) => ({ id, code: error.code, message: error.message })),
  });
}
