/** What the inverse of a step is computed from, and why a step stays. */
import { operations } from '../api/operations.ts';
import { orElse } from '../errors.ts';
import { differences, replacedBy, shownOf, unexpected } from '../model/compare.ts';
import { ruleOf, settable, timeFields } from '../model/fields.ts';
import { fieldAt, type Json, type JsonObject } from '../model/json.ts';
import { allKeysOf, type Reading } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { Run, RunRecord } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Engine } from './engine.ts';
import { type Execution, Executions, executionOf, isRefusedAsThere, isUnknown, isWritten, leftBy, loadExecutions } from './execution.ts';
import { type ExistingRecords, existingIn } from './existing-records.ts';
import type { Delete, OtherSessions, Resource, Step } from './steps/step.ts';
import { bodyOf, copyIn, created, isLasting, isUpdate, listedAs, operationOf, resourceOf, StepList, showsAs } from './steps/step.ts';

/** Why a step is not taken back. `gone`: because it is undone or gone already. `by`: the later run that has changed it. */
export type Stays = { why: Sentence; gone: boolean; by: string | undefined };
/** The steps that take back one step, numbered among themselves; or why it stays. */
export type Inverse = readonly Step[] | Stays;
export type NotUndone = Stays & { step: Step; id: string | undefined; exam: string | undefined };

export function stays(...words: Parameters<typeof sentence>): Stays {
  return { why: sentence(...words), gone: false, by: undefined };
}

export function gone(...words: Parameters<typeof sentence>): Stays {
  return { why: sentence(...words), gone: true, by: undefined };
}

export const outcomeUnknown = stays`its outcome is unknown: it may have been carried out`;

/** Whether a step is this run's own and something of it may stand. What was created is read by its ID. */
export function isOwn({ owned, state, reason, step }: Execution): boolean {
  const mayStand = state === 'done' || ['different', 'duplicate', 'changed', 'gone'].includes(reason ?? '');
  return owned && (mayStand || created(step) !== undefined);
}

/** Why a step is not this run's own; undefined if nothing of it is there. */
export function whyNotOurs(execution: Execution): Stays | undefined {
  const { step, state, reason, id, code } = execution;
  if (isUnknown(execution) || reason === 'closed') return outcomeUnknown;
  if (reason === 'duplicate') return stays`several match what was sent, and any may be its own`;
  if (isUpdate(step) && reason === 'different') return stays`it shows other values than were set`;
  const resource = created(step);
  const isThere =
    (state === 'done' && reason === undefined) || (reason === 'different' && !isRefusedAsThere(execution) && code !== 'was there');
  const isMaybe = resource !== undefined && id !== undefined && isThere;
  return isMaybe ? stays`another client may have created it` : undefined;
}

/** Whether a step deletes a session, an exam or proctors, also if the record has forgotten which. */
function isDeletion({ step }: Execution): boolean {
  return operationOf(step).method === 'DELETE';
}

/**
 * The reads before: what the targets of updates show, the steps of undos that still hold, who deleted what is gone, and what was deleted
 * of students who have another session.
 */
type Findings = {
  shown: ReadonlyMap<Execution, JsonObject | undefined>;
  undone: readonly Execution[];
  deletions: Awaited<ReturnType<typeof deletionsIn>>;
  deletedFor: Awaited<ReturnType<typeof deletedForThese>>;
};

/**
 * By the ID of the session that its student was left: the deletions by undos of moves that relied on that session, and those of other
 * sessions by this run itself, which nothing brings back.
 */
