/** A plan as data: steps, each one request. */
import { type Operation, operations } from '../api/operations.ts';
import type { Request } from '../api/request.ts';
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Reading } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { Phase } from '../model/status.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

export type Step = {
  operation: Operation;
  params: Readonly<Record<string, string>>;
  body?: JsonObject | undefined;
  /** Of `api METHOD PATH`, sent as it was typed. */
  raw?: Request;
  /** Earlier steps that have to be seen before this one is sent. */
  after?: readonly number[];
  /** The step that creates what `param` names: it is waited for like those of `after`. */
  made?: { param: string; by: number } | undefined;
  /** Sent once all other steps of the plan are done; skipped if one of them is not. */
  last?: true;
  /** Of a deletion: what undo sends in its place. Their `after` and `made` count among them. */
  restore?: readonly Step[];
  /** Of a create: what was there before is not what it creates, though it shows the same student or name. */
  isAnother?: true | undefined;
  /** Of a deletion: other sessions of its student, one of which has to be there, before it and afterwards. */
  beside?: Beside | undefined;
  exam?: string | undefined;
  /** Of its student: the address, or else the number. */
  email?: string | undefined;
  number?: string | undefined;
  line?: number | undefined;
  /** It is sent only while its target shows these values. */
  expects?: JsonObject | undefined;
  /** The same of its exam. */
  expectsExam?: JsonObject | undefined;
  /** It is not sent in one of these phases. */
  unless?: readonly Phase[] | undefined;
  /** What undo sets back, beside `expects`. */
  before?: JsonObject;
  /** What it is about. If a second plan words it otherwise, the plan has changed. */
  about?: string | undefined;
  /** It was so already when it was planned: nothing is sent. */
  isSo?: true;
  /** Sent even if all its values are shown already: PUT, mails. */
  always?: true | undefined;
  /** What it was about has been erased from the record. */
  forgotten?: true;
};

/** `exam`: that of the deletion, unless it names another one. `shows`: what such a session has to show. */
export type Beside = { ids: readonly string[]; exam?: string | undefined; shows?: JsonObject };

/** What is there already is a success (`--if-not-exists`, `--unless-mailed`). */
export type There = { is: 'there'; shown: JsonObject } | { is: 'mailed'; why: readonly Sentence[] };

export type Plan = {
  steps: readonly Step[];
  /** By exam. */
  readings?: ReadonlyMap<string, Reading> | undefined;
  /** The rolls in which it has looked up what is there already. */
  looked?: readonly { wasThere: readonly string[] }[];
  leftOut?: readonly Sentence[];
  there?: There;
  /** Of an undo: not all that its run did is taken back. */
  isPart?: boolean;
  /** Why none of it may be sent. */
  refused?: CliError | undefined;
};

export type Resource = 'exam' | 'session';
/** What a step is about: each kind is looked at in its own way. */
export type Kind = 'student' | 'new exam' | 'mails' | 'pool' | 'update' | 'deletion' | 'other';

/** Of a request of `api` that is not in the table. */
export const unknownOperation: Operation = {
  id: 'raw',
  method: 'POST',
  path: '/',
  does: 'send the request',
  resource: 'user',
  answer: 'open',
  repeat: 'never',
};

export function kindOf({ operation }: Step): Kind {
  const { id, method, resource, writes } = operation;
  if (id === operations.sendEmails.id) return 'mails';
  if (writes?.writing === 'create') return writes.resource === 'exam' ? 'new exam' : 'student';
  if (resource === 'proctor') return 'pool';
  if (!operation.path.endsWith('/:id')) return 'other';
  return method === 'DELETE' ? 'deletion' : 'update';
}

export function creates(step: Step): Resource | undefined {
  const kind = kindOf(step);
  if (kind === 'new exam') return 'exam';
  return kind === 'student' ? 'session' : undefined;
}

export function resourceOf({ operation }: Step): Resource {
  return operation.resource === 'session' ? 'session' : 'exam';
}

export function nameOf(resource: Resource, id = ''): string {
  return `${resource === 'exam' ? 'exam' : 'student session'} ${id}`;
}

export function lookAt(resource: Resource, id: string): Sentence {
  return sentence`Look at it: proctor-cli ${typedCommand(`${resource}s get`, [id])}`;
}

export function showsAll(shown: JsonObject, body: JsonObject = {}): boolean {
  return Object.keys(body).every((field) => Object.hasOwn(shown, field));
}

export function mailAgain(exam: string): Sentence {
  return sentence`To mail all of them again: proctor-cli ${typedCommand('exams send-emails', [exam], '--resend')}`;
}

/** Refused before anything is sent. */
export function notSent(what: Sentence, remedy: Sentence): CliError {
  return new CliError('invalid_input', what, { hint: sentence`Nothing was sent. ${remedy}` });
}

/** What a step replaces, as the service showed it. */
export function oldValues(step: Pick<Step, 'expects' | 'before'> | undefined): JsonObject {
  return { ...step?.expects, ...step?.before };
}

export function requestOf({ operation, params, body, raw, made }: Step) {
  if (raw) return raw;
  const request = { operation, params: { ...params }, body };
  if (made === undefined || params[made.param] !== undefined) return request;
  const maker = operation.path.startsWith('/exams') ? 'exam' : 'session';
  request.params[made.param] = 'ID';
  return { ...request, note: `ID: of the ${maker} that request ${made.by + 1} creates` };
}

export function examOfStep(step: Pick<Step, 'exam' | 'operation' | 'params'>): string | undefined {
  if (step.exam) return step.exam;
  return step.operation.path.startsWith('/exams/') ? (step.params.exam_id ?? step.params.id) : undefined;
}

/** A session and an exam may have the same ID. */
export function listedAs(resource: Resource, id: string): string {
  return `${resource} ${id}`;
}

export function targetOf(step: Step): string {
  return listedAs(resourceOf(step), step.params.id ?? '');
}

export function awaited({ after = [], made }: Step): number[] {
  return made === undefined ? [...after] : [...after, made.by];
}
