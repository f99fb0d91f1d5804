/** What the last look of a run lastSeen of what it created, what is shown of it now, and who has deleted it since. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { ruleOf, settable, timeFields } from '../../model/fields.ts';
import { fieldAt, type JsonObject } from '../../model/json.ts';
import type { Reading } from '../../model/listing.ts';
import { proctorsIn, valuesIn } from '../../model/pool.ts';
import { creates, type Execution, examOfStep, kindOf, type Resource, readOne, resourceOf, type World } from '../../runs/index.ts';
import { shownOf } from '../times/exam-change.ts';

/** The run that deleted a session or an exam, and whether it undid the run in question. */
export type DeletedBy = (resource: Resource, id: string) => { run: string; isUndo: boolean } | undefined;

export async function deletionsIn({ record, origin }: World, undone: string, items: readonly Execution[]): Promise<DeletedBy> {
  const exams = items.flatMap(({ step, id }) => examOfStep(step) ?? (creates(step) === 'exam' ? id : undefined) ?? []);
  const { deleteSession, deleteExam } = operations;
  const rows = await record.find(origin, { exams: [...new Set(exams)], ops: [deleteSession.id, deleteExam.id], states: ['done'] });
  const runs = new Map(rows.map(({ op, target, run }) => [`${op === deleteExam.id ? 'exam' : 'session'} ${target}`, run]));
  const undos = new Set((await record.runs({ undoOf: undone })).map(({ id }) => id));
  return (resource, id) => {
    const run = runs.get(`${resource} ${id}`);
    return run === undefined ? undefined : { run, isUndo: undos.has(run) };
  };
}

/** What can be set and was not shown, was not set. `followers`: what the run set afterwards. */
export function lastSeen({ dialect }: Client, { step, lastSeen = step.body }: Execution, followers: readonly Execution[] = []): JsonObject {
  const resource = resourceOf(step);
  // A yes or no has a default, which a list may leave out.
  const unset = settable(resource, dialect).filter((field) => ruleOf(resource, field)?.type !== 'boolean');
  const later = followers.filter((other) => kindOf(other.step) === 'update').map((other) => other.lastSeen);
  return Object.assign(shownOf(unset, {}), lastSeen, ...later);
}

/** By its list, unless that leaves out a time, the status, or what was set. */
export async function sessionShown(world: World, reading: Reading | undefined, id: string, seen: JsonObject) {
  const listed = reading?.withId(id)?.data;
  const looked = Object.keys(seen).filter((field) => seen[field] !== null || timeFields.includes(field));
  const isWhole = listed && [...looked, 'status'].every((field) => fieldAt(listed, field) !== undefined);
  return isWhole ? listed : (await readOne(world, 'session', id))?.data;
}

/** Who was put into the pool of a new exam, or taken out, otherwise than by its run. */
export async function changedPool(client: Client, exam: string, ours: readonly Execution[]): Promise<string | undefined> {
  const steps = ours.filter(({ step }) => kindOf(step) === 'pool');
  const added = steps.flatMap(({ step }) => proctorsIn(step.body, client.dialect)).flatMap(valuesIn);
  const pool = (await client.list(operations.listProctors, { params: { id: exam } })).map(valuesIn);
  const isAdded = (values: readonly string[]) => values.some((value) => added.includes(value));
  const isSame = pool.every(isAdded) && added.every((value) => pool.flat().includes(value));
  return isSame ? undefined : 'its proctors are others';
}
