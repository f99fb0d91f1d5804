/**
 * Steps as they are recorded, and back. Times, booleans and IDs are plain; addresses, names and every other field are sealed. A step
 * of an import keeps no body: its file has it.
 */
import { type Operation, type OperationId, operations } from '../api/operations.ts';
import { ruleOf } from '../model/fields.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { Phase } from '../model/status.ts';
import type { RecordedEvent, State, StepRecord } from '../state/state.ts';
import { Book } from './book.ts';
import { createsExam, createsStudent, examOfStep, type Step, type Steps, unknownOperation } from './step.ts';
import { after as afterEvent, leftBehind, type StepState } from './step-states.ts';

/** `withBody`: false where the input of the command has what its creates, and the steps after them, send. */
export function recordOf(index: number, step: Step, state: Keys, { withBody: all }: { withBody: boolean }): StepRecord {
  const {
    operation,
    params,
    made,
    body,
    exam,
    email,
    line,
    expects,
    before,
    expectsExam,
    after,
    proven,
    provenId,
    provenAs,
    number,
    unless,
    last,
  } = step;
  // What is set in place of other values is kept: undo needs it.
  const withBody = all || !(createsStudent(step) || made);
  const sent = withBody ? split(operation, body) : { plain: undefined, rest: undefined };
  const expected = withBody ? split(operation, expects) : { plain: undefined, rest: undefined };
  const replaced = withBody ? split(operation, before) : { plain: undefined, rest: undefined };
  const values = defined({
    params: Object.keys(params).length > 0 ? { ...params } : undefined,
    made: made && { ...made },
    exam,
    body: sent.plain,
    expects: expected.plain,
    before: replaced.plain,
    expectsExam: withBody ? expectsExam : undefined,
    proven,
    provenId,
    provenAs: provenAs && { exam: provenAs.exam, shows: provenAs.shows },
    number,
    unless: unless && [...unless],
    last,
  });
  const personal = defined({
    body: sent.rest,
    expects: expected.rest,
    before: replaced.rest,
    email: withBody ? email : undefined,
  });
  return {
    n: index + 1,
    line: line ?? null,
    op: operation.id,
    target: params.id ?? params.exam_id ?? null,
    exam: examOfStep(step) ?? null,
    after: after ?? [],
    sentKey: keyOf(step, state),
    values: Object.keys(values).length > 0 ? values : null,
    personal: Object.keys(personal).length > 0 ? personal : null,
  };
}

type Keys = Pick<State, 'studentKey' | 'digest'>;

/** The key of a step's student. A line without an address is known by what it says. */
export function keyOf({ email, who, lineKey }: Pick<Step, 'email' | 'who' | 'lineKey'>, state: Keys): string | null {
  if (email !== undefined) return state.studentKey(email);
  return who ?? (lineKey === undefined ? null : `${nameless}${state.digest(lineKey)}`);
}

/** Before the key of a line without an address. */
const nameless = 'line ';

/** A run as it was recorded. */
export type RecordedRun = {
  /** By their index; undefined for a step that was forgotten. */
  records: readonly (StepRecord | undefined)[];
  book: Book;
  /** The keys of the addresses that the service showed of the steps' sessions. */
  shownKeys: Map<number, string>;
  /** The same with other steps in place of those that were recorded. */
  foldedOnto(steps: Steps): Pick<RecordedRun, 'book' | 'shownKeys'>;
};

export async function recordedRun(state: Pick<State, 'steps' | 'events'>, id: string): Promise<RecordedRun> {
  const [all, events] = [await state.steps(id), await state.events(id)];
  const records: (StepRecord | undefined)[] = new Array(all.at(-1)?.n ?? 0).fill(undefined);
  for (const record of all) records[record.n - 1] = record;
  const { steps, forgotten } = stepsOf(records);
  const foldedOnto = (onto: Steps) => {
    const book = new Book(onto);
    return { book, shownKeys: fold(book, events, forgotten) };
  };
  return { records, ...foldedOnto(steps), foldedOnto };
}

