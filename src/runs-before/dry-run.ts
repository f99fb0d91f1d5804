/** What `--dry-run` prints: exactly the requests that would be sent. */
import { planned } from '../api/request.ts';
import type { Result } from '../command.ts';
import type { CliError } from '../errors.ts';
import { count } from '../model/count.ts';
import type { RunRecord } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import type { Book } from './book.ts';
import { ExamGate } from './gate/exam-gate.ts';
import { recordedRun } from './recorded.ts';
import { isSoAlready } from './relies.ts';
import { refuseElsewhere } from './resume.ts';
import { refuseWhileUndone } from './resume-run.ts';
import type { RunRequest } from './run-request.ts';
import type { Plan, Step } from './step.ts';
import type { World } from './world.ts';

export async function shown(world: World, request: RunRequest, plan: Plan, refused: CliError | undefined): Promise<Result> {
  const { context } = world;
  const words = refused || plan.steps.length === 0 ? undefined : await request.question?.(plan);
  if (words !== undefined) context.say(sentence`Without --dry-run it asks: ${words} ${context.place()}?`);
  const result = request.show ? await request.show(plan) : planned(world.client, requestsOf(plan, world));
  return refused ? { ...result, failure: refused } : result;
}

/** What a resumed run would send, for a dry run; judged by the gate as a whole, as each plan is. */
export async function resumption(world: World, record: RunRecord, resendAbsent: boolean): Promise<Result> {
  refuseElsewhere(record.id, record.origin, world);
  await refuseWhileUndone(world, record.id);
  const plan = await leftOf(world, record, resendAbsent);
  if (plan.unknown > 0)
    world.context.say(sentence`The outcome of ${count(plan.unknown, 'request')} is unknown; without --dry-run it is looked up first.`);
  const refused = await new ExamGate(world).judgePlan(plan);
  const result = planned(world.client, requestsOf(plan, world));
  return refused ? { ...result, failure: refused } : result;
}

/** The requests of a plan, for a dry run; none for what was shown to be so already. */
function requestsOf({ steps }: Plan, { zone }: World) {
  const all = Array.from({ length: steps.length }, (_, index) => steps.at(index)).filter((step) => step !== undefined);
  const sent = all.filter((step) => !isSoAlready(step, { ...step.expects, ...step.before }, zone));
  return sent.map(({ operation, params, body, made }) => ({
    operation,
    params: made ? { ...params, [made.param]: 'ID' } : { ...params },
    ...(body ? { body } : {}),
    ...(made ? { note: `ID: of the ${all[made.by]?.operation.resource ?? 'resource'} that request ${made.by + 1} creates` } : {}),
  }));
}

async function leftOf({ state }: Pick<World, 'state'>, { id }: RunRecord, resendAbsent: boolean): Promise<Plan & { unknown: number }> {
  const { book } = await recordedRun(state, id);
  const wanted = book.inState('planned', ...(resendAbsent ? (['absent'] as const) : []));
  const steps: Step[] = [];
  const places = new Map<number, number>();
  for (const index of wanted) {
    const step = book.steps.at(index);
    const left = step && withIds(step, book, places);
    if (left) places.set(index, steps.push(left) - 1);
  }
  return { steps, unknown: book.count('unknown', 'confirmed') };
}

/** A step with what the steps before it have made; undefined where nobody knows yet whether they have. */
function withIds({ after: _, ...step }: Step, book: Book, places: ReadonlyMap<number, number>): Step | undefined {
  if (!step.made) return step;
  const { made, ...rest } = step;
  const place = places.get(made.by);
  if (place !== undefined) return { ...step, made: { ...made, by: place } };
  const id = book.id(made.by);
  return id === undefined ? undefined : { ...rest, params: { ...step.params, [made.param]: id } };
}