async function deletedForThese({ client, record, origin }: Engine, run: string, executions: readonly Execution[]) {
  const creates = executions.filter(({ step }) => created(step) === 'session');
  const students = creates
    .flatMap(({ step: { student } }) => student.email ?? student.number ?? [])
    .map((each) => record.keys.studentKey(each));
  const rows = await record.find(origin, { students: [...new Set(students)], ops: [operations.deleteSession.id], states: ['done'] });
  const relying = rows.flatMap((row) => {
    const { step, exam = '' } = executionOf(row);
    const { survivor } = step as Partial<Delete>;
    if (survivor?.origin === undefined || !('sessions' in survivor)) return [];
    return survivor.sessions.map((id) => [id, { run: row.run, exam }] as const);
  });
  const lasting = executions.filter(({ step }) => isLasting(step) && resourceOf(step) === 'session');
  const removedFrom = new Map(lasting.flatMap(({ step, exam = '' }) => allKeysOf(step.student, client.dialect).map((key) => [key, exam])));
  const removed = creates.flatMap(({ step, id = '' }) => {
    const exams = allKeysOf(step.student, client.dialect).flatMap((key) => removedFrom.get(key) ?? []);
    return exams.map((exam) => [id, { run, exam }] as const);
  });
  return new Map([...relying, ...removed]);
}

/**
 * The deletions in these exams that runs from here have done, by what was deleted. `movedTo`: the exam in which the same run has created
 * the student.
 */
async function deletionsIn({ record, origin }: Engine, undos: readonly Run[], executions: readonly Execution[]) {
  const exams = executions.flatMap(({ exam, step, id }) => exam ?? (created(step) === 'exam' ? id : undefined) ?? []);
  const { deleteSession, deleteExam } = operations;
  const rows = await record.find(origin, { exams: [...new Set(exams)], ops: [deleteSession.id, deleteExam.id], states: ['done'] });
  const found = new Map<string, { run: string; isUndo: boolean; movedTo: string | undefined }>();
  for (const [run, of] of Map.groupBy(rows, (row) => row.run)) {
    const isUndo = undos.some(({ id }) => id === run);
    const items = new Executions(await loadExecutions(record, run));
    for (const { n, op, target } of of) {
      const [copy] = items.of(items.of([n]).flatMap(({ step }) => copyIn(step)));
      const what = `${op === deleteExam.id ? 'exam' : 'session'} ${target}`;
      // The latest first: others may have deleted what had this ID before, or has had it since.
      if (isUndo || !found.has(what)) found.set(what, { run, isUndo, movedTo: copy?.exam });
    }
  }
  return found;
}

/** The updates by undos of a run that hold: what an undo of the undo has taken back does not. */
async function undoneIn(record: RunRecord, run: string): Promise<Execution[]> {
  const undos = await record.runs({ undoOf: run });
  const standing = undos.map(async ({ id }) => {
    const [items, back] = [await loadExecutions(record, id), await undoneIn(record, id)];
    return items.filter((item) => isWritten(item) && !isTakenBack(item, back));
  });
  return (await Promise.all(standing)).flat();
}

/** Whether an undo has restored what a step set. What its target shows since then, somebody else has set. */
export function isTakenBack({ step, id }: Execution, undone: readonly Execution[]): boolean {
  if (!isUpdate(step) && step.kind !== 'change pool') return false;
  const fields = Object.keys(bodyOf(step));
  return undone.some((other) => {
    const isSame = other.step.kind === step.kind && other.id === id && resourceOf(other.step) === resourceOf(step);
    // Who was added to a pool is removed, not added again.
    const isBack = isUpdate(step) || operationOf(other.step) !== operationOf(step);
    return isSame && isBack && fields.every((field) => Object.hasOwn(bodyOf(other.step), field));
  });
}

/** Whether a service may have reset a value that a write left out: it is empty now, or a yes or no. Somebody else may have set any other value. */
export function mayBeReset(before: Json | undefined, now: Json | undefined): boolean {
  return typeof before === 'boolean' || (now ?? '') === '';
}

export class Undoing extends Executions {
  readonly engine: Engine;
  readonly steps = new StepList();
  readonly kept: NotUndone[] = [];
  /** For a creation, by its number: the sessions by which its student is in the old exam again. */
  readonly survivors = new Map<number, OtherSessions>();
  readonly found: Findings;
  readonly #planned = new Map<number, readonly number[]>();
  readonly #existing = new Map<string, Promise<ExistingRecords | undefined>>();

  private constructor(engine: Engine, executions: readonly Execution[], found: Findings) {
    super(executions);
    this.engine = engine;
    this.found = found;
  }

