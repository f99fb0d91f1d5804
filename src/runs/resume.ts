/** A recorded run, taken over to be carried on: its steps, the state of each from its events, and what is known of their sessions. */
import { CliError } from '../errors.ts';
import type { NewRun, RecordedEvent, RunRecord } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import { Book } from './book.ts';
import { type DriveParts, settleParts } from './drive.ts';
import type { ExamGate } from './gate/exam-gate.ts';
import { lookAgain } from './look-again.ts';
import type { Consents } from './look-first.ts';
import { stepsOf as stepsIn } from './recorded.ts';
import { createsExam, type Steps } from './step.ts';
import { after, leftBehind, type StepState } from './step-states.ts';
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
export function folded(book: Book, events: readonly RecordedEvent[], forgotten: readonly number[] = []): Map<number, string> {
  const states = new Map<number, StepState>();
  const shownKeys = new Map<number, string>();
  for (const { n, event, session, shownKey, ours, code } of events) {
    const index = n - 1;
    states.set(index, after(states.get(index) ?? 'planned', event));
    const step = session === undefined ? undefined : book.steps.at(index);
    if (session !== undefined) book.setId(index, session, step && createsExam(step) ? 'exam' : 'session');
    if (shownKey !== undefined) shownKeys.set(index, shownKey);
    if (ours !== undefined) book.setOurs(index, ours);
    if (code !== undefined) book.say(index, { code });
  }
  for (const [index, state] of states) book.restore(index, leftBehind(state));
  for (const index of forgotten) book.restore(index, 'given_up');
  return shownKeys;
}

type Resuming = { resendAbsent: boolean; stepsOf?: ((run: RunRecord) => Promise<Steps>) | undefined; consents?: Consents | undefined };

export async function resumedParts(
  world: World,
  { id, origin }: RunRecord,
  gate: ExamGate,
  { resendAbsent, stepsOf, consents = {} }: Resuming,
): Promise<DriveParts> {
  refuseElsewhere(id, origin, world);
  const { state } = world;
  const run = await state.take(id);
  const recorded = stepsIn(await state.steps(id));
  const book = new Book(stepsOf ? await stepsOf(run.run) : recorded.steps);
  const shownKeys = folded(book, await state.events(id), recorded.forgotten);
  for (const index of book.inState('unknown')) run.record({ n: index + 1, event: 'unknown' });
  const parts: DriveParts = {
    world,
    run,
    book,
    gate,
    readings: undefined,
    listed: await state.listed(id),
    resendAbsent,
    shownKeys,
    async beforeSending() {
      const planned = [...book.inState('planned')];
      const refused = await gate.judgePlan({ steps: { length: planned.length, at: (at) => book.steps.at(planned[at] ?? -1) } });
      if (refused) throw refused;
      await lookAgain(settleParts(parts), consents);
    },
  };
  return parts;
}

/** Throws `invalid_input` for a run of another service. */
export function refuseElsewhere(id: string, origin: string, { origin: here, settings }: Pick<World, 'origin' | 'settings'>): void {
  if (origin === here) return;
  throw new CliError('invalid_input', sentence`Run ${id} was made at ${origin}, but profile ${settings.profile} is for ${here}.`, {
    hint: 'Choose the profile of that service with --profile NAME.',
  });
}
