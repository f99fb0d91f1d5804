/**
 * Sends what the plan has to be sent. Invariants: an intent is durable before its request leaves;
 * a student is POSTed again only if the last POST provably did nothing, or a complete listing after it
 * does not show the student; what went wrong in a way that will not end stops the run.
 */
import type { Client } from '../../api/client.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import type { JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import type { Journal } from './journal/journal.ts';
import { nameOfRow } from './journal/records.ts';
import type { Pace } from './pace.ts';
import { fieldsOf, type ImportStep, type RequestShape } from './plan.ts';
import { prefetch } from './prefetch.ts';
import { type Answered, sendCreate, sendUpdate } from './send.ts';

export type SendJob = Extract<ImportStep, { action: 'create' | 'update' }>;

/** A job and its student's key in the journal. */
type Keyed = { job: SendJob; key: string };

export type ApplyOptions = {
  client: Client;
  host: Host;
  journal: Journal;
  exam: string;
  concurrency: number;
  pace: Pace;
  /** Rows of the run: 5 % of them unknown stop it. */
  rows: number;
  failures: FailureCounts;
  shape: RequestShape;
  /** Called after each row that came to an end, for the progress. */
  onRow(done: boolean): void;
};

/** What went wrong so far, in all rounds of a run; what it counts `InARow` ends with the next clear answer. */
export type FailureCounts = { unknown: number; unknownInARow: number; notSentInARow: number };

/** What was left to a listing, and why the run stopped if it did. */
export type SentJobs = {
  /** Rows that may or may not be there; `confirmed`: the service said that they are. */
  unknown: { step: SendJob; confirmed: boolean }[];
  /** Students of whom a 429 does not say whether they were created. */
  limited: SendJob[];
  /** The longest that the service asked to wait for those. Milliseconds. */
  longestWait: number;
  /** Rows that the service says are taken. */
  taken: { step: SendJob; error: CliError }[];
  /** Rows that never left, or that were provably not obeyed and do no harm when sent again. */
  notSent: SendJob[];
  stopped: CliError | undefined;
};

const unknownAtMost = 3;
const notSentAtMost = 3;
const shareUnknown = 0.05;
/** Milliseconds before a listing tells what became of a 429 that does not say how long to wait. */
const waitUnasked = 5000;

