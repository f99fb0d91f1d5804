/**
 * Sends what the plan has to be sent. Invariants: an intent is durable before its request leaves;
 * a student is POSTed again only if the last POST provably never left, or a complete listing after it
 * does not show the student; what went wrong in a way that will not end stops the run.
 */
import type { Client } from '../api/client.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import { sentence } from '../text/sentence.ts';
import { ahead } from './ahead.ts';
import type { Journal } from './journal/journal.ts';
import { nameOfRow } from './journal/records.ts';
import type { Pace } from './pace.ts';
import { fieldsOf, type Shape, type Step } from './plan.ts';
import { sendCreate, sendUpdate, type Verdict } from './send.ts';

export type Job = Extract<Step, { action: 'create' | 'update' }>;

/** A job and its student's key in the journal. */
type Keyed = { job: Job; key: string };

export type Settings = {
  client: Client;
  host: Host;
  journal: Journal;
  exam: string;
  concurrency: number;
  pace: Pace;
  /** Rows of the run: 5 % of them in doubt stop it. */
  rows: number;
  trouble: Trouble;
  shape: Shape;
  /** Called after each row that came to an end, for the progress. */
  onRow(done: boolean): void;
};

/** What went wrong so far, in all rounds of a run; what it counts `InARow` ends with the next clear answer. */
export type Trouble = { doubts: number; doubtsInARow: number; unsentInARow: number; limitedInARow: number };

/** What was left to a listing, and why the run stopped if it did. */
export type Applied = {
  /** Rows that may or may not be there; `created`: the service said that they are. */
  doubts: { step: Job; created: boolean; error: CliError }[];
  /** Students that the service did not take because there were too many requests. */
  limited: Job[];
  /** The longest that the service asked to wait for those. Milliseconds. */
  longestWait: number;
  /** Rows that the service says are taken. */
  taken: { step: Job; error: CliError }[];
  /** Rows that never left, or that were provably not obeyed and do no harm when sent again. */
  unsent: Job[];
  stopped: CliError | undefined;
};

const doubtsAtMost = 3;
const unsentAtMost = 3;
/** Of requests one at a time, each after the wait that the service asked for. */
const limitedAtMost = 10;
const shareOfDoubts = 0.05;

