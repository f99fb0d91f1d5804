/** Looks at what was sent, with longer and longer waits, until its kind has a verdict or the settle time is over. */
import { operations, studentCreates } from '../api/operations.ts';
import { atOnce, backoff } from '../api/pacer.ts';
import { readList } from '../api/reading.ts';
import { CliError, type ErrorCode, orElse, orGone } from '../errors.ts';
import { nameOf } from '../model/describe.ts';
import type { Listing, Reading } from '../model/listing.ts';
import { count, firstInLine, largest, type Sentence, sentence } from '../text/sentence.ts';
import type { ActiveRun } from './active-run.ts';
import { isLongAgo, maxSingleReads } from './engine.ts';
import type { Execution } from './execution.ts';
import { lackedBy } from './existing-records.ts';
import { claimsOn, explainedIn, judgeTwice, releaseOthers } from './steps/creation.ts';
import { needsVerifying, rulesOf } from './steps/index.ts';
import type { Looking, Observation } from './steps/rules.ts';
import { isCreate, resourceOf } from './steps/step.ts';

/** After so long, a person is told what is awaited. */
const toldAfterMs = 3_000;
const longestWaitMs = 5_000;

/** `failed`: the first failure of a read, which leaves its steps without an observation. */
type Turn = {
  run: ActiveRun;
  observations: Map<Execution, Observation>;
  failed: CliError | undefined;
  isLast(execution: Execution): boolean;
};

/** An error of a read leaves what the answers said. */
export async function verify(run: ActiveRun): Promise<void> {
  const { engine, stop } = run;
  const { host, zone, settleTimeMs } = engine;
  const left = run.executions.filter(needsVerifying);
  const began = host.elapsed();
  const overAt = (execution: Execution) => (run.since(execution) ?? began) + settleTimeMs;
  const wait = longerWaits(run);
  while (left.length > 0 && !stop.endsLooking) {
    const now = host.elapsed();
    const isLast = (execution: Execution) => now >= overAt(execution) || isLongAgo(engine, execution);
    const turn: Turn = { run, observations: new Map(), failed: undefined, isLast };
    await observe(turn, left);
    const { observations, failed } = turn;
    if (failed?.status === 401) stop.stop(failed);
    if (stop.endsLooking) return;
    for (const execution of left.splice(0)) {
      const observation = observations.get(execution);
      const options = { isLast: isLast(execution), zone, run: run.id };
      const verdict = observation && rulesOf(execution.step).verdict(execution, observation, options);
      if (verdict) run.transitionLater(execution, verdict);
      else if (!isLast(execution)) left.push(execution);
      else if (failed) run.transitionLater(execution, { is: 'unknown', error: execution.error ?? unread(failed) });
    }
    if (left.length === 0) return;
    await wait(left, largest(left.map(overAt)) - host.elapsed());
  }
}

/** Waits before the next look, for `rest` milliseconds at most; after a while a person is told what for. */
export function longerWaits({ engine, told }: ActiveRun): (left: readonly Execution[], rest: number) => Promise<void> {
  const { host, context } = engine;
  const began = host.elapsed();
  let turn = 0;
  return async (left, rest) => {
    turn += 1;
    const isLong = host.elapsed() - began >= toldAfterMs;
    if (isLong && left.some((each) => !told.has(each))) context.waits(awaited(left, rest));
    if (isLong) for (const each of left) told.add(each);
    const wait = Math.max(1, Math.min(backoff(turn), longestWaitMs, rest));
    await context.whileWaiting(() => host.sleep(wait)).catch(() => {});
  };
}

function unread({ message }: CliError): CliError {
  return new CliError('outcome_unknown', sentence`The service accepted the request, and the result could not be read: ${message}`);
}

function awaited(left: readonly Execution[], milliseconds: number): Sentence {
  const nameOfEach = ({ step, id, exam }: Execution) => (id === undefined ? exam && nameOf('exam', exam) : nameOf(resourceOf(step), id));
  const names = new Set(left.flatMap((each) => nameOfEach(each) ?? []));
  const which = names.size === 0 ? '' : ` (${firstInLine([...names], (name) => name, 3)})`;
  const seconds = Math.ceil(milliseconds / 1000);
  return sentence`The service does not show the result of ${count(left.length, 'request')}${which} yet. Looking for ${seconds} s at most.`;
}