/** Sets the state of each step and its session, by the events in their order; returns the keys of the addresses that were shown. */
export function fold(book: Book, events: readonly RecordedEvent[], forgotten: readonly number[]): Map<number, string> {
  const shownKeys = new Map<number, string>();
  const states = new Map<number, StepState>();
  /** The epoch of the latest request of a step. */
  const sentIn = new Map<number, number>();
  for (const { n, event, epoch, session, shownKey, ours, code } of events) {
    const index = n - 1;
    // Of the run itself; or by a process that lost the run, about an earlier request than the latest.
    if (index < 0 || epoch < (sentIn.get(index) ?? 0)) continue;
    if (event === 'sending') sentIn.set(index, epoch);
    const state = afterEvent(states.get(index) ?? 'planned', event);
    states.set(index, state);
    if (state === 'absent') book.restore(index, state);
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

/** The steps of a run by their index; one that was forgotten leaves a place that is never sent. */
function stepsOf(records: readonly (StepRecord | undefined)[]): { steps: Steps; forgotten: number[] } {
  const forgotten = [...records.keys()].filter((index) => records[index] === undefined);
  const last = [...records.keys()].filter((index) => records[index]?.values?.last === true);
  const at = (index: number): Step | undefined => {
    const record = records[index];
    return record ? stepOf(record) : index < records.length ? { operation: unknownOperation, params: {} } : undefined;
  };
  return { steps: { length: records.length, at, last }, forgotten };
}

function stepOf(record: StepRecord): Step {
  const { values: plain, personal } = record;
  const values = plain ?? {};
  const sealed = personal ?? {};
  const both = (name: string) => {
    const parts = [values[name], sealed[name]].filter(isJsonObject);
    return parts.length === 0 ? undefined : (Object.assign({}, ...parts) as JsonObject);
  };
  return {
    operation: operationOf(record.op),
    params: (values.params ?? {}) as Record<string, string>,
    ...(values.made === undefined ? {} : { made: values.made as unknown as NonNullable<Step['made']> }),
    ...(both('body') ? { body: both('body') } : {}),
    ...(both('expects') ? { expects: both('expects') } : {}),
    ...(both('before') ? { before: both('before') } : {}),
    ...(isJsonObject(values.expectsExam) ? { expectsExam: values.expectsExam } : {}),
    ...(typeof values.exam === 'string' ? { exam: values.exam } : {}),
    ...(typeof sealed.email === 'string'
      ? { email: sealed.email }
      : record.sentKey === null || record.sentKey.startsWith(nameless)
        ? {}
        : { who: record.sentKey }),
    ...(record.line === null ? {} : { line: record.line }),
    ...(record.after.length > 0 ? { after: record.after } : {}),
    ...(typeof values.proven === 'number' ? { proven: values.proven } : {}),
    ...(typeof values.provenId === 'string' ? { provenId: values.provenId } : {}),
    ...(isJsonObject(values.provenAs)
      ? { provenAs: { exam: String(values.provenAs.exam), shows: isJsonObject(values.provenAs.shows) ? values.provenAs.shows : {} } }
      : {}),
    ...(typeof values.number === 'number' ? { number: values.number } : {}),
    ...(Array.isArray(values.unless) ? { unless: values.unless as Phase[] } : {}),
    ...(values.last === true ? { last: true as const } : {}),
  };
}

function operationOf(id: string): Operation {
  const known: Readonly<Record<string, Operation>> = operations;
  return (Object.hasOwn(known, id) ? known[id as OperationId] : undefined) ?? unknownOperation;
}

/** Fields that are times, booleans or IDs, and the others. */
function split(operation: Operation, fields: JsonObject | undefined): { plain: JsonObject | undefined; rest: JsonObject | undefined } {
  if (!fields) return { plain: undefined, rest: undefined };
  const plain: JsonObject = {};
  const rest: JsonObject = {};
  for (const [key, value] of Object.entries(fields)) {
    const type = operation.resource === 'proctor' ? undefined : ruleOf(operation.resource === 'exam' ? 'exam' : 'session', key)?.type;
    const isPlain = value === null || typeof value === 'boolean' || type === 'time' || key === 'status';
    (isPlain ? plain : rest)[key] = value;
  }
  return {
    plain: Object.keys(plain).length > 0 ? plain : undefined,
    rest: Object.keys(rest).length > 0 ? rest : undefined,
  };
}

function defined(values: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as JsonObject;
}
