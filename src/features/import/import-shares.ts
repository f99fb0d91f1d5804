/**
 * An import in shares: each is a run of its own, by whatever process takes it. Shares of the same roster, exam, options and number are
 * one import; the process that ends last reports all of it, by the records of the runs and a reading made then.
 */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { stringifyJson } from '../../model/json.ts';
import { openStates, sumOf } from '../../model/line-states.ts';
import { areOthersAt, endedAsRecorded, LockHeld, leaveInTurn, runOfShare, type StudentsThere, worldOf } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { asIdOf, asideOf, importEntries, type Job, lockOf, lookFor } from './import-entries.ts';
import { identityOf, importKind } from './import-request.ts';
import { type FinishedImport, showResult } from './import-result.ts';
import { resultOf } from './line-results.ts';
import { removalOf } from './removals.ts';
import { carryOver } from './resume-lines.ts';
import { keptFields, RosterPlan } from './roster-plan.ts';
import { type Shares, shareInWords } from './shard.ts';
import { sumOfShares } from './sum-of-shares.ts';

type World = Awaited<ReturnType<typeof worldOf>>;
type Import = { context: Context; world: World; job: Job; count: number; whole: string };
/** `isLast`: all of the import is finished, and `ended` is the result of all. */
type Taken = { ended: FinishedImport; isLast: boolean; wasFinished: boolean };

export async function importShares(context: Context, job: Job, shares: Shares): Promise<Result> {
  const { request, options } = job;
  const show = (ended: FinishedImport) => showResult(context, request, ended);
  const isAny = 'anyOf' in shares;
  const count = isAny ? shares.anyOf : shares.count;
  if (context.globals.dryRun) return importEntries(context, isAny ? job : ofShare(job, shares), show);
  const world = { ...(await worldOf(context, request.settle)), keep: keptFields(options) };
  const whole = stringifyJson([...identityOf({ ...request, shard: { index: 0, count } }), job.mapping.table.digest]);
  const all: Import = { context, world, job, count, whole };
  return show(isAny ? await importAny(all) : (await importShare(all, shares.index, { wait: request.wait })).ended);
}

/** Takes the lowest share that nobody has finished and nobody is at, and then the next. */
async function importAny(all: Import): Promise<FinishedImport> {
  const { context, job, count } = all;
  const { wait } = job.request;
  const own: FinishedImport[] = [];
  const left = new Set(Array.from({ length: count }, (_, at) => at + 1));
  const take = async (index: number, options: { wait: number }): Promise<Taken> => {
    const taken = await importShare(all, index, { ...options, leavesFinished: true, reports: own.length === 0 });
    left.delete(index);
    return taken;
  };
  const next = async (): Promise<Taken | undefined> => {
    const held: LockHeld[] = [];
    for (const index of left) {
      try {
        return await take(index, { wait: 0 });
      } catch (error) {
        if (!(error instanceof LockHeld)) throw error;
        held.push(error);
      }
    }
    const [first = 0] = left;
    if (first > 0 && wait > 0) return take(first, { wait });
    for (const { message } of held.slice(0, 1)) context.say(sentence`Nothing is left here: ${message}`);
    return undefined;
  };
  try {
    for (let taken = await next(); taken; taken = await next()) {
      if (taken.isLast) return taken.ended;
      if (!taken.wasFinished) own.push(taken.ended);
      if (taken.ended.result.stopped) break;
    }
  } catch (error) {
    if (!(error instanceof CliError) || own.length === 0) throw error;
    if (!(error instanceof LockHeld)) return summed(all, own, error);
    context.say(sentence`Nothing is left here: ${error.message}`);
  }
  return summed(all, own);
}

/** `leavesFinished`: what is finished is left as it is. `reports`: the whole is reported even if all of it was finished before. */
type Taking = { wait: number; leavesFinished?: boolean; reports?: boolean };

