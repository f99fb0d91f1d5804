/**
 * Brings a validated roster into an exam: plan, confirm, send, settle, prove, report; begun anew or
 * gone on with where an earlier run of the same command stopped.
 */
import type { Client } from '../api/client.ts';
import type { Progress } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import { count } from '../model/count.ts';
import { sentence } from '../text/sentence.ts';
import { type Applied, apply, created, type Job, type Trouble } from './apply.ts';
import type { Journal } from './journal/journal.ts';
import { type RowState, standing } from './journal/row-state.ts';
import type { Entries } from './map/entries.ts';
import { Pace } from './pace.ts';
import type { Step } from './plan.ts';
import { listStudents, type Presence } from './presence.ts';
import { type Report, reportOf } from './report.ts';
import { addresses, comparedFields, type Plan, planFor, planImport, type Scope, stepsFor } from './roster-plan.ts';
import { type Doubt, looksFor, settle } from './settle.ts';

export type ImportOptions = Scope & {
  concurrency: number;
  /** Requests a second at the most. */
  rate: number | undefined;
  /** Milliseconds to wait before a listing tells what became of a request. */
  settle: number;
};

/** What the caller does for an import: it knows files, folders and people. */
export type Importer = {
  client: Client;
  host: Host;
  /** The journal of an unfinished run of the same import, if there is one. */
  resumed: Journal | undefined;
  /** A journal for a new run of so many rows that have to be sent; called before the first request that changes anything. */
  begin(baseline: string, rows: number): Promise<Journal>;
  say(text: string): void;
  /** Asks whether to go on; throws if not. */
  confirm(plan: Plan): Promise<void>;
  /** Whether students that have not arrived are to be sent again. */
  askResend(count: number): Promise<boolean>;
  progress(total: number): Progress;
};

const roundsAtMost = 20;
/** Rounds in which a change without a clear answer is sent again. */
const changesAgain = 2;

/** Runs the import to its end, or to where it has to stop: both are in the report. Throws what is no matter of rows. */
export async function runImport(entries: Entries, importer: Importer, given: ImportOptions): Promise<Report> {
  const { client, host, resumed } = importer;
  const looking = { client, host, exam: given.exam, compared: comparedFields(given), imported: addresses(entries, given) };
  if (resumed) await settleEarlier(entries, resumed, importer, { ...looking, wait: given.settle });
  const first = await planImport(entries, client, given, resumed?.rows);
  const { absent } = first.counts;
  const options = absent > 0 && (await importer.askResend(absent)) ? { ...given, resendAbsent: true } : given;
  const plan = options === given ? first : planFor(first.presence, entries, options, resumed?.rows);
  await importer.confirm(plan);
  // What a person takes to answer is not the service's time.
  const started = host.now();
  const work = plan.counts.create + plan.counts.update;
  const report = (journal: Journal | undefined, presence: Presence | undefined, stopped: CliError | undefined) =>
    reportOf({ entries, planned: plan.presence, presence, options, journal, milliseconds: host.now() - started, stopped });
  if (work === 0 && !resumed) return report(undefined, plan.presence, undefined);

  const journal = resumed ?? (await importer.begin(plan.presence.digest(), work));
  let stopped = await send(entries, plan, journal, importer, options, looking).catch(asReason);
  stopped = (await unkept(journal.flush())) ?? stopped;
  let presence: Presence | undefined;
  try {
    if (!stopped || !endsAll.has(stopped.code)) presence = await listStudents(client, options.exam, looking.compared);
  } catch (error) {
    stopped ??= asReason(error);
  }
  const outcome = report(journal, presence, stopped);
  const failure = await unkept(journal.note(outcome.finished ? 'finished' : 'stopped'));
  return failure ? report(journal, presence, failure) : outcome;
}

