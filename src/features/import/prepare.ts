/**
 * The first step of an import: the checked plan, as data. Nothing is sent; a dry run shows the plan, the
 * import shows it, asks and executes it. What an earlier part of the run left unknown is settled first.
 */
import { examShown } from '../../api/in-words.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import type { JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import { earlierStudents } from './earlier-runs.ts';
import { type ImportJob, listingOf } from './import-job.ts';
import type { Journal } from './journal/journal.ts';
import { settledLater } from './journal/records.ts';
import type { RowState } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { planRemovals, type Removals } from './remove-missing.ts';
import type { ImportTarget } from './resume.ts';
import { addresses, type ImportPlan, planFor } from './roster-plan.ts';
import { settle, settlingMessage, type UnknownRow, waitBefore } from './settle.ts';
import { listWhole } from './whole-listing.ts';

/** Everything that is shown before the question, and that `executeImport` needs. */
export type PreparedImport = {
  /** As the service shows it; undefined if it cannot be read. */
  exam: JsonObject | undefined;
  plan: ImportPlan;
  /** Whether the plan sends rows again that are provably missing. */
  resendAbsent: boolean;
  /** What `--remove-missing` would delete; undefined without it, and while invalid rows may be any student. */
  removals: Removals | undefined;
};

/** What an unfinished run has done. `journal`: to be resumed; undefined in a dry run, which writes nothing. */
type EarlierPart = { rows: Rows; journal?: Journal };

/** Throws `bad_answer` where the listing is incomplete, or does not tell students apart. */
export async function prepareImport(
  job: ImportJob,
  { folder, identity: { input } }: ImportTarget,
  earlier: EarlierPart | undefined,
): Promise<PreparedImport> {
  const { client, entries, options } = job;
  const exam = await examShown(client, options.exam);
  const journal = earlier?.journal;
  if (journal) await settleEarlier(job, journal);
  const { presence, gone } = await listWhole(listingOf(job), journal?.rows, (presence) =>
    earlierStudents(folder, { client, exam: options.exam, input, entries, presence }),
  );
  for (const row of gone) journal?.outcome({ row, outcome: 'missing' });
  const plan = planFor(presence, entries, options, earlier?.rows);
  refuseStrangers(plan, job, earlier?.rows);
  return { exam, plan, resendAbsent: options.resendAbsent, removals: removalsOf(job, plan) };
}

/** The same import, which sends rows again that are provably missing. */
export function withResend(prepared: PreparedImport, { entries, options }: ImportJob, rows: Rows | undefined): PreparedImport {
  const plan = planFor(prepared.plan.presence, entries, { ...options, resendAbsent: true }, rows);
  return { ...prepared, plan, resendAbsent: true };
}

function removalsOf({ options, aside }: ImportJob, plan: ImportPlan): Removals | undefined {
  if (!options.removeMissing || aside.invalid > 0) return undefined;
  return planRemovals(plan, options.exam, options.removeMissing);
}

/** If the service shows no addresses, a student unknown to every run may be any row of the file. */
function refuseStrangers({ presence, counts }: ImportPlan, { options }: ImportJob, rows: Rows | undefined) {
  if (presence.showsAddresses || counts.create === 0 || options.allowNoEmail) return;
  const known = new Set([...presence.earlier.values(), ...(rows ? [...rows.entries()].map(([, { session }]) => session) : [])]);
  const strangers = presence.students.filter(({ session }) => !known.has(session)).length;
  if (strangers === 0) return;
  throw new CliError(
    'bad_answer',
    sentence`The listing of exam ${options.exam} shows no address of ${count(strangers, 'student')}, so it is unknown which rows are already in the exam. Nothing was sent.`,
    { hint: 'To register every row anyway, add --allow-no-email.' },
  );
}

/** Rows that an earlier part of the run left to a listing are looked up before anything else. */
async function settleEarlier(job: ImportJob, journal: Journal) {
  const { settle: patience } = job.options;
  const unknown: UnknownRow[] = [];
  for (const entry of job.entries) if (isLeft(journal.rows.get(entry.row))) unknown.push(entry);
  if (unknown.length === 0) return;
  const wait = waitBefore(unknown, journal.rows, patience, patience);
  job.say(settlingMessage(unknown.length, wait, ' of the interrupted run'));
  await settle(unknown, { ...listingOf(job), imported: addresses(job.entries, job.options), journal, wait });
}

/** Whether a listing decides about a row. A student who was missing at the last one may have been added since. */
function isLeft(state: RowState | undefined): boolean {
  if (state?.step !== 'create') return false;
  return lookedUp.has(state.status) || (state.status === 'rejected' && state.code === settledLater.taken);
}

const lookedUp: ReadonlySet<RowState['status']> = new Set(['intended', 'unknown', 'absent']);
