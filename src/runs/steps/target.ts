/** What updates and deletions share: the target that they name, and what it shows. */
import type { Reply } from '../../api/answer.ts';
import { examOf } from '../../api/client.ts';
import type { Shown } from '../../api/known.ts';
import { filled } from '../../api/operations.ts';
import { otherExam } from '../../api/reading.ts';
import { CliError, orElse } from '../../errors.ts';
import { nameOf } from '../../model/describe.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { otherStudent } from '../../model/listing.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { type Engine, maxReadAgeMs } from '../engine.ts';
import { type Change, type Execution, isUnknown } from '../execution.ts';
import { isRefused, type Looking, nameOfTarget, type Observation, type StepRules, staysUnknown, untilShown } from './rules.ts';
import { bodyOf, type Delete, isUpdate, lookAt, operationOf, type Resource, showsAs, type Update } from './step.ts';

type Targeted = Update | Delete;

/** The rules of both. */
export const ofTarget = {
  refusalIsFinal: false,
  onSuccess,
  onDenial: untilShown,
  isIdempotent: true,
  isVerifiable: true,
  list: ({ step, exam }) => (step.resource === 'session' && exam !== undefined ? { exam } : null),
  observe,
  resend: 'planned anew',
} satisfies Partial<StepRules<Targeted>>;

export function changed(error: CliError): Change {
  return { is: 'changed', error };
}

export function changedMeanwhile(resource: Resource, id: string, why: string, hint = lookAt(resource, id)): Change {
  const what = sentence`${capitalised(nameOf(resource, id))} was changed meanwhile: ${why}. This request was not sent.`;
  return changed(new CliError('changed_meanwhile', what, { hint }));
}

export async function targetGone({ engine }: ActiveRun, { step, id = '', exam }: Execution<Targeted>): Promise<Change> {
  await engine.reads.refuseUnshown(step.resource, id, exam);
  const does = filled(operationOf(step).does, { id });
  const what = sentence`The service could not ${does}: ${nameOf(step.resource, id)} does not exist (404).`;
  const hint = sentence`Check the ID; list them with: proctor-cli ${step.resource}s list`;
  return { is: 'gone', error: new CliError('not_found', what, { hint, status: 404 }) };
}

/** The outcome of a change whose exam or session is gone when it is looked at. */
export function noLongerThere(execution: Execution): Change {
  const subject = nameOfTarget(execution);
  const what = sentence`${capitalised(subject)} was updated, but is no longer there.`;
  if (execution.state !== 'unknown') return { is: 'gone', error: new CliError('partly_done', what) };
  const lost = staysUnknown(execution, sentence`Read afterwards: ${subject} is no longer there`).error;
  return { is: 'gone', error: (isRefused(execution) ? execution.error : undefined) ?? lost };
}

/** Why a session is not that of the step any more: of another exam, or of another student. */
export function otherExamOrStudent({ engine }: ActiveRun, execution: Execution<Targeted>, data: JsonObject): string | undefined {
  const { step, exam, storedAs = step.student.email } = execution;
  if (step.resource === 'exam') return undefined;
  return otherExam(exam, data, engine.client) ?? otherStudent(storedAs, data);
}

/** Whether the look afterwards has shown the session of another student. */
export function isSomebodyElses({ step, reason, shown = {}, storedAs }: Execution): boolean {
  if (!isUpdate(step) || step.resource !== 'session' || reason !== 'different') return false;
  return otherStudent(storedAs ?? step.student.email, shown) !== undefined;
}

export function onSuccess({ engine }: ActiveRun, { step }: Execution, reply: Reply): Change {
  const data = operationOf(step).answer === 'one' ? engine.client.recordIn(reply, operationOf(step)) : reply.data;
  const shown = isJsonObject(data) ? { shown: data } : {};
  return { is: 'done', facts: { seen: false, owned: true, code: String(reply.status), ...shown } };
}

async function observe({ run, list }: Looking, execution: Execution<Targeted>): Promise<Observation> {
  const { step, id = '', exam, untouched } = execution;
  const { reads, client } = run.engine;
  const isAsPlanned = (shown: JsonObject) => showsAs(step.resource, { ...untouched, ...bodyOf(step) }, shown);
  const listed = list?.withId(id);
  // A list that is behind may show what was there before the write that an unknown one takes back.
  if (listed && !isUnknown(execution) && isAsPlanned(listed.data)) return { is: 'shown', data: listed.data };
  const data = (await reads.record(step.resource, id))?.data;
  const isElsewhere = data && step.resource === 'session' && otherExam(exam, data, client) !== undefined;
  if (isElsewhere) return { is: 'not there' };
  const seen: Observation = data ? { is: 'shown', data } : { is: 'not there' };
  const isReset = data && untouched !== undefined && !isAsPlanned(data) && showsAs(step.resource, bodyOf(step), data);
  if (!(isReset || (!data && isUpdate(step))) || list || step.resource === 'exam' || exam === undefined) return seen;
  // What was there before may have been read by the list, which shows it otherwise at all times, or alone.
  const again = (await orElse(reads.list(exam), () => undefined))?.withId(id);
  return again && isAsPlanned(again.data) ? { is: 'shown', data: again.data } : seen;
}

/** The session and its exam, as the gate judges them. */
export async function sessionAndExam(
  engine: Engine,
  { id = '', exam: own }: Pick<Execution, 'id' | 'exam'>,
  listed: JsonObject | undefined,
) {
  const read = (resource: Resource, each: string): Promise<Shown | undefined> => engine.reads.record(resource, each, maxReadAgeMs(engine));
  const session = listed ?? (await read('session', id))?.data;
  if (!session) return undefined;
  const exam = examOf(session, engine.client) ?? own;
  const shown = exam === undefined ? undefined : await read('exam', exam);
  return { session, exam: shown && exam, shown: shown?.data ?? {} };
}

export function barred(notIn: readonly string[], { status }: JsonObject): string | undefined {
  const phase = phaseOf(status);
  return phase !== undefined && notIn.includes(phase) ? `its status is ${statusText(status)}` : undefined;
}
