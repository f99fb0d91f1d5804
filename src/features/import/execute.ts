/**
 * The last step of an import: sends the plan's requests, settles unknown outcomes, proves the
 * result by a listing, and yields it. Its only question is whether to send lost rows again.
 */
import type { Progress } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { sentence } from '../../text/sentence.ts';
import { type ImportJob, listingOf } from './import-job.ts';
import type { Journal } from './journal/journal.ts';
import { type RowState, stateOf } from './journal/row-state.ts';
import type { ImportStep } from './plan.ts';
import type { PreparedImport } from './prepare.ts';
import type { Presence } from './presence.ts';
import { type ImportResult, recordFindings, resultOf } from './proof.ts';
import { addresses, type ImportPlan, stepsFor } from './roster-plan.ts';
import { type FailureCounts, type SendJob, sendJobs } from './send-jobs.ts';
import { settle, settlingMessage, waitBefore } from './settle.ts';
import { listWhole } from './whole-listing.ts';

const roundsAtMost = 20;
/** Rounds in which a change with an unknown outcome is sent again. */
const changesAgain = 2;

/** Whether students that have not arrived are sent again. */
type AskResend = (count: number) => Promise<boolean>;

type ExecuteOptions = {
  /** Of the run; undefined where nothing has to be sent. */
  journal: Journal | undefined;
  progress(total: number): Progress;
  askResend: AskResend;
};

/** Sends, settles and proves. Throws only what does not concern rows. */
export async function executeImport(
  job: ImportJob,
  { plan, resendAbsent }: PreparedImport,
  { journal, progress, askResend }: ExecuteOptions,
): Promise<ImportResult> {
  const { entries, aside, host } = job;
  const options = { ...job.options, resendAbsent };
  const started = host.now();
  const result = (presence: Presence | undefined, { sent, stopped }: SendEnd, milliseconds = host.now() - started) =>
    resultOf({ entries, aside, planned: plan.presence, presence, options, journal, milliseconds, sent, stopped });
  if (!journal) return result(plan.presence, { sent: 0, stopped: undefined }, 0);

  const { create: _create, update: _update, ...states } = plan.counts;
  const untouched = untouchedBy(plan, journal, { ...states, ...aside });
  const unnoted = await unwritten(journal.note('planned', { untouched }));
  const sending = unnoted
    ? { sent: 0, stopped: unnoted }
    : await send({ ...job, options }, plan, { journal, progress: progress(plan.counts.create + plan.counts.update), askResend });
  let stopped = (await unwritten(journal.flush())) ?? sending.stopped;
  let presence: Presence | undefined;
  try {
    if (!stopped || !endsAll.has(stopped.code)) presence = await proveWhole(job, plan, journal);
  } catch (error) {
    stopped ??= asReason(error);
  }
  const outcome = result(presence, { ...sending, stopped });
  const failure = await unwritten(close(outcome, journal));
  return failure ? result(presence, { ...sending, stopped: failure }) : outcome;
}

async function close(outcome: ImportResult, journal: Journal) {
  recordFindings(outcome, journal);
  const { finished, untouched, shown } = outcome;
  await journal.note(finished ? 'finished' : 'stopped', { untouched, ...(shown ? { shown } : {}) });
}

/** The states of the rows that the plan skips and the journal does not record. */
function untouchedBy(plan: ImportPlan, journal: Journal, states: Record<string, number>) {
  const counts = { ...states };
  for (const step of plan.steps()) {
    if (journal.rows.get(step.row) && step.action !== 'create' && step.action !== 'update')
      counts[step.action] = (counts[step.action] ?? 0) - 1;
  }
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));
}

/** The exam after the last request. */
async function proveWhole(job: ImportJob, plan: ImportPlan, journal: Journal): Promise<Presence> {
  const { presence, gone } = await listWhole({ ...listingOf(job, plan.presence), planned: plan.presence }, journal.rows);
  for (const row of gone) journal.outcome({ row, outcome: 'missing' });
  return presence;
}

