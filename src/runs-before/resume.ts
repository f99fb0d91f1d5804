/** A recorded run, taken over to be carried on: its steps, the state of each from its events, and what is known of their sessions. */

import { operations } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { addTo } from '../model/groups.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { whoRuns } from '../model/who-runs.ts';
import type { HeldRun, NewRun, RunRecord, StepRecord } from '../state/state.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { newAddress } from './claims.ts';
import { type DriveParts, settleParts } from './drive.ts';
import type { ExamGate } from './gate/exam-gate.ts';
import { consentTo, isAlike, refuseHidden, thereAlready } from './look-first.ts';
import type { Consents } from './looked.ts';
import type { Reading } from './reading.ts';
import { keyOf, type RecordedRun, recordedRun, recordOf } from './recorded.ts';
import { type SettleParts, settled } from './settle.ts';
import { createsExam, createsStudent, eachStep, type Plan, type Step, type Steps, targetOf } from './step.ts';
import { isGood, type StepState } from './step-states.ts';
import { lookForStudents } from './students-there.ts';
import type { World } from './world.ts';

/** What every run records of who began it. */
export function heldOf({ context, origin }: World, kind: string, command: string): Omit<NewRun, 'identity'> {
  const { globals, secrets, host } = context;
  const { duringExam } = globals;
  return {
    origin,
    profile: context.settings().profile,
    kind,
    command,
    who: whoRuns(host),
    ...(duringExam === undefined ? {} : { reason: secrets.maskedWords(duringExam) }),
  };
}

/** What is recorded of a run that is resumed. */
export type Recorded = {
  run: RunRecord;
  /** By their index; undefined for a step that was forgotten. */
  records: readonly (StepRecord | undefined)[];
  state(index: number): StepState;
  stepAt(index: number): Step | undefined;
  /** The key under which the student of a step is recorded. */
  keyOf(step: Pick<Step, 'email' | 'who' | 'lineKey'>): string | null;
};

/** `steps`: those of the record, in its order, then further ones. `giveUp`: the indices of those that are not wanted any more. */
export type Resumption = { steps: Steps; giveUp?: readonly number[] };

type Resuming = {
  resendAbsent?: boolean | undefined;
  stepsOf?: ((recorded: Recorded, world: World) => Promise<Resumption>) | undefined;
  consents?: Consents | undefined;
  withBody?: boolean | undefined;
  wholeProof?: boolean | undefined;
  /** What is going to happen to the run, said once no other process can be at it. */
  says?: Sentence | undefined;
  /** Asks about steps that are not in the record. */
  confirm?: ((added: Plan) => Promise<void>) | undefined;
};

export async function resumedParts(world: World, { id, origin }: RunRecord, gate: ExamGate, resuming: Resuming): Promise<DriveParts> {
  refuseElsewhere(id, origin, world);
  const run = await world.state.take(id, whoRuns(world.context.host));
  try {
    if (resuming.says !== undefined) world.context.say(resuming.says);
    return await partsOf(world, run, gate, resuming);
  } catch (error) {
    await run.close('open');
    throw error;
  }
}

export function asRecorded(run: RunRecord, { records, book }: RecordedRun, state: World['state']): Recorded {
  return {
    ...{ run, records },
    state: (index) => book.state(index),
    stepAt: (index) => book.steps.at(index),
    keyOf: (step) => keyOf(step, state),
  };
}

async function partsOf(world: World, run: HeldRun, gate: ExamGate, resuming: Resuming): Promise<DriveParts> {
  const { state } = world;
  const { id } = run.run;
  const { resendAbsent = false, consents = {}, withBody = true, wholeProof = false } = resuming;
  const recorded = await recordedRun(state, id);
  const { steps, giveUp = [] } = resuming.stepsOf
    ? await resuming.stepsOf(asRecorded(run.run, recorded, state), world)
    : { steps: recorded.book.steps };
  const { length } = recorded.book.steps;
  if (steps.length > length) {
    await resuming.confirm?.({ steps: { length: steps.length - length, at: (index) => steps.at(length + index) } });
    await run.addSteps(added(steps, length, state, withBody));
  }
  const { book, shownKeys } = recorded.foldedOnto(steps);
  for (const index of book.inState('unknown')) run.record({ n: index + 1, event: 'unknown' });
  const readings = new Map<string, Reading>();
  const parts: DriveParts = {
    ...{ world, run, book, gate, readings, resendAbsent, shownKeys, wholeProof },
    listed: await state.listed(id),
    async beforeSending() {
      const planned = [...book.inState('planned')];
      const refused = await gate.judgePlan({ steps: { length: planned.length, at: (at) => book.steps.at(planned[at] ?? -1) } });
      if (refused) throw refused;
      const looked = await lookAgain(settleParts(parts), consents);
      for (const [exam, reading] of looked) readings.set(exam, reading);
    },
  };
  for (const index of giveUp) settled(settleParts(parts), index, 'given_up');
  return parts;
}

function* added(steps: Steps, from: number, state: World['state'], withBody: boolean): Generator<StepRecord, undefined> {
  for (const [index, step] of eachStep(steps, from)) yield recordOf(index, step, state, { withBody });
}

