/** A new exam. */
import { unexpected } from '../../model/compare.ts';
import { valuesIn } from '../../model/pool.ts';
import { count } from '../../text/sentence.ts';
import type { Execution } from '../execution.ts';
import { type Inverse, isOwn, outcomeUnknown, stays, type Undoing } from '../undoing.ts';
import { creation } from './creation.ts';
import type { StepRules } from './rules.ts';
import { type CreateExam, stepsOf, wantedBy } from './step.ts';

export const createExam: StepRules<CreateExam> = {
  ...creation,
  locks: () => ['exams'],
  inverse,
};

/** Deletes the exam after its own students, while it shows all that the run saw of it, and has no others. */
async function inverse(undoing: Undoing, execution: Execution<CreateExam>): Promise<Inverse> {
  const { reads, zone } = undoing.engine;
  const { step, id = '', seen, reason } = execution;
  const shown = undoing.isUndone('exam', id) ? undefined : (await reads.record('exam', id))?.data;
  // A create that was acknowledged may show later.
  if (!shown) return seen ? undoing.missing('exam', execution) : outcomeUnknown;
  const isAlone = reason === 'duplicate' && (await reads.list(undefined)).of(wantedBy(step)).length < 2;
  if (isAlone) return stays`the other exam of this name and start is no longer shown`;
  const target = undoing.lastSeen(execution);
  const changed = unexpected('exam', target, shown, zone) ?? (await changedPool(undoing, execution));
  if (changed !== undefined) return undoing.changed(execution, changed, target, shown);
  const own = new Set(undoing.steps.all.map((step) => (step.kind === 'delete' && step.resource === 'session' ? step.id : undefined)));
  const existing = await undoing.existing(id);
  const others = existing?.reading.all.filter((session) => !own.has(session.id)).length;
  if (others !== 0)
    return stays`it ${others === undefined ? 'may have students' : `has ${count(others, 'student')}`} that this undo does not delete`;
  const requires = { target, exam: {}, notIn: [] };
  const students = [...own].flatMap((each) => each ?? []);
  return stepsOf([{ kind: 'delete', resource: 'exam', id, exam: id, requires, students }]);
}

/** The proctors, in words, who joined or left the pool of the exam otherwise than by its run. */
async function changedPool(undoing: Undoing, execution: Execution<CreateExam>): Promise<string | undefined> {
  const steps = undoing.followers(execution).filter(isOwn);
  const added = steps.flatMap(({ step }) => (step.kind === 'change pool' ? step.proctors.flatMap(valuesIn) : []));
  const { proctors: pool } = await undoing.engine.reads.pool(execution.id ?? '');
  const isAdded = (values: readonly string[]) => values.some((value) => added.includes(value));
  const isSame = pool.every(isAdded) && added.every((value) => pool.flat().includes(value));
  return isSame ? undefined : 'its proctors are others';
}
