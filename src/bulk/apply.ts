/**
 * Sends what the plan has to be sent. Invariants: an intent is durable before its request leaves;
 * a student is POSTed again only if the last POST provably never left, or a complete listing after it
 * does not show the student; what went wrong in a way that will not end stops the run.
 */
import type { Client } from '../api/client.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Journal } from './journal/journal.ts';
import type { Pace } from './pace.ts';
import { fieldsOf, type Shape, type Step } from './plan.ts';
import { sendCreate, sendUpdate, type Verdict } from './send.ts';

export type Job = Extract<Step, { action: 'create' | 'update' }>;

export type Settings = {
  client: Client;
  host: Host;
  journal: Journal;
  exam: string;
  concurrency: number;
  pace: Pace;
  /** Rows of the run: 5 % of them in doubt stop it. */
  rows: number;
  shape: Shape;
  /** Called after each row that came to an end, for the progress. */
  onRow(done: boolean): void;
};

/** What was left to a listing, and why the run stopped if it did. */
export type Applied = {
  /** Rows that may or may not be there; `created`: the service said that they are. */
  doubts: { step: Job; created: boolean; error: CliError }[];
  /** Rows that the service did not take because there were too many requests. */
  limited: Job[];
  /** The longest that the service asked to wait for those. Milliseconds. */
  longestWait: number;
  /** Rows that the service says are taken. */
  taken: { step: Job; error: CliError }[];
  /** Rows that never left. */
  unsent: Job[];
  stopped: CliError | undefined;
};

const doubtsInARow = 3;
const unsentInARow = 3;
const shareOfDoubts = 0.05;

/** Runs all jobs, or stops early. Rejects only with what is not a matter of one row: a journal that cannot be kept, a bug. */
export async function apply(jobs: AsyncIterable<Job> | Iterable<Job>, settings: Settings): Promise<Applied> {
  const { client, host, journal, exam, rows, shape, pace, onRow } = settings;
  const applied: Applied = { doubts: [], limited: [], longestWait: 0, taken: [], unsent: [], stopped: undefined };
  let doubted = 0;
  let unsent = 0;
  let fatal: unknown;

  const stop = (error: CliError) => {
    applied.stopped ??= error;
  };
  const stopping = () => applied.stopped !== undefined || fatal !== undefined || host.interrupted.aborted;

  async function create(step: Job, key: string) {
    const { row, entry, email } = step;
    const later = fieldsOf(entry, 'update', shape).open_time;
    await journal.intent({ row, key, intent: 'create', ...(later === undefined ? {} : { then: 'update' as const }) });
    const verdict = await sendCreate(client, host, exam, fieldsOf(entry, 'create', shape), email);
    if (!note(step, verdict)) return;
    if (later === undefined || verdict.kind !== 'done') return onRow(true);
    if (verdict.session === undefined)
      return left(step, true, new CliError('outcome_unknown', 'The service did not say which session it created.'));
    await change(step, key, verdict.session, { open_time: later });
  }

  async function change(step: Job, key: string, session: string, body: Parameters<typeof sendUpdate>[3]) {
    await journal.intent({ row: step.row, key, intent: 'update' });
    const verdict = await sendUpdate(client, host, session, body);
    if (note(step, verdict)) onRow(true);
  }

  /** Writes down what became of a request; true if it is done. */
  function note(step: Job, verdict: Verdict): boolean {
    const { row } = step;
    const reason = 'error' in verdict ? { reason: verdict.error.message, ...codeOf(verdict.error) } : {};
    if (verdict.kind === 'done') {
      journal.outcome({ row, outcome: 'done', ...(verdict.session === undefined ? {} : { session: verdict.session }) });
      pace.went();
      doubted = 0;
      unsent = 0;
      return true;
    }
    if (verdict.kind === 'unsent') {
      journal.outcome({ row, outcome: 'unsent', ...reason });
      applied.unsent.push(step);
      unsent += 1;
      if (unsent >= unsentInARow || host.interrupted.aborted) stop(verdict.error);
      return false;
    }
    if (verdict.kind === 'rejected' || verdict.kind === 'stop') {
      doubted = 0;
      unsent = 0;
      // Not written down yet: whether the student is there is for a listing to say.
      if (verdict.kind === 'rejected' && verdict.taken) {
        applied.taken.push({ step, error: verdict.error });
        return false;
      }
      // A request that the token was refused for was not obeyed; with another token the row may be sent again.
      journal.outcome({ row, outcome: verdict.kind === 'stop' ? 'unsent' : 'rejected', ...reason });
      if (verdict.kind === 'stop') {
        applied.unsent.push(step);
        stop(verdict.error);
      } else {
        onRow(false);
        if (verdict.error.code === 'not_found') stop(verdict.error);
      }
      return false;
    }
    if (verdict.kind === 'limited') {
      applied.limited.push(step);
      applied.longestWait = Math.max(applied.longestWait, verdict.wait);
      pace.slowDown(verdict.wait);
      return false;
    }
    journal.outcome({ row, outcome: 'ambiguous', ...reason });
    if (verdict.wait !== undefined) pace.slowDown(verdict.wait);
    left(step, verdict.created, verdict.error);
    return false;
  }

  function left(step: Job, created: boolean, error: CliError) {
    applied.doubts.push({ step, created, error });
    doubted += 1;
    const many = Math.max(doubtsInARow, Math.ceil(rows * shareOfDoubts));
    if (doubted < doubtsInARow && applied.doubts.length < many) return;
    stop(
      new CliError('outcome_unknown', `${applied.doubts.length} requests ended without a clear answer, the last one so: ${error.message}`),
    );
  }

  async function work(job: Job) {
    const key = journal.keyOf(job.email ?? `row ${job.row}`);
    if (job.action === 'create') return create(job, key);
    return change(job, key, job.session, Object.fromEntries(job.changes.map(({ field, to }) => [field, to])));
  }

  const iterator = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  async function worker() {
    while (!stopping()) {
      const next = await iterator.next();
      if (next.done) return;
      try {
        await pace.turn(async () => {
          if (stopping()) applied.unsent.push(next.value);
          else await work(next.value);
        });
      } catch (error) {
        if (host.interrupted.aborted && error === host.interrupted.reason) applied.unsent.push(next.value);
        else fatal ??= error;
        return;
      }
    }
  }
  await Promise.all(Array.from({ length: settings.concurrency }, worker));
  if (fatal !== undefined) throw fatal;
  if (host.interrupted.aborted) stop(host.interrupted.reason as CliError);
  return applied;
}

function codeOf(error: CliError): { code: string } {
  return { code: error.status === undefined ? error.code : String(error.status) };
}