/** Runs all jobs, or stops early. Rejects only with what is not a matter of one row: a journal that cannot be kept, a bug. */
export async function apply(jobs: Iterable<Job>, settings: Settings): Promise<Applied> {
  const { client, host, journal, exam, concurrency, rows, shape, pace, trouble, onRow } = settings;
  const applied: Applied = { doubts: [], limited: [], longestWait: 0, taken: [], unsent: [], stopped: undefined };
  let fatal: unknown;

  const stop = (error: CliError) => {
    applied.stopped ??= error;
  };
  const fail = (error: unknown) => {
    fatal ??= error;
  };
  const openTimeOf = ({ entry }: Job) => fieldsOf(entry, 'update', shape).open_time;
  const clearAnswer = () => Object.assign(trouble, { doubtsInARow: 0, unsentInARow: 0, limitedInARow: 0 });
  const stopping = () => applied.stopped !== undefined || fatal !== undefined || host.interrupted.aborted;

  /** The intent of it is written down already. */
  async function create(step: Job, key: string) {
    const { entry, email } = step;
    const later = openTimeOf(step);
    const verdict = await sendCreate(client, host, exam, fieldsOf(entry, 'create', shape), email);
    if (!note(step, verdict) || verdict.kind !== 'done') return;
    if (later === undefined) return onRow(true);
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
    const creating = journal.rows.get(row)?.step === 'create';
    const reason = 'error' in verdict ? { reason: verdict.error.message, ...codeOf(verdict.error) } : {};
    if (verdict.kind === 'done') {
      journal.outcome({ row, outcome: 'done', session: verdict.session });
      pace.went();
      clearAnswer();
      return true;
    }
    if (verdict.kind === 'unsent') {
      journal.outcome({ row, outcome: 'unsent', ...reason });
      applied.unsent.push(step);
      trouble.unsentInARow += 1;
      if (trouble.unsentInARow >= unsentAtMost || host.interrupted.aborted) stop(verdict.error);
      return false;
    }
    if (verdict.kind === 'rejected' || verdict.kind === 'stop') {
      clearAnswer();
      // Not written down yet: whether the student is there is for a listing to say.
      if (verdict.kind === 'rejected' && verdict.taken && creating) {
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
        // The exam is not there; a session that is not is a matter of its row.
        if (verdict.error.code === 'not_found' && creating) stop(verdict.error);
      }
      return false;
    }
    if (verdict.kind === 'limited') {
      if (creating) applied.limited.push(step);
      else {
        // A change may be sent again without a look.
        journal.outcome({ row, outcome: 'unsent', ...reason });
        applied.unsent.push(step);
      }
      applied.longestWait = Math.max(applied.longestWait, verdict.wait);
      if (pace.slowest) trouble.limitedInARow += 1;
      if (trouble.limitedInARow >= limitedAtMost) stop(verdict.error);
      pace.slowDown(verdict.wait);
      return false;
    }
    journal.outcome({ row, outcome: 'ambiguous', ...reason, ...(verdict.created ? { code: created } : {}) });
    if (verdict.wait !== undefined) pace.slowDown(verdict.wait);
    left(step, verdict.created, verdict.error);
    return false;
  }

  function left(step: Job, happened: boolean, error: CliError) {
    applied.doubts.push({ step, created: happened, error });
    trouble.doubts += 1;
    trouble.doubtsInARow += 1;
    const many = Math.max(doubtsAtMost, Math.ceil(rows * shareOfDoubts));
    if (trouble.doubtsInARow < doubtsAtMost && trouble.doubts < many) return;
    stop(
      new CliError('outcome_unknown', sentence`${trouble.doubts} requests ended without a clear answer, the last one so: ${error.message}`),
    );
  }

  async function work(job: Job, key: string) {
    if (job.action === 'create') return create(job, key);
    return change(job, key, job.session, Object.fromEntries(job.changes.map(({ field, to }) => [field, to])));
  }

  /** The run ends before the job's turn has come. */
  function leave(job: Job) {
    if (job.action === 'create') journal.outcome({ row: job.row, outcome: 'unsent', reason: 'the run stopped before' });
    applied.unsent.push(job);
  }

  function* keyed(): Generator<Keyed> {
    for (const job of jobs) yield { job, key: journal.keyOf(job.email ?? nameOfRow(job.row)) };
  }

  async function writeDown({ job, key }: Keyed) {
    if (job.action !== 'create') return;
    const next = openTimeOf(job) === undefined ? {} : { next: 'update' as const };
    await journal.intent({ row: job.row, key, intent: 'create', ...next });
  }

  const next = ahead(keyed(), {
    most: () => pace.ahead,
    stopping,
    // One sync for all of them.
    makeReady: (jobs) => Promise.all(jobs.map(writeDown)),
    fail,
  });

  /** Goes on after a failure: what is written down and will not be sent has to be left, or nobody would know that it was not. */
  async function worker() {
    for (let taken = await next(); taken; taken = await next()) await inTurn(taken).catch(fail);
  }

  async function inTurn({ job, key }: Keyed) {
    if (stopping()) return leave(job);
    try {
      await pace.turn(async () => (stopping() ? leave(job) : work(job, key)));
    } catch (error) {
      if (!host.interrupted.aborted || error !== host.interrupted.reason) throw error;
      leave(job);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, worker));
  if (fatal !== undefined) throw fatal;
  if (host.interrupted.aborted) stop(host.interrupted.reason as CliError);
  return applied;
}

/** The code in the journal of a create that the service said it did: whatever a listing shows, it is not sent again. */
export const created = 'created';

function codeOf(error: CliError): { code: string } {
  return { code: error.status === undefined ? error.code : String(error.status) };
}