const endsReading: ReadonlySet<ErrorCode> = new Set(['network', 'timeout', 'token_refused', 'not_logged_in']);
const alone = Symbol('alone');

async function observe(turn: Turn, left: readonly Execution[]): Promise<void> {
  const { pacer } = turn.run.engine.client;
  const reads: (() => Promise<unknown>)[] = [];
  const listOf = (execution: Execution) => {
    const list = rulesOf(execution.step).list(execution);
    return list === null ? alone : list.exam;
  };
  for (const [exam, of] of Map.groupBy(left, listOf)) {
    const isListed = exam !== alone && (of.length > maxSingleReads || of.some(({ step }) => isCreate(step)));
    if (isListed) reads.push(() => observeInList(turn, exam, of));
    else for (const execution of of) reads.push(() => observeEach(turn, [execution]));
  }
  const read = async (act: () => Promise<unknown>) => {
    if (turn.failed && endsReading.has(turn.failed.code)) return;
    await orElse(act(), (error) => {
      turn.failed ??= error;
    });
  };
  await pacer.map(reads, read, atOnce(reads.length));
}

async function observeInList(turn: Turn, exam: string | undefined, of: readonly Execution[]): Promise<void> {
  const { run } = turn;
  const byId = async (error: CliError) => {
    // A record's own GET shows it all the same.
    run.stop.stop(error);
    const known = of.filter(({ id }) => id !== undefined);
    await observeEach(turn, known);
    throw error;
  };
  // An exam that is gone has no list.
  const reading = orElse(readList(run.engine.client, exam, { anyExam: true }), byId, 'list_in_doubt');
  const read = exam === undefined ? await reading : await orGone(reading);
  if (!read) return observeEach(turn, of);
  const isLost = of.some(({ step, id }) => isCreate(step) && id === undefined);
  // What was deleted a moment ago, and is listed still, is not what a create has made.
  const list = isLost ? await run.engine.reads.refreshed(read) : read;
  if (list.exam !== undefined) judgeTwice(run, list as Reading);
  const known = isLost ? await recordedIn(run, exam) : new Set<string>();
  await observeEach(turn, of, { list, known, lacked: await lackedOf(run, list, of) });
}

async function observeEach(
  { run, observations, isLast }: Turn,
  of: readonly Execution[],
  listed: Partial<Pick<Looking, 'list' | 'known' | 'lacked'>> = {},
) {
  const { list, known = new Set(), lacked } = listed;
  const claims = claimsOn(run, of);
  releaseOthers({ run, list, claims }, of);
  const looking: Looking = { run, list, known, lacked, isLast, claims, explained: list ? explainedIn(run, list, of) : new Map() };
  const look = async (execution: Execution) => {
    observations.set(execution, await rulesOf(execution.step).observe(looking, execution));
  };
  await run.engine.client.pacer.map(of, look, atOnce(of.length));
}

/** A record that the list showed when the creates were planned, and lacks now, although its own GET shows it. */
async function lackedOf({ engine, lists }: ActiveRun, list: Listing, of: readonly Execution[]) {
  if (!of.some(({ step }) => isCreate(step))) return undefined;
  const before = lists.filter((each) => each.exam === list.exam);
  const ids = before.flatMap(({ all }) => all.flatMap(({ id }) => id ?? []));
  return lackedBy(engine, list, ids);
}

/** The IDs of what runs from here have created. */
async function recordedIn({ engine }: ActiveRun, exam: string | undefined): Promise<ReadonlySet<string>> {
  const filter = exam === undefined ? { ops: [operations.createExam.id] } : { exams: [exam], ops: studentCreates };
  const rows = await engine.record.find(engine.origin, filter);
  return new Set(rows.flatMap(({ id }) => id ?? []));
}