/** The error that stopped the run is shown with the outcome of every row so far. */
function asReason(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** The journal's write error; undefined if it was written. */
function unwritten(written: Promise<void>): Promise<CliError | undefined> {
  return written.then(() => undefined, asReason);
}

/** After these the service gets no further request. */
const endsAll = new Set<CliError['code']>([
  'token_refused',
  'network',
  'timeout',
  'interrupted',
  'terminated',
  'journal_failed',
  'bad_answer',
]);

/** `sent`: rows that were completed; `stopped`: why not all of them were tried. */
type SendEnd = { sent: number; stopped: CliError | undefined };

type SendOptions = { journal: Journal; progress: Progress; askResend: AskResend };

async function send(job: ImportJob, plan: ImportPlan, { journal, progress, askResend }: SendOptions): Promise<SendEnd> {
  let sent = 0;
  const onRow = (done: boolean, bySending = done) => {
    if (bySending) sent += 1;
    progress.tick(done);
  };
  try {
    const stopped = await sendInRounds(job, plan, { journal, onRow, askResend }).catch(asReason);
    return { sent, stopped };
  } finally {
    progress.end();
  }
}

type RoundOptions = Omit<SendOptions, 'progress'> & { onRow(done: boolean, bySending?: boolean): void };

/** Sends the plan's requests, and resends what provably has not arrived; resolves to why it stopped early. */
async function sendInRounds(job: ImportJob, plan: ImportPlan, { journal, onRow, askResend }: RoundOptions): Promise<CliError | undefined> {
  const { client, host, options, entries, say } = job;
  const listing = { ...listingOf(job, plan.presence), before: plan.presence, imported: addresses(entries, options) };
  let jobs = jobsOf(plan.steps());
  let before = plan.presence;
  let resend = options.resendAbsent;
  const failures: FailureCounts = { unknown: 0, unknownInARow: 0, notSentInARow: 0, begun: 0, countedUpTo: 0 };
  for (let round = 1; ; round += 1) {
    const applied = await sendJobs(jobs, {
      exam: options.exam,
      shape: options,
      client,
      host,
      journal,
      failures,
      rows: entries.length,
      before,
      onRow,
    });
    const { stopped, notSent } = applied;
    // A change may be sent again whatever its outcome; only a possible create has to be looked up.
    const isCreate = ({ row }: SendJob) => journal.rows.get(row)?.step === 'create';
    const created = applied.unknown.filter(isCreate);
    const unchanged = round > changesAgain ? [] : applied.unknown.filter((job) => !isCreate(job));
    if (stopped && endsAll.has(stopped.code)) return stopped;
    if (created.length === 0 && (stopped || notSent.length + unchanged.length === 0)) return stopped;
    const wait = waitBefore(created, journal.rows, options.settle, applied.longestWait);
    if (created.length > 0) say(settlingMessage(created.length, wait));
    const settled = created.length > 0 ? await settle(created, { ...listing, journal, wait }) : undefined;
    countSettled(created, journal, onRow);
    if (stopped) return stopped.code === 'outcome_unknown' && journal.rows.counts().unknown === 0 ? clearedUp(stopped) : stopped;
    const lost = settled?.absent ?? [];
    if (lost.length > 0 && !resend) resend = await askResend(lost.length);
    const unfinished = created.filter(({ row }) => isUnfinished(journal.rows.get(row)));
    const again = new Set([...[...unfinished, ...notSent, ...unchanged].map(({ row }) => row), ...(resend ? lost : [])]);
    if (again.size === 0) return undefined;
    if (round === roundsAtMost)
      return new CliError('unavailable', sentence`${count(again.size, 'row')} could not be sent in ${round} rounds.`);
    before = settled?.presence ?? before;
    const steps = stepsFor(before, entries, { ...options, resendAbsent: true }, journal.rows);
    jobs = jobsOf(filter(steps, ({ row }) => again.has(row)));
    host.log?.({ event: 'resend', requests: again.size, reason: 'not_done', status: null });
  }
}

/** Rows that a listing has brought to an end, for the progress; the others stay open, or are sent again. */
function countSettled(settled: readonly SendJob[], journal: Journal, onRow: RoundOptions['onRow']) {
  for (const { row } of settled) {
    const state = journal.rows.get(row);
    const name = state && stateOf(state);
    if (name === 'created' || name === 'unchanged') onRow(true, name === 'created');
    else if (name === 'rejected' || name === 'duplicate') onRow(false);
  }
}

/** The outcomes are known by now, but the run stays stopped: such a service should get no further requests. */
function clearedUp({ message }: CliError): CliError {
  return new CliError('partly_done', sentence`${message} This stopped the run; a listing has since shown the outcome of each.`);
}

function* jobsOf(steps: Iterable<ImportStep>): Generator<SendJob> {
  for (const step of steps) if (step.action === 'create' || step.action === 'update') yield step;
}

function* filter<T>(items: Iterable<T>, keep: (item: T) => boolean): Generator<T> {
  for (const item of items) if (keep(item)) yield item;
}

/** Creates that turned out to be half done, their PATCH follows; and those that were refused for too many requests. */
function isUnfinished(state: RowState | undefined): boolean {
  const name = state && stateOf(state);
  return name === 'partial' || name === 'not_sent';
}
