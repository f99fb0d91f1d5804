/**
 * Sends the plan's requests, as fast as the pacer lets them. Invariants: an intent is durable before its request is sent;
 * a student is POSTed again only if the last POST provably did nothing, or a complete listing after it
 * does not show the student; a failure that will not pass stops the run.
 */
import type { Client } from '../../api/client.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import type { JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import type { Journal } from './journal/journal.ts';
import { nameOfRow, settledLater } from './journal/records.ts';
import { fieldsOf, type ImportStep, type RequestShape } from './plan.ts';
import type { Presence } from './presence.ts';
import { type Answered, type AnsweredAs, type SendHooks, sendCreate, sendUpdate } from './send-request.ts';

export type SendJob = Extract<ImportStep, { action: 'create' | 'update' }>;

/** A job with the key of its student in the journal. */
type KeyedJob = { job: SendJob; key: string };

export type SendJobsOptions = {
  client: Client;
  host: Host;
  journal: Journal;
  exam: string;
  /** Rows of the run: 5 % of them unknown stop it. */
  rows: number;
  failures: FailureCounts;
  shape: RequestShape;
  /** The students of the exam before these requests: an answer that names one of them has created none. */
  before: Presence;
  /** Called after each row that came to an end, for the progress; `bySending`: a request of this process completed it. */
  onRow(done: boolean, bySending?: boolean): void;
};

/**
 * The failures so far, in all rounds of a run; a clear answer resets the counts `InARow`. Requests that are in flight together fail
 * together, and count once: of `begun` requests, those up to `countedUpTo`.
 */
export type FailureCounts = { unknown: number; unknownInARow: number; notSentInARow: number; begun: number; countedUpTo: number };

/** The rows left to a listing, and why the run stopped if it did. */
export type SentJobs = {
  /** Rows with an unknown outcome, and rows that the service says are taken (`settledLater`). */
  unknown: SendJob[];
  /** The longest wait that the service asked for after too many requests that it may have obeyed. Milliseconds. */
  longestWait: number;
  /** Rows that were never sent, or provably had no effect and may be sent again. */
  notSent: SendJob[];
  stopped: CliError | undefined;
};

const unknownAtMost = 3;
const notSentAtMost = 3;
const shareUnknown = 0.05;
/** Milliseconds before a listing settles a 429 that does not say how long to wait. */
const waitUnasked = 5000;

/** Runs all jobs, or stops early. Rejects only for errors beyond a single row: a journal that cannot be written, a bug. */
export function sendJobs(jobs: Iterable<SendJob>, options: SendJobsOptions): Promise<SentJobs> {
  return new JobSender(options).send(jobs);
}

/**
 * A request of a job. `intend` records that it is about to be sent; `follows`: it completes a create, also in a run that stops.
 */
type JobRequest = {
  refusedIfLimited: boolean;
  intend(): Promise<void>;
  send(hooks: SendHooks): Promise<Answered>;
  follows?: boolean;
};

/** The run stops, and the request has not left. */
class RunStopped extends Error {}

class JobSender {
  readonly #options: SendJobsOptions;
  readonly #sent: SentJobs = { unknown: [], longestWait: 0, notSent: [], stopped: undefined };
  /** An error that does not concern a single row. */
  #fatal: unknown;
  /** The sessions of rows, from earlier runs and parts of the run; read once an answer shows a session that was there before. */
  #ofRows: Set<string | undefined> | undefined;
  /** Why the first row that would take something from a student of the running exam was not sent; the others were. */
  #refused: CliError | undefined;

  constructor(options: SendJobsOptions) {
    this.#options = options;
  }

  async send(jobs: Iterable<SendJob>): Promise<SentJobs> {
    const { client, host } = this.#options;
    await client.pacer.each(this.#keyed(jobs), (job) => this.#sendJob(job).catch((error: unknown) => this.#fail(error)));
    if (this.#fatal !== undefined) throw this.#fatal;
    if (host.interrupted.aborted) this.#stop(host.interrupted.reason as CliError);
    if (this.#refused) this.#stop(this.#refused);
    return this.#sent;
  }

  get #stopping(): boolean {
    return this.#sent.stopped !== undefined || this.#fatal !== undefined || this.#options.host.interrupted.aborted;
  }

  #stop(error: CliError) {
    if (this.#sent.stopped) return;
    this.#sent.stopped = error;
    this.#options.host.log?.({ event: 'stop', reason: error.code, status: error.status ?? null });
  }

  #fail(error: unknown) {
    this.#fatal ??= error;
  }

  *#keyed(jobs: Iterable<SendJob>): Generator<KeyedJob> {
    for (const job of jobs) {
      if (this.#stopping) return;
      yield { job, key: this.#options.journal.keyOf(job.email ?? nameOfRow(job.row)) };
    }
  }

  #intendCreate(job: SendJob, key: string): Promise<void> {
    const next = this.#openTimeOf(job) === undefined ? {} : { next: 'update' as const };
    return this.#options.journal.intent({ row: job.row, key, intent: 'create', ...next });
  }

  #openTimeOf({ entry }: SendJob) {
    return fieldsOf(entry, 'update', this.#options.shape).open_time;
  }

  async #sendJob({ job, key }: KeyedJob) {
    if (job.action === 'create') return this.#create(job, key);
    return this.#update(job, key, job.session, Object.fromEntries(job.changes.map(({ field, to }) => [field, to])));
  }