/** Throws `invalid_input` for a run of another service. */
export function refuseElsewhere(id: string, origin: string, { origin: here, settings }: Pick<World, 'origin' | 'settings'>): void {
  if (origin === here) return;
  throw new CliError('invalid_input', sentence`Run ${id} was made at ${origin}, but profile ${settings.profile} is for ${here}.`, {
    hint: 'Choose the profile of that service with --profile NAME.',
  });
}

/**
 * The latest run of the same command, if it has done only a part of what was asked and nobody has begun to undo it. A relative change
 * that is made anew would be made twice where it was done. `done`: the number of its steps by which something was written.
 */
export async function doneInPart({ state, origin }: World, identity: string): Promise<{ record: RunRecord; done: number } | undefined> {
  const [record] = await state.runsOf(origin, identity);
  if (!record || (await state.runs()).some(({ undoOf }) => undoOf === record.id)) return undefined;
  const { book } = await recordedRun(state, record.id);
  const outcomes = [...book.outcomes()];
  const done = outcomes.filter(({ state: is, ours }) => ours && is !== 'not_applied').length;
  return done > 0 && outcomes.some(({ state: is }) => !isGood(is) && is !== 'given_up') ? { record, done } : undefined;
}

/**
 * A session of the command line that was another student's when the same command was run before: an ID proves nobody. `named`: the IDs of the
 * command line. `now`: the address that it shows now.
 */
export async function givenAway(
  { state, origin }: World,
  identity: string,
  { named, steps }: { named: readonly string[]; steps: Steps },
): Promise<{ id: string; run: string; now: string } | undefined> {
  const sessions = (all: Steps) =>
    [...eachStep(all)].flatMap(([, step]) => {
      const target = targetOf(step, step.params);
      return target?.resource === 'session' && named.includes(target.id) ? [{ id: target.id, step }] : [];
    });
  const planned = sessions(steps);
  if (planned.length === 0) return undefined;
  const before = new Map<string, { run: string; keys: (string | null)[] }>();
  for (const { id: run } of (await state.runsOf(origin, identity)).reverse()) {
    const { book } = await recordedRun(state, run);
    for (const { id, step } of sessions(book.steps)) {
      const [key, email] = [keyOf(step, state), newAddress(step)];
      if (key !== null) before.set(id, { run, keys: [key, email === undefined ? null : state.studentKey(email)] });
    }
  }
  for (const { id, step } of planned) {
    const known = before.get(id);
    if (step.email !== undefined && known && !known.keys.includes(state.studentKey(step.email)))
      return { id, run: known.run, now: step.email };
  }
  return undefined;
}

/** Plans again what has not been done of a finished run. What is there with other values is for a person to decide; the proof reads it again. */
export function planRest({ book, run }: DriveParts): void {
  for (const index of [...book.inState('rejected', 'not_applied', 'skipped', 'changed', 'gone')]) {
    book.restore(index, 'planned');
    book.clear(index);
    book.setOurs(index, false);
    run.record({ n: index + 1, event: 'planned', ours: false });
  }
}

/**
 * Since the run was planned, somebody else may have created the same. A student who is there is not created; throws `already_there` for
 * an exam that is, unless somebody consents to another one. Resolves to the readings.
 */
async function lookAgain(parts: SettleParts, consents: Consents): Promise<ReadonlyMap<string, Reading>> {
  const { book, world, run } = parts;
  const readings = new Map<string, Reading>();
  const students = new Map<string, number[]>();
  let exams: readonly JsonObject[] | undefined;
  for (const index of [...book.inState('planned')]) {
    const step = book.steps.at(index);
    // A number is given where a duplicate was asked for.
    if (!step || step.number !== undefined) continue;
    const exam = book.examOf(index);
    if (createsStudent(step) && step.email !== undefined && exam !== undefined) {
      addTo(students, exam, index);
    }
    if (!createsExam(step)) continue;
    exams ??= await world.client.list(operations.listExams, {});
    const alike = exams.filter((exam) => isAlike(world, step, exam)).flatMap((each) => idOf(each) ?? []);
    const other = alike.find((id) => !parts.wasListed('exam', id, undefined) && book.withId(id, 'exam') === undefined);
    if (other !== undefined) await consentTo(world, consents.allowDuplicate, thereAlready(world, step, other));
  }
  for (const [exam, indices] of students) {
    const emails = function* () {
      for (const index of indices) yield { email: book.steps.at(index)?.email };
    };
    const { reading, claimed, stale } = await lookForStudents(world, exam, { [Symbol.iterator]: emails });
    readings.set(exam, reading);
    const sent = indices.flatMap((index, at) => {
      const email = book.steps.at(index)?.email;
      return email === undefined || claimed.has(at) || reading.withAddress(email).length > 0 ? [] : [email];
    });
    const others = reading.sessions.filter(({ id }) => id === undefined || book.withId(id) === undefined);
    refuseHidden(reading.hiding(sent, others), exam, consents);
    for (const claim of stale) run.endClaim(claim, 0);
    for (const [at, index] of indices.entries()) {
      const there = reading.withAddress(book.steps.at(index)?.email ?? '')[0] ?? claimed.get(at);
      if (there?.id !== undefined) settled(parts, index, 'there', { shown: there.data }, { id: there.id, ours: false });
    }
  }
  return readings;
}