  static async of(engine: Engine, run: string, executions: readonly Execution[]): Promise<Undoing> {
    const updates = executions.filter((execution) => isUpdate(execution.step) && isOwn(execution));
    const reads = await engine.client.pacer.map(updates, ({ step, id = '' }) => engine.reads.record(resourceOf(step), id));
    const shown = new Map(updates.map((execution, at) => [execution, reads[at]?.data]));
    const undone = await undoneIn(engine.record, run);
    const deletions = await deletionsIn(engine, await standingUndos(engine.record, run), executions);
    return new Undoing(engine, executions, { shown, undone, deletions, deletedFor: await deletedForThese(engine, run, executions) });
  }

  /** Why a step stays that is not this run's own, with the command that deletes what it made, if that takes nothing from anybody. */
  async notOurs(execution: Execution): Promise<Stays | undefined> {
    const { step, id } = execution;
    const resource = created(step);
    const why = whyNotOurs(execution);
    if (!why || resource === undefined || id === undefined || isUnknown(execution)) return why;
    const shown = (await this.engine.reads.record(resource, id))?.data;
    if (!shown) return this.found.deletions.has(listedAs(resource, id)) ? undefined : this.missing(resource, execution);
    const shows = (values: JsonObject) => differences(resource, values, shown, this.engine.zone).different.length === 0;
    const isAsItWas = shows(bodyOf(step)) && shows(this.lastSeen(execution));
    const isOnlyCopy = this.found.deletedFor.has(id) || this.followers(execution).some(isDeletion) || this.mayBeLast(execution);
    if (!isAsItWas || isOnlyCopy) return why;
    const remove = typedCommand(`${resource}s delete`, [id]);
    return stays`${why.why}; if nobody has, delete it: proctor-cli ${remove}`;
  }

  /** Whether the student may be in no other exam: the record may have forgotten the step that deleted the old session. */
  mayBeLast(creation: Execution): boolean {
    const hasForgotten = this.executions.some((each) => each.isForgotten && operationOf(each.step) === operations.deleteSession);
    return hasForgotten && !this.followers(creation).some(isDeletion);
  }

  /** The numbers of the steps that take it back. */
  planned({ step }: Execution): readonly number[] {
    return this.#planned.get(step.number) ?? [];
  }