  async #create(job: SendJob, key: string) {
    const { client, host, exam, shape, onRow } = this.#options;
    const body = fieldsOf(job.entry, 'create', shape);
    const session = await this.#request(job, {
      refusedIfLimited: shape.dialect.limitedMeans === 'refused',
      intend: () => this.#intendCreate(job, key),
      send: async (hooks) => this.#created(job, await sendCreate(client, host, exam, { body, ...hooks }, job.email)),
    });
    if (session === undefined) return;
    const openTime = this.#openTimeOf(job);
    if (openTime === undefined) return onRow(true);
    await this.#update(job, key, session, { open_time: openTime }, true);
  }

  /** For a student who is in the exam already, some services answer with the existing session. It may be another student's. */
  #created({ email }: SendJob, answered: Answered): Answered {
    if (answered.outcome !== 'done') return answered;
    const { session } = answered;
    const existing = this.#options.before.withSession(session);
    if (!existing) return answered;
    if (email !== undefined && existing.email === undefined && !this.#isOfAnotherRow(session)) return { ...answered, existing: true };
    const error = new CliError('outcome_unknown', sentence`The service answered with session ${session}, which was in the exam before.`);
    return { outcome: 'unknown', confirmed: false, renamed: true, error };
  }

  #isOfAnotherRow(session: string): boolean {
    const { before, journal } = this.#options;
    this.#ofRows ??= new Set([...before.earlier.values(), ...[...journal.rows.entries()].map(([, row]) => row.session)]);
    return this.#ofRows.has(session);
  }

  async #update(job: SendJob, key: string, session: string, body: JsonObject, follows = false) {
    const { client, host, exam, journal, onRow } = this.#options;
    const intend = () => journal.intent({ row: job.row, key, intent: 'update' });
    const state = journal.rows.get(job.row);
    if (state?.ours && state.more) client.created(session);
    const send = (hooks: SendHooks) => sendUpdate(client, host, exam, session, { body, ...hooks });
    const done = await this.#request(job, { refusedIfLimited: true, intend, send, follows });
    if (done !== undefined) onRow(true);
  }

  /**
   * One request; resolves to the session, if it is done. The intent is recorded once it is the next to leave, and the outcome before the next row
   * begins: after a kill, no more rows are unknown than were in flight, and one that was about to leave.
   */
  async #request(job: SendJob, { intend, send, follows = false, refusedIfLimited }: JobRequest): Promise<string | undefined> {
    const { host, failures } = this.#options;
    let intended = false;
    let began = failures.begun + 1;
    const leaving = () => {
      if (this.#stopping && !follows) throw new RunStopped();
      failures.begun += 1;
      began = failures.begun;
    };
    const admitted = async () => {
      if (this.#stopping && !follows) throw new RunStopped();
      if (!intended) await intend();
      intended = true;
    };
    let answered: Answered;
    try {
      answered = await send({ admitted, leaving });
    } catch (error) {
      if (!(error instanceof RunStopped)) throw error;
      return this.#abandon(job, intended);
    }
    if (answered.outcome === 'not_sent' && !intended) {
      if (host.interrupted.aborted) return this.#abandon(job, intended);
      await intend();
    }
    return this.#record(job, answered, { refusedIfLimited, isCounted: began <= failures.countedUpTo });
  }

  /** Records the outcome of a request; the session if it is done. `isCounted`: a failure of a request that was in flight with it has been counted. */
  #record(job: SendJob, answered: Answered, { refusedIfLimited, isCounted }: { refusedIfLimited: boolean; isCounted: boolean }) {
    switch (answered.outcome) {
      case 'done':
        return this.#recordDone(job, answered);
      case 'unknown':
        return this.#recordUnknown(job, answered, isCounted);
      case 'rejected':
        return this.#recordRejected(job, answered);
      case 'not_sent':
        return answered.limited && !refusedIfLimited ? this.#recordLimited(job, answered) : this.#recordNotSent(job, answered, isCounted);
    }
  }

  #recordDone(job: SendJob, { session, existing }: AnsweredAs<'done'>): string | undefined {
    this.#options.journal.outcome({ row: job.row, outcome: existing ? 'unchanged' : 'done', session });
    this.#clearAnswer();
    if (!existing) return session;
    // Not the run's own: its fields are compared with the row, and changed only with --update.
    this.#options.onRow(true, false);
    return undefined;
  }

  #recordUnknown(job: SendJob, { confirmed, renamed, error }: AnsweredAs<'unknown'>, isCounted: boolean): undefined {
    const known = confirmed ? settledLater.confirmed : renamed ? settledLater.renamed : undefined;
    const code = known !== undefined && this.#isCreating(job) ? { code: known } : {};
    this.#options.journal.outcome({ row: job.row, outcome: 'unknown', ...whyOf(error), ...code });
    this.#sent.unknown.push(job);
    // Of what the service has confirmed only the session is not known yet: that is no failure of it.
    if (!confirmed && !isCounted) this.#countUnknown(error);
  }

  #recordRejected(job: SendJob, { taken, error }: AnsweredAs<'rejected'>): undefined {
    const creating = this.#isCreating(job);
    this.#clearAnswer();
    // Whether the student is in the exam is for a listing to say.
    if (taken && creating) {
      this.#options.journal.outcome({ row: job.row, outcome: 'rejected', ...whyOf(error), code: settledLater.taken });
      this.#sent.unknown.push(job);
      return;
    }
    this.#options.journal.outcome({ row: job.row, outcome: 'rejected', ...whyOf(error) });
    this.#options.onRow(false);
    // The exam was not found; a session that was not found concerns its row only.
    if (error.code === 'not_found' && creating) this.#stop(error);
  }

  #recordLimited(job: SendJob, { wait, error }: AnsweredAs<'not_sent'>): undefined {
    this.#options.journal.outcome({ row: job.row, outcome: 'unknown', ...whyOf(error), code: settledLater.limited });
    this.#sent.unknown.push(job);
    this.#sent.longestWait = Math.max(this.#sent.longestWait, wait ?? waitUnasked);
    if (this.#options.client.pacer.gaveUp) this.#stop(error);
  }

  /** Includes a request refused for its token: it was not obeyed, and with another token it may be sent again. */
  #recordNotSent(job: SendJob, { stop, limited, error }: AnsweredAs<'not_sent'>, isCounted: boolean): undefined {
    const { journal, failures, host } = this.#options;
    journal.outcome({ row: job.row, outcome: 'not_sent', ...whyOf(error) });
    this.#sent.notSent.push(job);
    if (error.code === 'exam_running') {
      this.#refused ??= error;
      return;
    }
    if (!isCounted) {
      failures.notSentInARow += 1;
      failures.countedUpTo = failures.begun;
    }
    if (stop || limited || failures.notSentInARow >= notSentAtMost || host.interrupted.aborted) this.#stop(error);
  }

  #isCreating({ row }: SendJob): boolean {
    return this.#options.journal.rows.get(row)?.step === 'create';
  }

  #clearAnswer() {
    Object.assign(this.#options.failures, { unknownInARow: 0, notSentInARow: 0 });
  }

  #countUnknown(error: CliError) {
    const { failures, rows } = this.#options;
    failures.unknown += 1;
    failures.unknownInARow += 1;
    failures.countedUpTo = failures.begun;
    const many = Math.max(unknownAtMost, Math.ceil(rows * shareUnknown));
    if (failures.unknownInARow < unknownAtMost && failures.unknown < many) return;
    this.#stop(
      new CliError('outcome_unknown', sentence`${failures.unknown} requests have unknown outcomes; the last one: ${error.message}`),
    );
  }

  /** The run ends before the turn of a request has come; `intended`: its intent is recorded. */
  #abandon(job: SendJob, intended: boolean): undefined {
    if (intended) this.#options.journal.outcome({ row: job.row, outcome: 'not_sent', reason: 'the run had stopped' });
    this.#sent.notSent.push(job);
  }
}

function codeOf(error: CliError): { code: string } {
  return { code: error.status === undefined ? error.code : String(error.status) };
}

function whyOf(error: CliError): { reason: string; code: string } {
  return { reason: error.message, ...codeOf(error) };
}
