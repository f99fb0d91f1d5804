/**
 * What became of every row, and the proof: a listing after the last request, in which each student of
 * the file has to stand once, with the fields that were sent. Each row is in exactly one state.
 */
import { CliError } from '../errors.ts';
import { count } from '../model/count.ts';
import { sentence } from '../text/sentence.ts';
import type { Journal } from './journal/journal.ts';
import { type RowState, standing } from './journal/row-state.ts';
import type { Entries } from './map/entries.ts';
import { changesOf, mayHaveLeft, type PlanOptions, planRow } from './plan.ts';
import type { Presence } from './presence.ts';
import { studentsBeside } from './roster-plan.ts';
import { inShard, type Shard } from './shard.ts';
import { howToCorrect } from './tell.ts';

/**
 * `different`: there, and not as in the file, and no update was asked for. `incomplete`: created, and
 * open_time is not set. `absent`: perhaps sent, and proven not to be there. `unknown`: nobody knows.
 * `missing`, `duplicate`, `altered`: what the proof found of rows that were thought to be done.
 */
export const rowStates = [
  'created',
  'updated',
  'unchanged',
  'different',
  'conflict',
  'rejected',
  'incomplete',
  'absent',
  'unsent',
  'unknown',
  'missing',
  'duplicate',
  'altered',
] as const;
export type RowReport = (typeof rowStates)[number];

export type RowProblem = { row: number; line: number; email: string | null; state: RowReport; reason: string };

export type Report = {
  /** Of the run; undefined where nothing had to be sent. */
  run: string | undefined;
  counts: Record<RowReport, number>;
  problems: RowProblem[];
  /** Whether a listing after the last request proves every row: each student is there once, as in the file. */
  verified: boolean;
  /** Students of the exam that the file lacks; undefined without a listing. */
  notInFile: number | undefined;
  milliseconds: number;
  /** Nothing is left that running the command again would go on with. */
  finished: boolean;
  /** Why the run ended before all rows had been tried. */
  stopped: CliError | undefined;
};

type Outcome = {
  entries: Entries;
  /** The exam's students before the first request. */
  planned: Presence;
  /** The exam's students after the last one. */
  presence: Presence | undefined;
  options: PlanOptions & { shard: Shard | undefined };
  journal: Journal | undefined;
  milliseconds: number;
  stopped: CliError | undefined;
};

const resumable: readonly RowReport[] = ['incomplete', 'absent', 'unsent', 'unknown'];
const provable: ReadonlySet<RowReport> = new Set(['created', 'updated', 'unchanged']);

export function reportOf({ entries, planned, presence, options, journal, milliseconds, stopped: why }: Outcome): Report {
  const counts = Object.fromEntries(rowStates.map((state) => [state, 0])) as Record<RowReport, number>;
  const problems: RowProblem[] = [];
  for (const entry of entries) {
    if (!inShard(entry, options.shard)) continue;
    const before = journal?.rows.get(entry.row);
    // Of a student who never left, the listings know more than the journal.
    const unsent = before?.step === 'create' && before.status === 'unsent';
    let [state, reason] =
      before && !unsent
        ? knownState(before)
        : plannedState(planRow(entry, (before && presence) ?? planned, undefined, options), before?.reason);
    const { email } = entry;
    if (presence && provable.has(state)) {
      const [student, ...more] = email === undefined ? [presence.withSession(before?.session ?? '')] : presence.withEmail(email);
      if (!student) [state, reason] = ['missing', 'the last listing of the exam does not show this student'];
      else if (more.length > 0) [state, reason] = ['duplicate', `the exam has ${more.length + 1} students with this address`];
      else if (before) {
        const [change] = changesOf(entry, student, options);
        if (change) [state, reason] = ['altered', `${change.field} is ${JSON.stringify(change.from)}, not ${JSON.stringify(change.to)}`];
      }
    }
    counts[state] += 1;
    if (reason !== undefined) problems.push({ row: entry.row, line: entry.line, email: email ?? null, state, reason });
  }
  const left = resumable.some((state) => counts[state] > 0);
  // A doubt that is cleared up has stopped nothing where nothing more was to be sent.
  const stopped = why?.code === 'partly_done' && presence && !left ? undefined : why;
  const finished = !stopped && !left;
  const notInFile = presence && studentsBeside(entries, presence).length;
  const verified = presence !== undefined && rowStates.every((state) => counts[state] === 0 || provable.has(state));
  return { run: journal?.header.run, counts, problems, verified, notInFile, milliseconds, finished, stopped };
}