/** Runs all jobs, or stops early. Rejects only with what is not a matter of one row: a journal that cannot be kept, a bug. */
export async function sendJobs(jobs: Iterable<SendJob>, settings: ApplyOptions): Promise<SentJobs> {
  const { client, host, journal, exam, concurrency, rows, shape, pace, failures, onRow } = settings;
  const applied: SentJobs = { unknown: [], limited: [], longestWait: 0, taken: [], notSent: [], stopped: undefined };
  const refusedIfLimited = shape.dialect.limitedMeans === 'refused';
  let fatal: unknown;

  const stop = (error: CliError) => {
    applied.stopped ??= error;
  };
  const fail = (error: unknown) => {
    fatal ??= error;
  };
  const openTimeOf = ({ entry }: SendJob) => fieldsOf(entry, 'update', shape).open_time;
  const clearAnswer = () => Object.assign(failures, { unknownInARow: 0, notSentInARow: 0 });
  const stopping = () => applied.stopped !== undefined || fatal !== undefined || host.interrupted.aborted;

  async function create(step: SendJob, key: string) {
    const { entry, email, row } = step;
    const later = openTimeOf(step);
    const next = later === undefined ? {} : { next: 'update' as const };
    const body = fieldsOf(entry, 'create', shape);
    const session = await request(step, refusedIfLimited, {
      // The intent of the first time is written down already.
      again: () => journal.intent({ row, key, intent: 'create', ...next }),
      send: () => sendCreate(client, host, exam, body, email),
    });
    if (session === undefined) return;
    if (later === undefined) return onRow(true);
    await change(step, key, session, { open_time: later }, 'follows');
  }

  /** `follows`: it completes a create, also in a run that stops. */
  async function change(step: SendJob, key: string, session: string, body: JsonObject, follows?: 'follows') {
    const intend = () => journal.intent({ row: step.row, key, intent: 'update' });
    await intend();
    const done = await request(step, true, { again: intend, follows, send: () => sendUpdate(client, host, session, body) });
    if (done !== undefined) onRow(true);
  }

  /**
   * One request when its turn comes, again while the service has too many (`again` writes down that it
   * is about to leave once more). Resolves to the session, if it is done.
   */
  async function request(
    step: SendJob,
    refusedIfLimited: boolean,
    { again, send, follows }: { again(): Promise<void>; send(): Promise<Answered>; follows?: 'follows' | undefined },
  ): Promise<string | undefined> {
    for (let first = true; ; first = false) {
      const answered = await pace
        .turn(async (turn) => {
          if (stopping() && !(follows && first)) return undefined;
          if (!first) await again();
          const answered = await send();
          if (answered.outcome === 'done') pace.went(turn);
          else if (answered.outcome === 'not_sent' ? answered.limited : 'wait' in answered) pace.slowDown(turn, waitOf(answered));
          return answered;
        })
        .catch((error: unknown) => {
          if (host.interrupted.aborted && error === host.interrupted.reason) return undefined;
          throw error;
        });
      if (!answered) return leave(step, first);
      if (answered.outcome !== 'not_sent' || !answered.limited || !refusedIfLimited) return note(step, answered);
      journal.outcome({ row: step.row, outcome: 'not_sent', reason: answered.error.message, ...codeOf(answered.error) });
      failures.unknownInARow = 0;
      if (pace.closed) stop(answered.error);
    }
  }

  /** Writes down what became of a request; resolves to the session if it is done. */
  function note(step: SendJob, answered: Answered): string | undefined {
    const { row } = step;
    const creating = journal.rows.get(row)?.step === 'create';
    if (answered.outcome === 'done') {
      journal.outcome({ row, outcome: 'done', session: answered.session });
      clearAnswer();
      return answered.session;
    }
    const { error } = answered;
    const why = { reason: error.message, ...codeOf(error) };
    if (answered.outcome === 'unknown') {
      // Of what the service has confirmed only the session is not known yet: that is no failure of it.
      const code = answered.confirmed && creating ? { code: confirmed } : {};
      journal.outcome({ row, outcome: 'unknown', ...why, ...code });
      applied.unknown.push({ step, confirmed: answered.confirmed });
      if (!answered.confirmed) countUnknown(error);
    } else if (answered.outcome === 'rejected') {
      clearAnswer();
      // Not written down yet: whether the student is there is for a listing to say.
      if (answered.taken && creating) applied.taken.push({ step, error });
      else {
        journal.outcome({ row, outcome: 'rejected', ...why });
        onRow(false);
        // The exam is not there; a session that is not is a matter of its row.
        if (error.code === 'not_found' && creating) stop(error);
      }
    } else if (answered.limited) {
      applied.limited.push(step);
      applied.longestWait = Math.max(applied.longestWait, answered.wait ?? waitUnasked);
      if (pace.closed) stop(error);
    } else {
      // Also what the token was refused for: it was not obeyed, and with another token it may be sent again.
      journal.outcome({ row, outcome: 'not_sent', ...why });
      applied.notSent.push(step);
      failures.notSentInARow += 1;
      if (answered.stop || failures.notSentInARow >= notSentAtMost || host.interrupted.aborted) stop(error);
    }
    return undefined;
  }

  function countUnknown(error: CliError) {
    failures.unknown += 1;
    failures.unknownInARow += 1;
    const many = Math.max(unknownAtMost, Math.ceil(rows * shareUnknown));
    if (failures.unknownInARow < unknownAtMost && failures.unknown < many) return;
    stop(new CliError('outcome_unknown', sentence`${failures.unknown} requests have unknown outcomes; the last one: ${error.message}`));
  }

  /** The run ends before the turn of a request has come; `intended`: it is written down that it is about to leave. */
  function leave(step: SendJob, intended: boolean): undefined {
    if (intended) journal.outcome({ row: step.row, outcome: 'not_sent', reason: 'the run had stopped' });
    applied.notSent.push(step);
  }

  async function work({ job, key }: Keyed) {
    if (stopping()) return leave(job, job.action === 'create');
    if (job.action === 'create') return create(job, key);
    return change(job, key, job.session, Object.fromEntries(job.changes.map(({ field, to }) => [field, to])));
  }

  function* keyed(): Generator<Keyed> {
    for (const job of jobs) yield { job, key: journal.keyOf(job.email ?? nameOfRow(job.row)) };
  }

  async function writeDown({ job, key }: Keyed) {
    if (job.action !== 'create') return;
    const next = openTimeOf(job) === undefined ? {} : { next: 'update' as const };
    await journal.intent({ row: job.row, key, intent: 'create', ...next });
  }

  const next = prefetch(keyed(), {
    most: () => pace.ahead,
    stopping,
    // One sync for all of them.
    makeReady: (jobs) => Promise.all(jobs.map(writeDown)),
    fail,
  });

  /** Goes on after a failure: what is written down and will not be sent has to be left, or nobody would know that it was not. */
  async function worker() {
    for (let taken = await next(); taken; taken = await next()) await work(taken).catch(fail);
  }

  await Promise.all(Array.from({ length: concurrency }, worker));
  if (fatal !== undefined) throw fatal;
  if (host.interrupted.aborted) stop(host.interrupted.reason as CliError);
  return applied;
}

/** The code in the journal of a create that the service said it did: whatever a listing shows, it is not sent again. */
export const confirmed = 'confirmed';

function waitOf(answered: Answered): number | undefined {
  return 'wait' in answered ? answered.wait : undefined;
}

function codeOf(error: CliError): { code: string } {
  return { code: error.status === undefined ? error.code : String(error.status) };
}
