/**
 * The first step of an import: the checked plan, as data. Nothing is sent; a dry run shows the plan, the
 * import shows it, asks and executes it. What an earlier part of the run left unknown is settled first.
 */
import { examShown } from '../../api/in-words.ts';
import { CliError } from '../../errors.ts';
import { mayHide } from '../../model/address-key.ts';
import { count, students } from '../../model/count.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { earlierStudents, type PossibleRows } from './earlier-runs.ts';
import { possibleStudents } from './hidden-students.ts';
import { type ImportJob, listingOf } from './import-job.ts';
import type { Journal } from './journal/journal.ts';
import { settledLater } from './journal/records.ts';
import type { RowState } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import { settlingByHand } from './messages.ts';
import type { ImportStep } from './plan.ts';
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

/**
 * Throws `bad_answer` where the listing is incomplete, or does not tell students apart; `outcome_unknown` where an earlier run
 * may have registered students that it hides.
 */
export async function prepareImport(
  job: ImportJob,
  { folder, identity: { input } }: ImportTarget,
  earlier: EarlierPart | undefined,
): Promise<PreparedImport> {
  const { client, entries, options } = job;
  const exam = await examShown(client, options.exam);
  const journal = earlier?.journal;
  if (journal) await settleEarlier(job, journal);
  let possible: PossibleRows = new Map();
  const { presence, gone } = await listWhole(listingOf(job), journal?.rows, async (presence) => {
    const found = await earlierStudents(folder, { client, exam: options.exam, input, entries, presence });
    ({ possible } = found);
    return found;
  });
  for (const row of gone) journal?.outcome({ row, outcome: 'missing' });
  const plan = planFor(presence, entries, options, earlier?.rows);
  refusePossible(plan, job, possible);
  refuseStrangers(plan, job, journal?.header.run);
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

/** A student whose address the service hides may be any row of the file; so may one without, if it shows no address at all. */
function refuseStrangers({ presence, counts, notInFile, steps }: ImportPlan, { options }: ImportJob, run: string | undefined) {
  if (counts.create === 0 || options.allowNoEmail) return;
  const created = [...steps()].flatMap(({ action, email }) => (action === 'create' ? [email] : []));
  const strangers = notInFile.filter(({ email, mask }) => {
    if (email !== undefined) return false;
    return mask === undefined ? !presence.showsAddresses : created.some((row) => row === undefined || mayHide(mask, row));
  });
  if (strangers.length === 0) return;
  throw new CliError(
    'bad_answer',
    sentence`The listing of exam ${options.exam} shows no address of ${students(strangers.length)}, so it is unknown which rows are already in the exam. Nothing was sent.`,
    { hint: howToPass(steps(), run) },
  );
}

/** `run`: the resumed one, whose options cannot change. */
function howToPass(steps: Iterable<ImportStep>, run: string | undefined): Sentence {
  if (run === undefined) return sentence`If no row of the file is one of these students, add --allow-no-email.`;
  for (const { action, row } of steps)
    if (action === 'unknown')
      return sentence`Check the exam, then settle each row of unknown outcome by hand: ${settlingByHand(run, row)} If no other row is one of these students, add --start-over --allow-no-email.`;
  return sentence`If no row that would be sent is one of these students, add --start-over --allow-no-email.`;
}

/** A row that an earlier run may have registered is not sent while the listing cannot tell. */
function refusePossible({ notInFile, steps }: ImportPlan, { options }: ImportJob, possible: PossibleRows) {
  if (possible.size === 0) return;
  const open = [...steps()].flatMap(({ action, row, line, email = 'no address' }) => {
    const before = action === 'create' ? possible.get(row) : undefined;
    const hidden = before ? possibleStudents(notInFile, before.others).length : 0;
    // A listing that lacks what the service has confirmed proves nothing.
    const told = before?.confirmed === true && !options.resendAbsent;
    return before && (hidden > 0 || told) ? [{ ...before, line, email, hidden }] : [];
  });
  const [first] = open;
  if (!first) return;
  const { run, row, line, email, hidden, confirmed } = first;
  const rows = sentence`${count(open.length, 'row')} (${open.length === 1 ? '' : 'the first: '}line ${line}, ${email})`;
  const these = open.length === 1 ? 'this one' : 'these';
  const why =
    hidden > 0
      ? sentence`${students(hidden)} of exam ${options.exam} may be ${these} under an address that the listing does not show`
      : sentence`the service confirmed it, but the listing of exam ${options.exam} does not show ${these}`;
  const resend = confirmed && hidden === 0 ? ' Or add --resend-absent, if the students are no longer there.' : '';
  throw new CliError('outcome_unknown', sentence`An earlier run may have registered ${rows}, and ${why}. Nothing was sent.`, {
    hint: sentence`Check the exam, then settle each row by hand: ${settlingByHand(run, row)}${resend}`,
  });
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
