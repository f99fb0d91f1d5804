/**
 * The outcome of every row, and the proof: a listing after the last request, in which each student of
 * the file has to stand once, with the fields that were sent. Each row is in exactly one state of
 * `model/row-states.ts`; what the proof found goes into the journal, so that both say the same.
 */
import type { CliError } from '../../errors.ts';
import { completeStates, noRows, openStates, type RowCounts, type RowStateName, sumOf } from '../../model/row-states.ts';
import type { Entries, Entry } from '../../roster/map/entries.ts';
import type { Journal } from './journal/journal.ts';
import type { OutcomeName } from './journal/records.ts';
import { claimOf, type RowState, stateOf } from './journal/row-state.ts';
import {
  changesOf,
  differenceIn,
  fieldsNotShown,
  noLongerThere,
  type PlanOptions,
  planRow,
  severalStudents,
  whyAbsent,
  whyMissing,
} from './plan.ts';
import { type Presence, storedAs } from './presence.ts';
import { studentsBeside } from './roster-plan.ts';
import { inShard, type Shard } from './shard.ts';

export type RowProblem = { row: number; line: number; email: string | null; state: RowStateName; reason: string };
/** A student stored under another spelling of the address. */
export type StoredAs = { row: number; line: number; email: string; stored: string };

export type ImportResult = {
  /** The run; undefined where nothing had to be sent. */
  run: string | undefined;
  /** All rows of the file; those that are no entries are given. */
  counts: RowCounts;
  problems: RowProblem[];
  storedAs: StoredAs[];
  /** Whether a complete listing after the last request shows each student of the run once, as in the file. */
  verified: boolean;
  /** Whether that listing shows the address of each student that the run created. */
  shown: boolean;
  /** Fields of the file that the listing shows of no student, or not of all: nothing proves them. */
  notShown: string[];
  /** Students of the exam that the file lacks; undefined without a listing. */
  notInFile: number | undefined;
  milliseconds: number;
  /** Rows that this process completed, not counting earlier ones. */
  sent: number;
  /** Whether the run is complete, so that the same command would start a new one. */
  finished: boolean;
  /** Why the run ended before all rows had been tried. */
  stopped: CliError | undefined;
  /** Rows whose state is another than the journal's. */
  findings: { row: number; state: RowStateName }[];
  /** The states of the rows of which the journal has no record. */
  untouched: Partial<RowCounts>;
};

/** Rows of the file that are no entries. */
export type Aside = { invalid: number; left_out: number };

type ProofInput = {
  entries: Entries;
  aside: Aside;
  /** The exam's students before the first request. */
  planned: Presence;
  /** The exam's students after the last one. */
  presence: Presence | undefined;
  options: PlanOptions & { shard: Shard | undefined; acceptDifferent: boolean };
  journal: Journal | undefined;
  milliseconds: number;
  sent: number;
  stopped: CliError | undefined;
};

const provable: ReadonlySet<RowStateName> = new Set(['created', 'updated', 'unchanged']);

export function resultOf({
  entries,
  aside,
  planned,
  presence,
  options,
  journal,
  milliseconds,
  sent,
  stopped: why,
}: ProofInput): ImportResult {
  const counts: RowCounts = { ...noRows(), ...aside };
  const untouched: RowCounts = { ...noRows(), ...aside };
  const findings: ImportResult['findings'] = [];
  const problems: RowProblem[] = [];
  const stored: StoredAs[] = [];
  const notShown = new Set<string>();
  let shown = presence !== undefined;
  for (const entry of entries) {
    const { row, line, email = null } = entry;
    if (!inShard(entry, options.shard)) {
      counts.other_shard += 1;
      untouched.other_shard += 1;
      continue;
    }
    const before = journal?.rows.get(row);
    const [state, reason] = knownState(entry, before, { planned, presence, options });
    counts[state] += 1;
    if (!before) untouched[state] += 1;
    else if (state !== stateOf(before)) findings.push({ row, state });
    if (reason !== undefined && !(state === 'different' && options.acceptDifferent)) problems.push({ row, line, email, state, reason });
    const [student] = (presence ?? planned).match(entry, before?.session);
    if (before?.ours && student && student.email === undefined) shown = false;
    const spelling = student && storedAs(entry.email, student);
    if (student && provable.has(state)) for (const field of fieldsNotShown(entry, student, options)) notShown.add(field);
    if (spelling !== undefined && email !== null && provable.has(state)) stored.push({ row, line, email, stored: spelling });
  }
  const left = sumOf(counts, openStates) > 0;
  // Once settled, an unknown outcome has stopped nothing if there was nothing more to send.
  const stopped = why?.code === 'partly_done' && presence && !left ? undefined : why;
  return {
    run: journal?.header.run,
    counts,
    problems,
    storedAs: stored,
    shown,
    notShown: [...notShown].sort(),
    verified:
      presence !== undefined &&
      sumOf(counts) === sumOf(counts, options.acceptDifferent ? [...completeStates, 'different'] : completeStates),
    notInFile: presence && studentsBeside(entries, presence, journal?.rows).length,
    milliseconds,
    sent,
    finished: !stopped && !left,
    stopped,
    findings,
    untouched: Object.fromEntries(Object.entries(untouched).filter(([, number]) => number > 0)),
  };
}

