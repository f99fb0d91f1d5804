/** A recorded run, taken over to be carried on: its steps, the state of each from its events, and what is known of their sessions. */
import { CliError } from '../errors.ts';
import type { HeldRun, NewRun, RecordedEvent, RunRecord, StepRecord } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import { Book } from './book.ts';
import { type DriveParts, settleParts } from './drive.ts';
import type { ExamGate } from './gate/exam-gate.ts';
import type { Reading } from './reading.ts';
import { keyOf, records, stepOf } from './recorded.ts';
import { settled } from './settle.ts';
import { createsStudent, examOfStep, type Plan, type Step, type Steps } from './step.ts';
import { after, leftBehind, type StepState } from './step-states.ts';
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
    who: whoRuns(host.env, host.machine),
    ...(duringExam === undefined ? {} : { reason: secrets.maskedWords(duringExam) }),
  };
}

/** The system user and the machine, or the CI job. */
function whoRuns(env: Readonly<Record<string, string | undefined>>, machine: string): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, CI_JOB_URL: job, USER, LOGNAME, USERNAME } = env;
  if (job) return job;
  if (server && repository && run) return `${server}/${repository}/actions/runs/${run}`;
  return `${USER ?? LOGNAME ?? USERNAME ?? 'unknown'}@${machine}`;
}

/** The state of each step of a run, its session and the key of its address, by the events. */
export function folded(book: Book, events: readonly RecordedEvent[]): Map<number, string> {
  const states = new Map<number, StepState>();
  const shownKeys = new Map<number, string>();
  for (const { n, event, session, shownKey, ours, code } of events) {
    const index = n - 1;
    states.set(index, after(states.get(index) ?? 'planned', event));
    if (session !== undefined) book.setId(index, session);
    if (shownKey !== undefined) shownKeys.set(index, shownKey);
    if (ours !== undefined) book.setOurs(index, ours);
    if (code !== undefined) book.say(index, { code });
  }
  for (const [index, state] of states) book.restore(index, leftBehind(state));
  return shownKeys;
}

/** What is recorded of a run that is resumed. */
export type Recorded = {
  run: RunRecord;
  steps: readonly StepRecord[];
  state(index: number): StepState;
  stepAt(index: number): Step | undefined;
  /** The key under which the student of a step is recorded. */
  keyOf(step: Pick<Step, 'email' | 'who' | 'lineKey'>): string | null;
};

/** `steps`: those of the record, in its order, then further ones. `giveUp`: the indices of those that are not wanted any more. */
export type Resumption = { steps: Steps; giveUp?: readonly number[] };

type ResumeOptions = {
  resendAbsent: boolean;
  stepsOf?: ((recorded: Recorded, world: World) => Promise<Resumption>) | undefined;
  withBody?: boolean;
  wholeProof?: boolean;
  /** Asks about steps that are not in the record. */
  confirm?: ((added: Plan) => Promise<void>) | undefined;
};

export async function resumedParts(world: World, { id, origin }: RunRecord, gate: ExamGate, options: ResumeOptions): Promise<DriveParts> {
  refuseElsewhere(id, origin, world);
  const { state } = world;
  const run = await state.take(id);
  try {
    return await partsOf(world, run, gate, options);
  } catch (error) {
    await run.close('open');
    throw error;
  }
}

async function partsOf(world: World, run: HeldRun, gate: ExamGate, options: ResumeOptions): Promise<DriveParts> {
  const { state } = world;
  const { id } = run.run;
  const { resendAbsent, withBody = true, wholeProof = false } = options;
  const [recorded, events] = [await state.steps(id), await state.events(id)];
  const { steps, giveUp = [] } = await resumption(world, run.run, { recorded, events }, options);
  if (steps.length > recorded.length) {
    await options.confirm?.({ steps: later(steps, recorded.length) });
    await run.addSteps(records(steps, state, withBody, recorded.length));
  }
  const book = new Book(steps);
  const shownKeys = folded(book, events);
  for (const index of book.inState('unknown')) run.record({ n: index + 1, event: 'unknown' });
  for (const index of giveUp) {
    if (book.move(index, 'given_up')) run.record({ n: index + 1, event: 'given_up' });
  }
  const readings = new Map<string, Reading>();
  const parts: DriveParts = {
    ...{ world, run, book, gate, readings, resendAbsent, shownKeys, wholeProof },
    listed: await state.listed(id),
    async beforeSending() {
      const planned = [...book.inState('planned')];
      const refused = await gate.judgePlan({ steps: { length: planned.length, at: (at) => book.steps.at(planned[at] ?? -1) } });
      if (refused) throw refused;
      await lookAgain(parts, readings);
    },
  };
  return parts;
}

/** Only the steps from an index on. */
function later(steps: Steps, from: number): Steps {
  return { length: steps.length - from, at: (index) => steps.at(from + index) };
}

async function resumption(
  world: World,
  run: RunRecord,
  { recorded, events }: { recorded: readonly StepRecord[]; events: readonly RecordedEvent[] },
  { stepsOf }: ResumeOptions,
): Promise<Resumption> {
  const steps = recordedSteps(recorded);
  if (!stepsOf) return { steps };
  const book = new Book(steps);
  folded(book, events);
  return stepsOf({ run, steps: recorded, state: (index) => book.state(index), stepAt: (index) => steps.at(index), keyOf: (step) => keyOf(step, world.state) }, world);
}

/** The steps of a record, one by one as they are asked for: an import has many. */
export function recordedSteps(recorded: readonly StepRecord[]): Steps {
  return {
    length: recorded.length,
    at(index) {
      const record = recorded[index];
      return record && stepOf(record);
    },
    last: recorded.flatMap(({ values }, index) => (values?.last === true ? [index] : [])),
  };
}

/** Students may have been added while the run was stopped: whoever is there is not created. */
async function lookAgain(parts: DriveParts, readings: Map<string, Reading>): Promise<void> {
  const { world, book } = parts;
  const creates = new Map<string, number[]>();
  for (const index of book.inState('planned')) {
    const step = book.steps.at(index);
    const exam = step && createsStudent(step) && step.number === undefined ? examOfStep(step) : undefined;
    if (exam === undefined || step?.email === undefined) continue;
    const among = creates.get(exam);
    if (among) among.push(index);
    else creates.set(exam, [index]);
  }
  for (const [exam, indices] of creates) {
    const emails = function* () {
      for (const index of indices) yield { email: book.steps.at(index)?.email };
    };
    const { reading, claimed, stale } = await lookForStudents(world, exam, { [Symbol.iterator]: emails });
    for (const claim of stale) parts.run.endClaim(claim, 0);
    readings.set(exam, reading);
    for (const [at, index] of indices.entries()) {
      const email = book.steps.at(index)?.email;
      const there = claimed.get(at) ?? (email === undefined ? undefined : reading.withAddress(email)[0]);
      if (there?.id !== undefined) settled(settleParts(parts), index, 'there', { shown: there.data }, { id: there.id, ours: false });
    }
  }
}

/** Throws `invalid_input` for a run of another service. */
export function refuseElsewhere(id: string, origin: string, { origin: here, settings }: Pick<World, 'origin' | 'settings'>): void {
  if (origin === here) return;
  throw new CliError('invalid_input', sentence`Run ${id} was made at ${origin}, but profile ${settings.profile} is for ${here}.`, {
    hint: 'Choose the profile of that service with --profile NAME.',
  });
}
