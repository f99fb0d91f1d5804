/**
 * Reads everything that was changed once more after the last request: an answer shows one moment, a
 * listing shows them all.
 */
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError, orError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import { eachExam } from '../each-exam.ts';
import { changedFields } from './change-move.ts';
import type { AppliedTasks, TaskOutcome } from './result.ts';
import { inWords, shows } from './value.ts';

/**
 * The same outcomes, except that moves whose new times no longer show have failed, with what the service
 * shows instead.
 */
export async function verified(context: Context, applied: AppliedTasks): Promise<AppliedTasks> {
  if (applied.stopped) return applied;
  const made = applied.outcomes.filter(({ did }) => did);
  const client = await context.uninterruptedClient();
  const byExam = [...Map.groupBy(made, ({ task }) => task.exam)].filter(([exam]) => exam !== undefined);
  const problems = new Map<TaskOutcome, CliError>();
  // An error of the read is one of its results: the changes are made, whatever keeps them from being read.
  const reads = await eachExam(client, byExam, ([exam = '', outcomes]) => orError(shownOf(client, exam, outcomes)));
  for (const read of reads) {
    const [exam, outcomes] = read.exam;
    const shown = 'error' in read ? read.error : read.value;
    if (shown instanceof CliError) {
      context.warn(sentence`warning: exam ${exam} could not be read afterwards to verify it: ${shown.message}`);
      continue;
    }
    for (const outcome of outcomes) {
      const problem = mismatch(outcome, shown(outcome), context.zone());
      if (problem) problems.set(outcome, problem);
    }
  }
  if (problems.size === 0) return applied;
  return {
    ...applied,
    outcomes: applied.outcomes.map((outcome) => {
      const problem = problems.get(outcome);
      return problem ? { ...outcome, result: 'failed', did: false, problem: problem.message } : outcome;
    }),
    failures: [...applied.failures, ...[...problems].map(([{ task }, error]) => ({ id: task.id, error }))],
  };
}

/** What the service shows of each resource of an exam, from one read of the exam and one listing. */
async function shownOf(
  client: Client,
  exam: string,
  outcomes: readonly TaskOutcome[],
): Promise<(outcome: TaskOutcome) => JsonObject | undefined> {
  const wanted = new Set(outcomes.filter(({ task }) => task.kind === 'session').map(({ task }) => task.id));
  const shown = outcomes.some(({ task }) => task.kind === 'exam')
    ? await client.get(operations.getExam, { params: { id: exam } })
    : undefined;
  const sessions = new Map<string, JsonObject>();
  if (wanted.size > 0) {
    for await (const session of client.list(operations.listExamSessions, { params: { exam_id: exam } })) {
      const id = idOf(session, client);
      if (id !== undefined && wanted.has(id)) sessions.set(id, session);
    }
  }
  return ({ task }) => (task.kind === 'exam' ? shown : sessions.get(task.id));
}

/** A listing may show fewer fields than the session itself: a missing field proves nothing. */
function mismatch({ task }: TaskOutcome, shown: JsonObject | undefined, zone: string): CliError | undefined {
  if (!shown) return undefined;
  const other = changedFields(task).find(({ field, to }) => Object.hasOwn(shown, field) && !shows(shown[field], to));
  if (!other) return undefined;
  const { kind, id } = task;
  return new CliError(
    'not_applied',
    sentence`The ${other.field} of ${kind} ${id} was set, but is ${inWords(shown[other.field], zone)} now.`,
  );
}