type Known = [state: RowStateName, reason?: string | undefined];
type Seen = Pick<ProofInput, 'planned' | 'presence' | 'options'>;

function knownState(entry: Entry, before: RowState | undefined, seen: Seen): Known {
  const known =
    before && !(before.step === 'create' && before.status === 'not_sent')
      ? journalState(before, seen.presence)
      : plannedState(planRow(entry, (before && seen.presence) ?? seen.planned, undefined, seen.options), before?.reason);
  return seen.presence && provable.has(known[0]) ? provenState(known[0], entry, before, seen.presence, seen.options) : known;
}

/** The state that the last listing proves for a row recorded as done. */
function provenState(state: RowStateName, entry: Entry, before: RowState | undefined, presence: Presence, options: PlanOptions): Known {
  const [student, ...more] = presence.match(entry, before?.session);
  if (!student) return ['missing', before?.session === undefined ? noLongerThere : whyMissing(before.session)];
  if (more.length > 0) return ['duplicate', severalStudents(more.length + 1)];
  const changes = changesOf(entry, student, options);
  if (changes.length === 0) return [state];
  const sent = state !== 'unchanged';
  return ['different', differenceIn(changes, { update: sent, zone: options.zone })];
}

const refusedForGood = 'if the value is wrong, correct it and import the file with --start-over --update';

/** What the journal knows of a row; where a listing follows, what was claimed before the last one. */
function journalState(state: RowState, presence: Presence | undefined): Known {
  const { reason = 'the service gave no reason', step, status } = state;
  const name = presence && status !== 'missing' ? claimOf(state) : stateOf(state);
  switch (name) {
    case 'partial':
      if (status === 'rejected') return [name, `created, but open_time was refused: ${reason}; ${refusedForGood}`];
      return [name, `created, but open_time is not set yet${status === 'not_sent' ? `: ${reason}` : ''}`];
    case 'rejected':
      return [name, reason];
    case 'not_sent':
      return [name, `not sent: ${reason}`];
    case 'absent':
      return [name, whyAbsent];
    case 'missing':
      return [name, whyMissing(state.session)];
    case 'duplicate':
      return [name, 'the exam has several students with this address'];
    case 'different':
      return [name, 'a field differs from the row'];
    case 'unknown':
      return [name, `${step === 'create' ? 'it may have been created' : 'it may have been changed'}: ${reason}`];
    default:
      return [name];
  }
}

/** The state of a row without any request. */
function plannedState(step: ReturnType<typeof planRow>, reason = 'the run had stopped'): Known {
  if (step.action === 'create' || step.action === 'update') return ['not_sent', `not sent: ${reason}`];
  return [step.action, step.why];
}

const outcomeFor: Partial<Record<RowStateName, OutcomeName>> = {
  created: 'done',
  updated: 'done',
  unchanged: 'unchanged',
  different: 'different',
  duplicate: 'duplicate',
  missing: 'missing',
};

/** Writes the results of the proof into the journal. */
export function recordFindings({ findings }: ImportResult, journal: Journal) {
  for (const { row, state } of findings) {
    const outcome = outcomeFor[state];
    if (outcome !== undefined) journal.outcome({ row, outcome });
  }
}
