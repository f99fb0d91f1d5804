/** An open run that goes on: resumed to its end, or settled and given up so that the same command plans it anew. */
import type { Result } from '../command.ts';
import { CliError, isInterruption } from '../errors.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { RunRecord } from '../state/state.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Driven, drive, giveUp } from './drive.ts';
import { endedOf } from './ended.ts';
import { ExamGate } from './gate/exam-gate.ts';
import { planRest, resumedParts } from './resume.ts';
import type { RunRequest } from './run-request.ts';
import type { Plan } from './step.ts';
import type { StepState } from './step-states.ts';
import type { World } from './world.ts';

/** Carries on with an open run. */
export async function resumeWith(
  world: World,
  record: RunRecord,
  request: Pick<RunRequest, 'stepsOf' | 'resendAbsent' | 'consents' | 'result' | 'kind' | 'withBody' | 'question' | 'wholeProof'> & {
    says?: Sentence;
  },
  retries = false,
): Promise<Result> {
  const { context } = world;
  await refuseWhileUndone(world, record.id);
  const gate = new ExamGate(world);
  const { resendAbsent, stepsOf, consents, withBody, wholeProof, says } = request;
  const confirm = async (added: Plan) => {
    const asked = await request.question?.(added);
    if (asked !== undefined) await context.confirm(() => sentence`${asked} ${context.place()}?`);
  };
  const parts = await resumedParts(world, record, gate, { resendAbsent, stepsOf, consents, withBody, wholeProof, says, confirm });
  if (retries) planRest(parts);
  const driven = await drive(parts);
  return request.result(endedOf(record.id, driven, request));
}

/** Throws `invalid_input` for a run that is being undone. */
export async function refuseWhileUndone({ state }: World, id: string): Promise<void> {
  const undo = (await state.runs()).find(({ undoOf, state: is }) => undoOf === id && is === 'open');
  if (!undo) return;
  throw new CliError('invalid_input', sentence`Run ${id} is being undone by run ${undo.id}, and is not resumed.`, {
    hint: sentence`Finish the undo: proctor-cli ${typedCommand('runs undo', [id])}`,
  });
}

/** Settles what is unknown of a run, and gives up what is in one of these states. */
export async function closeRun(
  world: World,
  record: RunRecord,
  { stepsOf, says, states }: { stepsOf?: RunRequest['stepsOf'] | undefined; says?: Sentence; states?: readonly StepState[] } = {},
): Promise<Driven> {
  const parts = await resumedParts(world, record, new ExamGate(world), { resendAbsent: false, stepsOf, says });
  giveUp(parts, states);
  return drive(parts);
}

/** What is unknown of an open run is looked up; the rest is given up, because the same command plans it anew. */
export async function settleAndGiveUp(world: World, record: RunRecord, request: RunRequest): Promise<void> {
  const says = sentence`Run ${record.id} of the same command was stopped; its open steps are planned again.`;
  const { stepsOf } = request;
  const { book, stopped } = await closeRun(world, record, { stepsOf, says });
  if (stopped && isInterruption(stopped)) throw stopped;
  if (book.count('unknown', 'confirmed') === 0) return;
  throw new CliError(
    'outcome_unknown',
    sentence`Run ${record.id} of the same command has sent requests whose outcome is unknown. Nothing more was sent.`,
    {
      hint: sentence`Look at it: proctor-cli ${typedCommand('runs show', [record.id])}; to end it as it is: proctor-cli ${typedCommand('runs close', [record.id])}`,
    },
  );
}