async function importShare(all: Import, index: number, { wait, leavesFinished, reports }: Taking): Promise<Taken> {
  const { context, world, whole } = all;
  const job = ofShare(all.job, { index, count: all.count });
  const lock = lockOf(job.options.exams[0] ?? '');
  let [wasFinished, areOthersHere] = [false, false];
  let taken: Taken | undefined;
  let turn: Awaited<ReturnType<typeof leaveInTurn>> | undefined;
  const finish = async (ended: FinishedImport): Promise<Result> => {
    if (ended.result.finished) turn = await leaveInTurn(world, lock);
    // Where nothing was to be done, and nobody else was at it, the whole was reported before.
    const mayBeLast = reports || areOthersHere || (ended.result.run !== undefined && !wasFinished);
    const reported = mayBeLast && turn?.isLast ? await orWarning(context, wholeOf(all)) : undefined;
    taken = { ended: reported ?? ended, isLast: reported !== undefined, wasFinished };
    return { kind: 'nothing' };
  };
  try {
    await importEntries(context, job, finish, {
      whole,
      wait,
      async begins() {
        if (leavesFinished) context.say(sentence`Share ${shareInWords({ index, count: all.count })}:`);
        areOthersHere = await areOthersAt(world, lock);
      },
      async finishedBefore(there) {
        const before = leavesFinished ? await finishedShare(all, index, there) : undefined;
        wasFinished = before !== undefined;
        return before;
      },
    });
  } finally {
    turn?.release();
  }
  if (!taken) throw new Error('A share has no end.');
  return taken;
}

/** What this share has come to is known all the same. */
async function orWarning<T>(context: Context, whole: Promise<T>): Promise<T | undefined> {
  try {
    return await whole;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.warn(sentence`warning: the shares could not be reported together: ${error.message}`);
    return undefined;
  }
}

/** The result of all shares; undefined while one of them is not finished. */
async function wholeOf(all: Import): Promise<FinishedImport | undefined> {
  const { world, job, count } = all;
  for (let index = 1; index <= count; index += 1) if ((await runOf(all, index))?.state === 'open') return undefined;
  const there = await lookFor(world, job);
  const shares: FinishedImport[] = [];
  for (let index = 1; index <= count; index += 1) {
    const share = await finishedShare(all, index, there);
    if (!share) return undefined;
    shares.push(share);
  }
  return summed(all, shares);
}

/** The result of a share that is finished, by its record and who is there. */
async function finishedShare(all: Import, index: number, there: readonly StudentsThere[]): Promise<FinishedImport | undefined> {
  const { context, world } = all;
  const { named, options, mapping, validated, entries, granted } = ofShare(all.job, { index, count: all.count });
  const run = await runOf(all, index);
  if (run?.state === 'open') return undefined;
  let [plan, steps] = [new RosterPlan(there, entries, options), new Map<number, number>()];
  const ended = await endedAsRecorded(world, run, (recorded) => {
    plan = new RosterPlan(there, entries, options, recorded.stepAt);
    steps = carryOver({ recorded, plan, options, resendAbsent: false }).stepOf;
    return plan;
  });
  const result = resultOf({ plan, ended, options, aside: asideOf(validated), stepOf: (place) => steps.get(place), isEarlier: true });
  if (sumOf(result.counts, openStates) > 0) return undefined;
  // The process that deleted them has named them.
  const removal = removalOf({ say() {}, warn() {} }, ended, result.sent > 0);
  const of = sentence`share ${shareInWords({ index, count: all.count })} of the file`;
  return { named, asId: await asIdOf(context), mapping, validated, granted, removal, result, of };
}

function runOf({ world, job, count, whole }: Import, index: number) {
  return runOfShare(world, { kind: importKind, identity: identityOf(ofShare(job, { index, count }).request), whole });
}

function ofShare(job: Job, shard: { index: number; count: number }): Job {
  return { ...job, request: { ...job.request, shard }, options: { ...job.options, shard } };
}

/** `stopped`: why no more shares were taken. */
async function summed({ context, job, count }: Import, shares: readonly FinishedImport[], stopped?: CliError): Promise<FinishedImport> {
  const { named, mapping, validated, granted } = job;
  return {
    ...{ named, asId: await asIdOf(context), mapping, validated, granted },
    ...sumOfShares(job, shares, stopped),
    of: shares.length === count ? sentence`the file` : sentence`${shares.map(({ of }) => of).join(' and ')}`,
  };
}
