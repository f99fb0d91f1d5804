/**
 * Brings a validated roster into an exam in steps of its own: `prepare` makes the plan, of a new run or
 * of one to be resumed, and changes nothing; whoever calls shows it and asks; `execute` sends, settles,
 * proves and yields the result.
 */
import type { Client } from '../../api/client.ts';
import type { Progress } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { count } from '../../model/count.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { confirmed, type FailureCounts, type SendJob, type SentJobs, sendJobs } from './apply.ts';
import type { Journal } from './journal/journal.ts';
import { type RowState, stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import type { Entries } from './map/entries.ts';
import { Pace } from './pace.ts';
import type { ImportStep } from './plan.ts';
import type { Presence } from './presence.ts';
import { type Aside, type ImportResult, recordFindings, resultOf } from './proof.ts';
import type { ImportOptions } from './request.ts';
import { addresses, comparedFields, type ImportPlan, planFor, stepsFor } from './roster-plan.ts';
import { settle, settlingMessage, type UnknownRow } from './settle.ts';
import { type ListingOptions, listWhole } from './whole-listing.ts';

/** What an import is of, and what it works with. */
export type Import = {
  entries: Entries;
  aside: Aside;
  options: ImportOptions;
  client: Client;
  host: Host;
  say(text: Sentence): void;
  /** Whether students that have not arrived are to be sent again. */
  askResend(count: number): Promise<boolean>;
};

/** `resendAbsent`: as the options say, or as somebody has answered. */
export type Prepared = { plan: ImportPlan; resendAbsent: boolean };

const roundsAtMost = 20;
/** Rounds in which a change without a clear answer is sent again. */
const changesAgain = 2;

/**
 * The plan. `resumed`: the journal of the run to resume; what an earlier part of it left unknown is
 * looked up first. Throws `bad_answer` where the listing is not complete, or tells nobody apart.
 */
export async function prepare(job: Import, resumed: Journal | undefined): Promise<Prepared> {
  const { entries, options, askResend } = job;
  if (resumed) await settleEarlier(job, resumed);
  const { presence, gone } = await listWhole(listingOf(job), resumed?.rows);
  for (const row of gone) resumed?.outcome({ row, outcome: 'missing' });
  const plan = planFor(presence, entries, options, resumed?.rows);
  refuseStrangers(plan, job, resumed?.rows);
  const { absent, missing } = plan.counts;
  if (absent + missing === 0 || options.resendAbsent || !(await askResend(absent + missing))) {
    return { plan, resendAbsent: options.resendAbsent };
  }
  return { plan: planFor(presence, entries, { ...options, resendAbsent: true }, resumed?.rows), resendAbsent: true };
}

/** The plan of a dry run: nothing is written, nobody is asked. `rows`: what an unfinished run has done. */
export async function preview(job: Import, rows: Rows | undefined): Promise<ImportPlan> {
  const { presence } = await listWhole({ ...listingOf(job), patience: 0 }, undefined);
  const plan = planFor(presence, job.entries, job.options, rows);
  refuseStrangers(plan, job, rows);
  return plan;
}

/** Where the service shows no addresses, a student whom no run knows may be any row of the file. */
function refuseStrangers({ presence, counts }: ImportPlan, { options }: Import, rows: Rows | undefined) {
  if (presence.showsAddresses || counts.create === 0 || options.allowNoEmail) return;
  const known = new Set(rows ? [...rows.entries()].map(([, { session }]) => session) : []);
  const strangers = presence.students.filter(({ session }) => !known.has(session)).length;
  if (strangers === 0) return;
  throw new CliError(
    'bad_answer',
    sentence`The listing of exam ${options.exam} shows no address of ${count(strangers, 'student')}, so it is unknown which rows are already in the exam. Nothing was sent.`,
    { hint: 'To register every row anyway, add --allow-no-email.' },
  );
}

function listingOf({ client, host, options, entries, say }: Import): ListingOptions {
  return { client, host, exam: options.exam, compared: comparedFields(options), entries, patience: options.settle, say };
}

/** Sends, settles and proves; `journal`: of the run, undefined where nothing has to be sent. Throws what is no matter of rows. */
export async function execute(
  job: Import,
  { plan, resendAbsent }: Prepared,
  journal: Journal | undefined,
  progress: (total: number) => Progress,
): Promise<ImportResult> {
  const { entries, aside, host } = job;
  const options = { ...job.options, resendAbsent };
  const started = host.now();
  const result = (presence: Presence | undefined, stopped: CliError | undefined) =>
    resultOf({ entries, aside, planned: plan.presence, presence, options, journal, milliseconds: host.now() - started, stopped });
  if (!journal) return result(plan.presence, undefined);

  const { create: _create, update: _update, ...states } = plan.counts;
  let stopped = await journal
    .note('planned', { untouched: untouchedBy(plan, journal, { ...states, ...aside }) })
    .then(() => send({ ...job, options }, plan, journal, progress))
    .catch(asReason);
  stopped = (await unwritten(journal.flush())) ?? stopped;
  let presence: Presence | undefined;
  try {
    if (!stopped || !endsAll.has(stopped.code)) presence = await proveWhole(job, journal);
  } catch (error) {
    stopped ??= asReason(error);
  }
  const outcome = result(presence, stopped);
  const failure = await unwritten(close(outcome, journal));
  return failure ? result(presence, failure) : outcome;
}

async function close(outcome: ImportResult, journal: Journal) {
  recordFindings(outcome, journal);
  await journal.note(outcome.finished ? 'finished' : 'stopped', { untouched: outcome.untouched });
}

/** The states of the rows that the plan leaves alone and the journal has no record of. */
function untouchedBy(plan: ImportPlan, journal: Journal, states: Record<string, number>) {
  const counts = { ...states };
  for (const step of plan.steps()) {
    if (journal.rows.get(step.row) && step.action !== 'create' && step.action !== 'update')
      counts[step.action] = (counts[step.action] ?? 0) - 1;
  }
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));
}