const refusedForGood = 'if it is wrong, correct it and import the file with --start-over --update';

type Known = [state: RowReport, reason?: string];

/** What the journal knows of a row. */
function knownState(state: RowState): Known {
  const { step, ours, reason = 'the service gave no reason' } = state;
  switch (standing(state)) {
    case 'done':
    case 'deleted':
      return [step === 'create' || ours ? 'created' : 'updated'];
    case 'exists':
      return ['unchanged'];
    case 'half':
      return ['incomplete', 'created, but open_time is not set yet'];
    case 'rejected':
      return step === 'update' && ours
        ? ['incomplete', `created, but open_time was refused: ${reason}; ${refusedForGood}`]
        : ['rejected', reason];
    case 'unsent':
      return ours ? ['incomplete', `created, but open_time is not set yet: ${reason}`] : ['unsent', `not sent: ${reason}`];
    case 'absent':
      return ['absent', `${mayHaveLeft}: --resend-absent sends it`];
    case 'duplicate':
      return ['duplicate', 'the exam has several students with this address'];
    case 'doubt':
      return ['unknown', `it may or may not have happened: ${reason}`];
  }
}

/** What becomes of a row of which no request ever left. */
function plannedState(step: ReturnType<typeof planRow>, reason = 'the run stopped before'): Known {
  switch (step.action) {
    case 'unchanged':
      return ['unchanged'];
    case 'different':
      return ['different'];
    case 'conflict':
      return ['conflict', step.why];
    default:
      return ['unsent', `not sent: ${reason}`];
  }
}

const failed: readonly RowReport[] = ['conflict', 'rejected', 'incomplete', 'absent', 'unsent', 'missing', 'duplicate', 'altered'];

/** The error with which a run ends that did not bring every row where it belongs; undefined for one that did. `rejects`: where these are. */
export function failureOf({ counts, stopped, run, finished }: Report, rejects?: string): CliError | undefined {
  const bad = failed.reduce((sum, state) => sum + counts[state], 0);
  const resend = counts.absent > 0 ? '; with --resend-absent it also sends what the exam does not show' : '';
  const again = run !== undefined && !finished ? sentence`Run the same command again: it goes on where it stopped${resend}.` : undefined;
  const hint = again === undefined ? {} : { hint: again };
  if (stopped && (stopped.code === 'interrupted' || stopped.code === 'terminated')) {
    return new CliError(
      stopped.code,
      sentence`${stopped.message} ${count(counts.created + counts.updated, 'row')} done, ${bad} not, ${counts.unknown} unknown.`,
      hint,
    );
  }
  if (counts.unknown > 0) {
    return new CliError(
      'outcome_unknown',
      sentence`Of ${count(counts.unknown, 'row')} nobody knows whether ${counts.unknown === 1 ? 'it' : 'they'} happened.${stopped ? ` ${stopped.message}` : ''}`,
      {
        hint: again ?? 'Look at the exam before you run the command again.',
      },
    );
  }
  if (stopped) {
    const { code, message, status } = stopped;
    const told = sentence`${message} ${count(counts.created + counts.updated, 'row')} done, ${bad} not.`;
    // What to do about a disk is more than to run the command again.
    return new CliError(code, told, {
      ...(code === 'journal_failed' ? {} : hint),
      ...(status === undefined ? {} : { status }),
    });
  }
  if (bad === 0) return undefined;
  return new CliError('partly_done', sentence`${count(bad, 'row')} failed.`, {
    hint: again ?? howToCorrect(rejects),
  });
}
