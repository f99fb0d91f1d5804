/**
 * Brings a validated roster into an exam: plan, confirm, send, settle, prove, report; begun anew or
 * gone on with where an earlier run of the same command stopped.
 */
import type { Client } from '../api/client.ts';
import type { Progress } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Applied, apply, created, type Job, type Trouble } from './apply.ts';
import type { Journal } from './journal/journal.ts';
import { type RowState, standing } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import type { Entries } from './map/entries.ts';
import { Pace } from './pace.ts';
import { type Actions, noActions, type PlanOptions, planRow, type Step } from './plan.ts';
import { listStudents, type Presence, type Student } from './presence.ts';
import { type Report, reportOf } from './report.ts';
import { type Doubt, settle } from './settle.ts';
import { inShard, type Shard } from './shard.ts';
import { count } from './tell.ts';

export type ImportOptions = PlanOptions & {
  exam: string;
  concurrency: number;
  /** Requests a second at the most. */
  rate: number | undefined;
  /** Milliseconds to wait before a listing tells what became of a request. */
  settle: number;
  shard: Shard | undefined;
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

export type Plan = {
  counts: Actions;
  presence: Presence;
  /** Students of the exam that the file lacks. */
  notInFile: Student[];
  /** Row by row, made anew at each reading. */
  steps(): Iterable<Step>;
};

const roundsAtMost = 20;
/** Rounds in which a change without a clear answer is sent again. */
const changesAgain = 2;

/** Lists the exam and plans every row. `rows`: what an unfinished run has done of them. Sends nothing. */
export async function planImport(entries: Entries, client: Client, options: ImportOptions, rows: Rows | undefined): Promise<Plan> {
  return planFor(await listStudents(client, options.exam, comparedFields(options)), entries, options, rows);
}

function planFor(presence: Presence, entries: Entries, options: ImportOptions, rows: Rows | undefined): Plan {
  const steps = () => stepsFor(presence, entries, options, rows);
  const counts = noActions();
  for (const { action } of steps()) counts[action] += 1;
  return { counts, presence, notInFile: studentsBeside(entries, presence), steps };
}

/** The exam's students of whom no row of the file tells, whatever shard is imported. */
function studentsBeside(entries: Entries, presence: Presence): Student[] {
  const inFile = new Set<Student>();
  for (const { email } of entries) for (const student of email === undefined ? [] : presence.withEmail(email)) inFile.add(student);
  return presence.students.filter((student) => !inFile.has(student));
}

/** The fields of a session that the plan and the proof compare. */
function comparedFields({ dialect, extra }: ImportOptions): Set<string> {
  return new Set([dialect.sessionNameKey, 'open_time', 'close_time', 'skip_requirements', ...Object.keys(extra)]);
}

/** The addresses that are imported. */
function addresses(entries: Entries, { shard }: ImportOptions): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (const entry of entries) if (entry.email !== undefined && inShard(entry, shard)) yield entry.email;
    },
  };
}

/** What becomes of each row, if the exam has these students. */
function* stepsFor(presence: Presence, entries: Entries, options: ImportOptions, rows: Rows | undefined): Generator<Step> {
  for (const entry of entries) if (inShard(entry, options.shard)) yield planRow(entry, presence, rows, options);
}

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
      if (doubts.length > 0) importer.say(looksFor(doubts, wait));
      const settled = doubts.length > 0 ? await settle(doubts, { ...looking, journal, wait }) : undefined;
      if (stopped) return stopped.code === 'outcome_unknown' && journal.rows.counts().doubt === 0 ? clearedUp(stopped) : stopped;
      const limited = new Set(applied.limited.map(({ row }) => row));
      const lost = (settled?.absent ?? []).filter((row) => !limited.has(row));
      if (lost.length > 0 && !resend) resend = await importer.askResend(lost.length);
      // Found to be created after all: what has to follow follows.
      const half = doubts.map(({ row }) => row).filter((row) => isHalf(journal.rows.get(row)));
      const again = new Set([...limited, ...half, ...[...unsent, ...unchanged].map(({ row }) => row), ...(resend ? lost : [])]);
      if (again.size === 0) return undefined;
      if (round === roundsAtMost) return new CliError('unavailable', `After ${round} rounds, ${again.size} rows are still to be sent.`);
      const steps = stepsFor(settled?.presence ?? plan.presence, entries, { ...options, resendAbsent: true }, journal.rows);
      jobs = jobsOf(filter(steps, ({ row }) => again.has(row)));
    }
  } finally {
    progress.end();
  }
}

/** What stopped the run is known by now, and the run stays stopped: a service that answers like that is no place to send more. */
function clearedUp({ message }: CliError): CliError {
  return new CliError('partly_done', `${message} That stopped the run; a listing has told since what became of them.`);
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
  say(looksFor(doubts, options.wait, ' of the earlier part'));
  await settle(doubts, { ...options, journal });
}

function looksFor(doubts: readonly Doubt[], wait: number, which = ''): string {
  return `Looking at the exam in ${Math.ceil(wait / 1000)} s, for what became of ${count(doubts.length, 'request')}${which}.`;
}