/** The exam after the last request. */
async function proveWhole(job: Import, journal: Journal): Promise<Presence> {
  const { presence, gone } = await listWhole(listingOf(job), journal.rows);
  for (const row of gone) journal.outcome({ row, outcome: 'missing' });
  return presence;
}

/** What ends the sending is told with what became of the rows until then. */
function asReason(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** Why the journal could not be written; undefined if it was. */
function unwritten(written: Promise<void>): Promise<CliError | undefined> {
  return written.then(() => undefined, asReason);
}

/** After these nothing more is asked of the service. */
const endsAll = new Set<CliError['code']>([
  'token_refused',
  'network',
  'timeout',
  'interrupted',
  'terminated',
  'journal_failed',
  'bad_answer',
]);

/** Sends what the plan has to be sent, and again what provably has not arrived; resolves to why it stopped early. */
async function send(
  job: Import,
  plan: ImportPlan,
  journal: Journal,
  progressOf: (total: number) => Progress,
): Promise<CliError | undefined> {
  const { client, host, options, entries, say, askResend } = job;
  const listing = { ...listingOf(job), imported: addresses(entries, options) };
  const pace = new Pace(host, options);
  const progress = progressOf(plan.counts.create + plan.counts.update);
  const onRow = (done: boolean) => progress.tick(done);
  let jobs = jobsOf(plan.steps());
  let resend = options.resendAbsent;
  const failures: FailureCounts = { unknown: 0, unknownInARow: 0, notSentInARow: 0 };
  try {
    for (let round = 1; ; round += 1) {
      const applied = await sendJobs(jobs, {
        ...options,
        shape: options,
        client,
        host,
        journal,
        pace,
        failures,
        rows: entries.length,
        onRow,
      });
      const { stopped, notSent } = applied;
      // A change may be sent again whatever became of it; only what may have been created has to be looked up.
      const unchanged = (round > changesAgain ? [] : applied.unknown)
        .filter(({ step }) => journal.rows.get(step.row)?.step === 'update')
        .map(({ step }) => step);
      const unknown = unknownOf(applied, journal);
      if (stopped && endsAll.has(stopped.code)) return stopped;
      if (unknown.length === 0 && (stopped || notSent.length + unchanged.length === 0)) return stopped;
      const wait = waitBefore(unknown, options.settle, applied.longestWait);
      if (unknown.length > 0) say(settlingMessage(unknown.length, wait));
      const settled = unknown.length > 0 ? await settle(unknown, { ...listing, journal, wait }) : undefined;
      if (stopped) return stopped.code === 'outcome_unknown' && journal.rows.counts().unknown === 0 ? clearedUp(stopped) : stopped;
      const limited = new Set(applied.limited.map(({ row }) => row));
      const lost = (settled?.absent ?? []).filter((row) => !limited.has(row));
      if (lost.length > 0 && !resend) resend = await askResend(lost.length);
      // Found to be created after all: what has to follow follows.
      const partial = unknown.map(({ row }) => row).filter((row) => isPartial(journal.rows.get(row)));
      const again = new Set([...limited, ...partial, ...[...notSent, ...unchanged].map(({ row }) => row), ...(resend ? lost : [])]);
      if (again.size === 0) return undefined;
      if (round === roundsAtMost)
        return new CliError('unavailable', sentence`${count(again.size, 'row')} could not be sent in ${round} rounds.`);
      const steps = stepsFor(settled?.presence ?? plan.presence, entries, { ...options, resendAbsent: true }, journal.rows);
      jobs = jobsOf(filter(steps, ({ row }) => again.has(row)));
    }
  } finally {
    progress.end();
  }
}

/** A late request has to have arrived before a listing proves anything; what the service has confirmed has arrived. */
function waitBefore(unknown: readonly UnknownRow[], settle: number, longestWait: number): number {
  if (unknown.some(({ limited, confirmed }) => !limited && !confirmed)) return settle;
  return unknown.some(({ limited }) => limited) ? longestWait : 0;
}

/** What stopped the run is known by now, and the run stays stopped: a service that answers like that is no place to send more. */
function clearedUp({ message }: CliError): CliError {
  return new CliError('partly_done', sentence`${message} This stopped the run; a listing has since shown the outcome of each.`);
}

function* jobsOf(steps: Iterable<ImportStep>): Generator<SendJob> {
  for (const step of steps) if (step.action === 'create' || step.action === 'update') yield step;
}

function* filter<T>(items: Iterable<T>, keep: (item: T) => boolean): Generator<T> {
  for (const item of items) if (keep(item)) yield item;
}

/** There, and its PATCH is still to come. */
function isPartial(state: RowState | undefined): boolean {
  return state !== undefined && stateOf(state) === 'partial';
}

function unknownOf({ unknown, limited, taken }: SentJobs, journal: Journal): UnknownRow[] {
  const created = unknown.filter(({ step }) => journal.rows.get(step.row)?.step === 'create');
  return [
    ...created.map(({ step: { row, email }, confirmed }) => ({ row, email, confirmed })),
    ...limited.map(({ row, email }) => ({ row, email, limited: true })),
    ...taken.map(({ step: { row, email }, error }) => ({
      row,
      email,
      taken: { code: String(error.status ?? error.code), reason: error.message },
    })),
  ];
}

/** A student who was not there then may have come since. */
const lookedUp: ReadonlySet<RowState['status']> = new Set(['intended', 'unknown', 'absent']);

/** What an earlier part of the run left unknown is looked up before anything else. */
async function settleEarlier(job: Import, journal: Journal) {
  const unknown: UnknownRow[] = [];
  for (const { row, email } of job.entries) {
    const state = journal.rows.get(row);
    if (state?.step === 'create' && lookedUp.has(state.status)) unknown.push({ row, email, confirmed: state.code === confirmed });
  }
  if (unknown.length === 0) return;
  const wait = waitBefore(unknown, job.options.settle, 0);
  job.say(settlingMessage(unknown.length, wait, ' of the interrupted run'));
  await settle(unknown, { ...listingOf(job), imported: addresses(job.entries, job.options), journal, wait });
}