  /** Adds the inverse of a step, which waits until everything that was done after the step is taken back. */
  plan(execution: Execution, inverse: readonly Step[]): void {
    const later = this.followers(execution).flatMap((each) => this.planned(each));
    const planned = this.steps.append(inverse, later);
    this.#planned.set(
      execution.step.number,
      planned.map(({ number }) => number),
    );
  }

  /** Whether it is known already that it is not undone. */
  isKept({ step }: Execution): boolean {
    return this.kept.some((each) => !each.gone && each.step === step);
  }

  /** Whether this run has created the session. */
  isOurs(session: string): boolean {
    return this.executions.some(({ owned, step, id }) => owned && created(step) === 'session' && id === session);
  }

  /** Why a target is no longer there; `gone` only if an undo deleted it. `again`: the session that its student has in the exam now. */
  async missing(resource: Resource, { id = '', exam, step: { student } }: Execution): Promise<Stays & { again?: string }> {
    const by = this.found.deletions.get(listedAs(resource, id));
    const said = sentence`it is no longer there${by ? sentence`: run ${by.run} deleted it` : ''}`;
    // An undo of a move may have been taken back itself.
    if (by?.isUndo && by.movedTo === undefined) return gone`${said}`;
    const there = async (where: string) => (await this.existing(where))?.reading.of(student)[0]?.id;
    const again = resource === 'session' && exam !== undefined ? await there(exam) : undefined;
    if (again === id) return stays`the list of exam ${exam ?? ''} shows it, and the service does not by its ID (404)`;
    if (again !== undefined) return { ...stays`the student is in exam ${exam ?? ''} again, as session ${again}`, again };
    if (by?.isUndo) return gone`${said}`;
    const isMoved = by?.movedTo !== undefined && (await there(by.movedTo)) !== undefined;
    return isMoved ? stays`the student was moved to exam ${by.movedTo} by run ${by.run}` : stays`${said}`;
  }

  /** Undefined where the list cannot be read. */
  existing(exam: string): Promise<ExistingRecords | undefined> {
    const reading = this.#existing.get(exam) ?? orElse(existingIn(this.engine, exam), () => undefined);
    this.#existing.set(exam, reading);
    return reading;
  }

  async readings(): Promise<ExistingRecords[]> {
    const all = await Promise.all(this.#existing.values());
    return all.filter((each) => each !== undefined);
  }

  /** Why something stays that shows other values than a run `left`, with the run from here that has set them. */
  async changed({ step, id = '' }: Execution, what: string, left: JsonObject, shown: JsonObject): Promise<Stays> {
    const { record, origin } = this.engine;
    const resource = resourceOf(step);
    const rows = await record.find(origin, { ids: [id], states: ['done'] });
    const by = rows.find((row) => {
      const { step: other } = executionOf(row);
      const isOfSame = isUpdate(other) && resourceOf(other) === resource;
      const set = Object.entries(isOfSame ? bodyOf(other) : {}).filter(([field]) => Object.hasOwn(left, field));
      const values = Object.fromEntries(set);
      return showsAs(resource, values, shown) && !showsAs(resource, values, left);
    });
    return { ...stays`it was changed since${by ? ` by run ${by.run}` : ''}: ${what}`, by: by?.run };
  }

  /** The values that a run left, of a creation and of what was set afterwards. A field that was not shown was not set. */
  lastSeen(execution: Execution): JsonObject {
    const { step } = execution;
    const resource = resourceOf(step);
    // A yes or no has a default, which a list may leave out.
    const unset = settable(resource, this.engine.client.dialect).filter((field) => ruleOf(resource, field)?.type !== 'boolean');
    const later = this.followers(execution).filter((other) => isUpdate(other.step) && this.creatorOf(other.step) === execution);
    const nulls = Object.fromEntries(unset.map((field) => [field, null]));
    const ofLater = later.map((other) => {
      const { step: update, reason, untouched = {} } = other;
      const left = leftBy(other) ?? {};
      // What the service has reset along with one of these, its run has named.
      const along = Object.keys(reason === 'different' ? untouched : {}).filter((field) => mayBeReset(untouched[field], left[field]));
      return { ...shownOf(along, left), ...replacedBy(Object.keys(bodyOf(update)), left) };
    });
    return Object.assign(nulls, leftBy(execution) ?? bodyOf(step), ...ofLater);
  }

  /** Whether an undo has deleted what the run created. A record with that ID now belongs to another client. */
  isUndone(resource: Resource, id: string): boolean {
    return this.found.deletions.get(listedAs(resource, id))?.isUndo === true;
  }

  /** A session as its list shows it; read by its ID if the list leaves out a time, the status, or what was set, or shows it otherwise. */
  async sessionShown(reading: Reading | undefined, id: string, seen: JsonObject): Promise<JsonObject | undefined> {
    if (this.isUndone('session', id)) return undefined;
    const listed = reading?.withId(id)?.data;
    const looked = Object.keys(seen).filter((field) => seen[field] !== null || timeFields.includes(field));
    const isWhole = listed && [...looked, 'status'].every((field) => fieldAt(listed, field) !== undefined);
    const isSame = isWhole && unexpected('session', seen, listed, this.engine.zone) === undefined;
    return isSame ? listed : (await this.engine.reads.record('session', id))?.data;
  }
}

/** The undos of a run that still hold, the last one first: an undo that was undone itself took nothing back. */
export async function standingUndos(record: RunRecord, run: string): Promise<Run[]> {
  const undos = await record.runs({ undoOf: run });
  if (undos.length === 0) return [];
  const counts = await record.counts(undos.map(({ id }) => id));
  const standing: Run[] = [];
  for (const undo of undos) {
    const isEffective = counts.get(undo.id)?.some(({ state }) => state === 'done') === true;
    if (isEffective && !(await standingUndos(record, undo.id)).some(isCompleteUndo)) standing.push(undo);
  }
  return standing;
}

/** Whether an undo has taken back all that it was asked to. */
export function isCompleteUndo({ state, more }: Run): boolean {
  return state === 'finished' && more.isPart !== true;
}
