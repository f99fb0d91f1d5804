/**
 * Undo is a run, too: its steps are the inverses of what is *ours* of a run and still as it left it, the
 * last first. What was changed since, is not ours or cannot be taken back stays, and is named.
 */
import { pathSegment } from '../api/operations.ts';
import { type CliError, orElse } from '../errors.ts';
import type { Engine } from './engine.ts';
import { type Execution, loadExecutions } from './execution.ts';
import type { LockScope } from './request.ts';
import { rulesOf } from './steps/index.ts';
import { dependenciesOf, isCreate, type Plan } from './steps/step.ts';
import { gone, type Inverse, isOwn, isTakenBack, type NotUndone, stays, Undoing, whyNotOurs } from './undoing.ts';

/** `ofDoubles`: only the doubles of the run are taken back. */
export type UndoPlan = Plan & { kept: readonly NotUndone[]; ofDoubles: boolean };

export async function undoLocks({ record }: Engine, run: string): Promise<LockScope[]> {
  const exams = new Set((await record.steps(run)).flatMap(({ exam }) => exam ?? []));
  return [...exams].flatMap((exam) => [`exam ${exam}` as const, `students ${exam}` as const]);
}

/** Students who are there twice by the run are taken back first: the rest is as it was to be. */
export async function undoPlan(engine: Engine, run: string): Promise<UndoPlan> {
  const executions = await loadExecutions(engine.record, run);
  const doubles = executions.filter(({ owned, reason }) => owned && reason === 'duplicate');
  const isOfDouble = ({ step: { number }, step }: Execution) =>
    doubles.some(({ step: double }) => double.number === number || dependenciesOf(step).includes(double.number));
  if (doubles.length > 0 && executions.some((each) => isOwn(each) && !isOfDouble(each))) {
    const plan = await inversesOf(await Undoing.of(engine, run, executions), executions.filter(isOfDouble));
    // Whoever asks for the doubles does not ask for the others, even if these are gone.
    if (plan.steps.length > 0 || plan.kept.some(({ gone }) => !gone)) return { ...plan, ofDoubles: true };
  }
  return inversesOf(await Undoing.of(engine, run, executions), executions);
}

async function inversesOf(undoing: Undoing, executions: readonly Execution[]): Promise<UndoPlan> {
  for (const execution of executions.toReversed()) {
    const { step, id, exam } = execution;
    // The service may have given an ID that no path can name.
    const unnamed = ({ message }: CliError) => stays`${message.replace(/\.$/, '')}`;
    const inverse = await orElse(inverseOf(undoing, execution), unnamed, 'invalid_input');
    if (!inverse) continue;
    if ('why' in inverse) undoing.kept.push({ step, id, exam, ...inverse });
    else undoing.plan(execution, inverse);
  }
  const existing = await undoing.readings();
  return {
    steps: undoing.steps.all,
    kept: undoing.kept,
    ofDoubles: false,
    readings: new Map(existing.map(({ reading }) => [reading.exam, reading])),
    existing,
  };
}

/** Undefined where nothing of a step is there, and where it goes with what it was done to. Throws `invalid_input` for an odd ID. */
async function inverseOf(undoing: Undoing, execution: Execution): Promise<Inverse | undefined> {
  const { step, isForgotten, code, id } = execution;
  if (isForgotten) return code === 'damaged' ? stays`its record is damaged` : stays`runs forget has erased it`;
  if (id !== undefined) pathSegment(id);
  if (!isOwn(execution)) return undoing.notOurs(execution);
  const creator = undoing.creatorOf(step);
  // A record that goes takes its updates along; one that stays as another client's keeps them.
  if (creator && !isCreate(step) && (isOwn(creator) || whyNotOurs(creator))) return undefined;
  if (isTakenBack(execution, undoing.found.undone)) return gone`it was undone before`;
  if (isCreate(step) && undoing.mayBeLast(execution))
    return stays`the student may be in no other exam: runs forget has erased a deletion of this run`;
  return rulesOf(step).inverse(undoing, execution);
}
