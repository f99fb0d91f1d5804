/**
 * What became of each line, in one word and with a reason: by the state of its step, or, where nothing had to be sent for it, by what
 * the last reading of its exam shows.
 */
import type { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import {
  completeStates,
  type LineCounts,
  type LineStateName,
  lineStateNames,
  lineStateOf,
  noLines,
  openStates,
  sumOf,
} from '../../model/line-states.ts';
import type { Entry } from '../../roster/map/entries.ts';
import type { Ended, ListedSession, Outcome, Reading } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { differenceIn, fieldsNotShown, noLongerThere, planLine, storedAs } from './line-plan.ts';
import type { ImportScope, RosterPlan } from './roster-plan.ts';

/** `row`: its number in the table, by which a rejects file finds it. */
export type LineProblem = {
  row: number;
  line: number;
  exam: string;
  email: string | null;
  state: LineStateName;
  reason: string;
  isReached: boolean;
};
/** A student stored under another spelling of the address. */
export type StoredAs = { line: number; exam: string; email: string; stored: string };

export type ExamResult = {
  id: string;
  lines: number;
  counts: LineCounts;
  /** Students of the exam that the file lacks; undefined without a reading. */
  notInFile: number | undefined;
};

export type ImportResult = {
  /** The run; undefined where nothing had to be sent. */
  run: string | undefined;
  /** All lines of the file; those that are no entries are given. */
  counts: LineCounts;
  /** The same of each exam, for the lines that are entries. */
  exams: readonly ExamResult[];
  /** Lines that differ and that --accept-different keeps so. */
  accepted: number;
  /** Lines whose student the exam shows under another address. */
  otherAddress: number;
  /** Lines whose student was created, and whose open_time is not set. */
  openTimeOpen: number;
  /** Those of them of which it is unknown whether it was set. */
  openTimeUnknown: number;
  problems: LineProblem[];
  /** Sessions that this run created for students who are in the exam more than once. */
  ownDoubles: string[];
  storedAs: StoredAs[];
  /** Whether a whole reading after the last request shows each student of the file once, as in the file. */
  verified: boolean;
  /** Why not; undefined where it is verified. */
  notVerified: Sentence | undefined;
  /** Fields of the file that the reading shows of no student, or not of all: nothing proves them. */
  notShown: string[];
  milliseconds: number;
  /** Lines that this process completed, not counting earlier ones. */
  sent: number;
  /** Whether the run is complete, so that the same command would begin a new one. */
  finished: boolean;
  /** Why the run ended before all lines had been tried. */
  stopped: CliError | undefined;
};

/** Lines of the file that are no entries. */
export type Aside = { invalid: number; left_out: number };

type Known = { state: LineStateName; reason?: string | undefined };

const provable: ReadonlySet<LineStateName> = new Set(['created', 'updated', 'unchanged']);

/** `stepOf`: the step of the line at a place; undefined where nothing had to be sent for it. */
export type ResultInput = {
  plan: RosterPlan;
  ended: Ended;
  options: ImportScope;
  aside: Aside;
  stepOf(place: number): number | undefined;
};

export function resultOf(input: ResultInput): ImportResult {
  const { plan, ended, options, aside } = input;
  const counts: LineCounts = { ...noLines(), ...aside };
  const isProven = ended.run === undefined || ended.readings.size > 0;
  const exams = plan.exams.map(({ id, reading: planned }) => {
    // Nothing was sent to an exam that the proof has not read again.
    const proven = isProven ? (ended.readings.get(id) ?? planned) : undefined;
    return { id, lines: 0, counts: noLines(), proven, reading: proven ?? planned };
  });
  const problems: LineProblem[] = [];
  const stored: StoredAs[] = [];
  const ownDoubles: string[] = [];
  const notShown = new Set<string>();
  const inFile = new Set<ListedSession>();
  /** The token may not change this exam. */
  let refused: CliError | undefined;
  let [accepted, otherAddress, openTimeOpen, openTimeUnknown, sent, place] = [0, 0, 0, 0, 0, -1];
  for (const entry of plan.entries) {
    place += 1;
    const { row, line, email = null } = entry;
    const exam = exams[entry.exam] as (typeof exams)[number];
    const { id, reading, proven } = exam;
    const step = input.stepOf(place);
    const outcome = step === undefined ? undefined : ended.book.outcome(step);
    const found = studentsIn(reading, entry, outcome?.id ?? plan.claimed.get(place)?.id);
    for (const student of found) inFile.add(student);
    const known = stateOf(input, { entry, place, outcome, found, proven });
    const { state } = known;
    if (outcome?.error?.code === 'token_refused') refused ??= outcome.error;
    counts[state] += 1;
    exam.lines += 1;
    exam.counts[state] += 1;
    const open = state === 'created' && step !== undefined ? openTime(input, step) : undefined;
    if (open) openTimeOpen += 1;
    if (open && step !== undefined && ['unknown', 'sending'].includes(ended.book.state(step + 1))) openTimeUnknown += 1;
    if (outcome?.sentNow && (state === 'created' || state === 'updated')) sent += 1;
    const reason = known.reason ?? open;
    // Neither what an update of this run failed to set, nor a session that may be another person's by now.
    const isAccepted = state === 'different' && options.acceptDifferent && outcome?.code === undefined && !plan.renamed.has(place);
    if (isAccepted) accepted += 1;
    if (state === 'different' && plan.renamed.has(place)) otherAddress += 1;
    if (reason !== undefined && !isAccepted)
      problems.push({ row, line, exam: id, email, state, reason, isReached: state !== 'not_sent' || isClaimed(outcome) });
    if (state === 'duplicate') for (const each of found) if (each.id !== undefined && isOwn(ended, each.id)) ownDoubles.push(each.id);
    const [student] = found;
    if (!student || !provable.has(state)) continue;
    for (const field of fieldsNotShown(entry, student, options)) notShown.add(field);
    const spelling = storedAs(entry.email, student) ?? (outcome?.ours ? outcome.stored : undefined);
    if (spelling !== undefined && email !== null) stored.push({ line, exam: id, email, stored: spelling });
  }
  const left = sumOf(counts, openStates) + openTimeOpen > 0;
  const notVerified = whyNotVerified({ counts, accepted, openTimeOpen, isProven, stopped: ended.stopped });
  return {
    run: ended.run,
    counts,
    exams: exams.map(({ proven, reading: _, ...exam }) => ({
      ...exam,
      notInFile: proven?.sessions.filter((session) => !inFile.has(session)).length,
    })),
    accepted,
    otherAddress,
    openTimeOpen,
    openTimeUnknown,
    problems,
    ownDoubles,
    storedAs: stored,
    notShown: [...notShown].sort(),
    verified: notVerified === undefined,
    notVerified,
    milliseconds: ended.milliseconds,
    sent,
    finished: !ended.book.isOpen && !ended.stopped,
    // Once settled, an unclear answer has stopped nothing if there was nothing more to send.
    stopped: left || ended.book.isOpen ? (ended.stopped ?? refused) : onlyUnclear(ended.stopped, isProven),
  };
}

type Verdict = Pick<ImportResult, 'counts' | 'accepted' | 'openTimeOpen' | 'stopped'> & { isProven: boolean };

/** What keeps an import from being verified; undefined where the reading shows each student of the file once, as in the file. */
function whyNotVerified({ counts, accepted, openTimeOpen, isProven, stopped }: Verdict): Sentence | undefined {
  if (!isProven) return stopped ? stopped.message : sentence`the exam was not read after the last request`;
  const incomplete = lineStateNames.flatMap((name): [string, number][] => {
    const number = completeStates.includes(name) ? 0 : counts[name] - (name === 'different' ? accepted : 0);
    return number > 0 ? [[name.replaceAll('_', ' '), number]] : [];
  });
  const parts = [
    ...incomplete.map(([name, number]) => `${count(number, 'line')} ${name}`),
    ...(openTimeOpen > 0 ? [`${count(openTimeOpen, 'line')} without open_time`] : []),
  ];
  if (parts.length === 0) return undefined;
  return sentence`${parts.join(', ')}${sumOf(counts, completeStates) > 0 ? '; the other students are verified' : ''}`;
}

function onlyUnclear(stopped: CliError | undefined, isProven: boolean): CliError | undefined {
  return isProven && stopped && ['outcome_unknown', 'network', 'timeout', 'unavailable'].includes(stopped.code) ? undefined : stopped;
}

function isOwn({ book }: Ended, id: string): boolean {
  const by = book.withId(id);
  return by !== undefined && book.isOurs(by);
}

function studentsIn(reading: Reading, { email }: Entry, session: string | undefined): readonly ListedSession[] {
  const own = session === undefined ? undefined : reading.withId(session);
  const found = email === undefined ? [] : reading.withAddress(email);
  return own && !found.includes(own) ? [own, ...found] : found;
}

type Seen = { entry: Entry; place: number; outcome: Outcome | undefined; found: readonly ListedSession[]; proven: Reading | undefined };

function stateOf(input: ResultInput, seen: Seen): Known {
  const { entry, place, outcome, found, proven } = seen;
  const { plan, options } = input;
  if (!outcome) {
    const before = plan.planOf(place, entry);
    if (before.action === 'left_out') return { state: before.action };
    if (before.action === 'create' || before.action === 'update') return { state: 'not_sent', reason: 'the run had stopped' };
    return proven ? byReading(entry, found, options, plan.renamed.has(place)) : { state: before.action, reason: before.why };
  }
  const { state, error, ours, step } = outcome;
  const updates = step.operation.writes?.writing === 'update';
  // There already: what the line says decides, not what would have been sent. Without an ID it was answered with another line's session.
  if (proven && (state === 'there' || (state === 'different' && !ours && outcome.id !== undefined)))
    return byReading(entry, found, options, plan.renamed.has(place));
  if (updates && state === 'done') {
    if (!proven) return { state: 'updated' };
    const now = byReading(entry, found, options, plan.renamed.has(place));
    return ours && now.state === 'unchanged' ? { state: 'updated' } : now;
  }
  const word = lineStateOf(updates ? 'updates' : 'creates', state);
  if (word === 'created') return { state: word };
  return { state: word, reason: reasonOf(word, error) };
}

function byReading(entry: Entry, found: readonly ListedSession[], options: ImportScope, renamed: boolean): Known {
  if (found.length === 0) return { state: 'changed', reason: noLongerThere };
  const { action, changes = [], why } = planLine(entry, found, options, renamed);
  if (action === 'duplicate' || action === 'unchanged') return { state: action, reason: why };
  return { state: 'different', reason: differenceIn(changes, options) };
}

/** Another run has the student: what goes on is to be done there. */
function isClaimed(outcome: Outcome | undefined): boolean {
  return outcome?.error?.code === 'already_running';
}

function reasonOf(state: LineStateName, error: CliError | undefined): string {
  const said = error?.message;
  switch (state) {
    case 'not_sent':
      return `${said ?? 'the run had stopped'}${error?.code === 'already_running' ? ` ${error.hint}` : ''}`;
    case 'unknown':
      return said ?? 'it may have been created';
    case 'absent':
      return 'may have been sent, and is not in the exam; --resend-absent sends the line again';
    default:
      return said ?? lineWords[state] ?? state;
  }
}

const lineWords: Partial<Record<LineStateName, string>> = {
  rejected: 'the service rejected it',
  different: 'a field differs from the line',
  duplicate: 'the exam has several students with this address',
  changed: noLongerThere,
};

/** Why the open_time of a created student is not set. */
function openTime({ ended }: ResultInput, step: number): string | undefined {
  const next = ended.book.steps.at(step + 1);
  if (next?.made?.by !== step) return undefined;
  const { state, error } = ended.book.outcome(step + 1) ?? {};
  if (state === 'done' || state === 'there') return undefined;
  return `created, but open_time is not set${state === 'rejected' ? `: the service refused it: ${error?.message ?? ''}` : error ? `: ${error.message}` : ''}`;
}
