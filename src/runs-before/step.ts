/**
 * A plan as data: steps, each one request, computed from what was given and from what the service shows. `--dry-run` prints them;
 * a run carries them out.
 */
import type { Operation } from '../api/operations.ts';
import type { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Phase } from '../model/status.ts';
import type { ClaimName } from '../state/state.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Reading } from './reading.ts';

export type Step = {
  operation: Operation;
  /** Values of the `:name` segments of the path; `made` fills the one that is not known yet. */
  params: Readonly<Record<string, string>>;
  /** The parameter that gets the ID which another step creates; `by`: the index of that step. */
  made?: { param: string; by: number } | undefined;
  body?: JsonObject | undefined;
  /** The exam that it is about or belongs to; not known before where `made` gives it. */
  exam?: string | undefined;
  /** The address of the student it is about: the one that is sent, or the one that the service showed when it was planned. */
  email?: string | undefined;
  /** The key of that address, where the address itself is not known: in a run that is resumed or undone. */
  who?: string | undefined;
  /** The line of the file. */
  line?: number | undefined;
  /** What a line without an address is known by in a later part of the same run; a digest of it is recorded. */
  lineKey?: string | undefined;
  /** Values of the target from which the step was computed, as the service showed them. Times are compared as instants, a status by its phase. */
  expects?: JsonObject | undefined;
  /** What undo sets back, beside `expects`: values that the step replaces without relying on them. */
  before?: JsonObject | undefined;
  /** The same of the exam `exam`. */
  expectsExam?: JsonObject | undefined;
  /** Phases of the student in which the session is left as it is: it was planned for the others. */
  unless?: readonly Phase[] | undefined;
  /** The indices of the steps that come first. All of them are lower. */
  after?: readonly number[] | undefined;
  /**
   * The session that has to be shown as this student's by a read right before this step is sent: the one that a step creates, or one
   * that is there. Of `provenAs`: its exam, and what else it has to show.
   */
  proven?: number | undefined;
  provenId?: string | undefined;
  provenAs?: { exam: string; shows: JsonObject } | undefined;
  /** The number of the claim: more than 1 where a duplicate was asked for. */
  number?: number | undefined;
  /** Sent after all steps that are not last, and only if each of them has come to a good end. */
  last?: true | undefined;
};

/** Steps in their order; an array is one, and so is what computes each step when it is asked for. */
export type Steps = {
  readonly length: number;
  at(index: number): Step | undefined;
  /** The indices of the steps that are `last`. */
  readonly last?: readonly number[];
};

/** An array of steps, some of which are last. */
export function withLast(steps: readonly Step[]): Steps {
  return { length: steps.length, at: (index) => steps[index], last: steps.flatMap(({ last }, index) => (last ? [index] : [])) };
}

export type Plan = {
  steps: Steps;
  /** The readings of exams from which it was computed, by the exam's ID: they say who was there. */
  readings?: ReadonlyMap<string, Reading> | undefined;
  /** It was computed by looking at who or what is there (`lookForStudents`, `lookForExams`). */
  looked?: true;
  /** IDs that were there when it was computed, as `listedAs` has them, beside those of the readings. */
  listed?: readonly string[];
  /** What is left out of it and why; it is said with the plan. */
  leftOut?: readonly Sentence[];
  /** Claims of students who provably are not there any more. */
  stale?: readonly ClaimName[];
  /** Why none of it may be sent; a dry run shows it beside the plan. */
  refused?: CliError | undefined;
};

/** Stands for the operation of a step that was forgotten. */
export const unknownOperation: Operation = {
  id: 'raw',
  method: 'POST',
  path: '/',
  does: 'send the request',
  resource: 'user',
  answer: 'open',
  repeat: 'never',
};

/** The steps one by one, from an index on. */
export function* eachStep(steps: Steps, from = 0): Generator<[index: number, step: Step], undefined> {
  for (let index = from; index < steps.length; index += 1) {
    const step = steps.at(index);
    if (step) yield [index, step];
  }
}

/** The same steps with another first one. */
export function withFirst(steps: Steps, first: Step): Steps {
  return { length: steps.length, at: (index) => (index === 0 ? first : steps.at(index)) };
}

/** The indices of all steps that come before one, each once. */
export function dependenciesOf({ after = [], made, proven }: Step): number[] {
  return [...new Set([...after, ...(made ? [made.by] : []), ...(proven === undefined ? [] : [proven])])];
}

/** Whether a step creates a student. */
export function createsStudent({ operation }: Step): boolean {
  return operation.writes?.resource === 'session' && operation.writes.writing === 'create';
}

export function createsExam({ operation }: Step): boolean {
  return operation.writes?.resource === 'exam' && operation.writes.writing === 'create';
}

/** Whether a step can be sent: a line that has gone from its file has left nothing but the key of its student. */
export function isWhole(step: Step | undefined): step is Step {
  return step !== undefined && (!createsStudent(step) || step.body !== undefined);
}

/** The one resource that an update or a deletion is about, and that can be read. */
export type Target = { resource: 'exam' | 'session'; id: string };

export function targetOf({ operation }: Pick<Step, 'operation'>, params: Step['params']): Target | undefined {
  const { id } = params;
  if (operation.method === 'GET' || id === undefined) return undefined;
  if (operation.path === '/exams/:id') return { resource: 'exam', id };
  return operation.path === '/student_sessions/:id' ? { resource: 'session', id } : undefined;
}

/** An ID as it is kept of what was there when a run was planned: a session and an exam may have the same one. */
export function listedAs(resource: 'exam' | 'session', id: string): string {
  return resource === 'exam' ? `exam ${id}` : id;
}

/** The exam that a step belongs to, where its parameters or the plan name it. */
export function examOfStep({ operation, params, exam }: Step): string | undefined {
  if (exam !== undefined) return exam;
  return operation.path.startsWith('/exams/') ? (params.exam_id ?? params.id) : undefined;
}