/** What ends the sending is told with what became of the rows until then. */
function asReason(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** Why the journal could not be written; undefined if it was. */
function unkept(written: Promise<void>): Promise<CliError | undefined> {
  return written.then(() => undefined, asReason);
}

/** After these nothing more is asked of the service. */
const endsAll = new Set<CliError['code']>(['token_refused', 'network', 'timeout', 'interrupted', 'terminated', 'journal_failed']);

type Looking = Pick<Parameters<typeof settle>[1], 'client' | 'host' | 'exam' | 'compared' | 'imported'>;

/** Sends what the plan has to be sent, and again what provably has not arrived; resolves to why it stopped early. */
async function send(
  entries: Entries,
  plan: Plan,
  journal: Journal,
  importer: Importer,
  options: ImportOptions,
  looking: Looking,
): Promise<CliError | undefined> {
  const { client, host } = importer;
  const pace = new Pace(host, options);
  const progress = importer.progress(plan.counts.create + plan.counts.update);
  const onRow = (done: boolean) => progress.tick(done);
  let jobs = jobsOf(plan.steps());
  let resend = options.resendAbsent;
  const trouble: Trouble = { doubts: 0, doubtsInARow: 0, unsentInARow: 0, limitedInARow: 0 };
  try {
    for (let round = 1; ; round += 1) {
      const applied = await apply(jobs, { ...options, shape: options, client, host, journal, pace, trouble, rows: entries.length, onRow });
      const { stopped, unsent } = applied;
      // A change may be sent again whatever became of it; only what may have been created has to be looked up.
      const unchanged = (round > changesAgain ? [] : applied.doubts)
        .filter(({ step }) => journal.rows.get(step.row)?.step === 'update')
        .map(({ step }) => step);
      const doubts = doubtsOf(applied, journal);
      if (stopped && endsAll.has(stopped.code)) return stopped;
      if (doubts.length === 0 && (stopped || unsent.length + unchanged.length === 0)) return stopped;
      const wait = doubts.some(({ limited }) => !limited) ? options.settle : applied.longestWait;
      if (doubts.length > 0) importer.say(looksFor(doubts.length, wait));
      const settled = doubts.length > 0 ? await settle(doubts, { ...looking, journal, wait }) : undefined;
      if (stopped) return stopped.code === 'outcome_unknown' && journal.rows.counts().doubt === 0 ? clearedUp(stopped) : stopped;
      const limited = new Set(applied.limited.map(({ row }) => row));
      const lost = (settled?.absent ?? []).filter((row) => !limited.has(row));
      if (lost.length > 0 && !resend) resend = await importer.askResend(lost.length);
      // Found to be created after all: what has to follow follows.
      const half = doubts.map(({ row }) => row).filter((row) => isHalf(journal.rows.get(row)));
      const again = new Set([...limited, ...half, ...[...unsent, ...unchanged].map(({ row }) => row), ...(resend ? lost : [])]);
      if (again.size === 0) return undefined;
      if (round === roundsAtMost)
        return new CliError('unavailable', sentence`After ${round} rounds there is still to be sent: ${count(again.size, 'row')}.`);
      const steps = stepsFor(settled?.presence ?? plan.presence, entries, { ...options, resendAbsent: true }, journal.rows);
      jobs = jobsOf(filter(steps, ({ row }) => again.has(row)));
    }
  } finally {
    progress.end();
  }
}

/** What stopped the run is known by now, and the run stays stopped: a service that answers like that is no place to send more. */
function clearedUp({ message }: CliError): CliError {
  return new CliError('partly_done', sentence`${message} That stopped the run; a listing has told since what became of them.`);
}

function* jobsOf(steps: Iterable<Step>): Generator<Job> {
  for (const step of steps) if (step.action === 'create' || step.action === 'update') yield step;
}

function* filter<T>(items: Iterable<T>, keep: (item: T) => boolean): Generator<T> {
  for (const item of items) if (keep(item)) yield item;
}

/** There, and its PATCH is still to come. */
function isHalf(state: RowState | undefined): boolean {
  return state !== undefined && standing(state) === 'half';
}

function doubtsOf({ doubts, limited, taken }: Applied, journal: Journal): Doubt[] {
  const created = doubts.filter(({ step }) => journal.rows.get(step.row)?.step === 'create');
  return [
    ...created.map(({ step: { row, email }, created }) => ({ row, email, created })),
    ...limited.map(({ row, email }) => ({ row, email, limited: true })),
    ...taken.map(({ step: { row, email }, error }) => ({
      row,
      email,
      taken: { code: String(error.status ?? error.code), reason: error.message },
    })),
  ];
}

/** A student who was not there then may have come since. */
const lookedUp: ReadonlySet<RowState['status']> = new Set(['intended', 'ambiguous', 'absent']);

/** What an earlier part of the run left in doubt is looked up before anything else. */
async function settleEarlier(entries: Entries, journal: Journal, { say }: Importer, options: Looking & { wait: number }) {
  const doubts: Doubt[] = [];
  for (const { row, email } of entries) {
    const state = journal.rows.get(row);
    if (state?.step === 'create' && lookedUp.has(state.status)) doubts.push({ row, email, created: state.code === created });
  }
  if (doubts.length === 0) return;
  say(looksFor(doubts.length, options.wait, ' of the earlier part'));
  await settle(doubts, { ...options, journal });
}
