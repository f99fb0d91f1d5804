/** A plan as data: steps of seven kinds, one request each, that refer to each other by number. */
import { type Operation, type OperationId, operations, type Request, type RequestStep } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { compared } from '../../model/compare.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Listing, Reading, Wanted } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import type { Phase } from '../../model/status.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

export type Resource = 'exam' | 'session';

/** An ID, or that of what an earlier step creates. */
export type Ref = string | { createdBy: number };

/** How a student is found: by the address, else by the number. */
export type Student = { email: string | undefined; number: string | undefined };

/** What its target and its exam must still show, and the phases in which it is not sent. */
export type Requires = { target: JsonObject; exam: JsonObject; notIn: readonly Phase[] };

export const nobody: Student = { email: undefined, number: undefined };
export const nothingRequired: Requires = { target: {}, exam: {}, notIn: [] };

type Base = {
  number: number;
  /** Undefined for a new exam, and where nobody knows it. */
  exam: Ref | undefined;
  /** Whom it is about. */
  student: Student;
  requires: Requires;
  /** The steps that have to be seen before it is sent. */
  dependsOn: readonly number[] | 'all others';
  /** The line of a file from which it comes. */
  line?: number | undefined;
  /** What previews and questions call it. If a second plan words it otherwise, the plan has changed. */
  label?: Sentence | undefined;
  /** A request of `api METHOD PATH`, which is sent as it was typed. */
  typed?: Request | undefined;
};

/** `isAnother`: it is meant beside one that was there before, or that another line creates. */
export type CreateExam = Base & { kind: 'create exam'; body: JsonObject; isAnother: boolean };
export type CreateSession = Base & { kind: 'create session'; via: 'createSession' | 'addStudent'; body: JsonObject; isAnother: boolean };
export type Create = CreateExam | CreateSession;
/** `previous`: what undo sets back. */
export type Update = Base & {
  kind: 'update';
  resource: Resource;
  id: Ref;
  method: 'PATCH' | 'PUT';
  body: JsonObject;
  previous: JsonObject;
};
export type Delete = Base & {
  kind: 'delete';
  resource: Resource;
  id: string;
  /** The IDs of the sessions of an exam that is deleted. */
  students: readonly string[];
  survivor?: Survivor | undefined;
};
/**
 * What a student stays by whose session is deleted: a copy that earlier steps make, or other sessions, one of
 * which shows these values. `origin`: what an undo creates in place of the deleted session.
 */
export type Survivor = { origin: NewSession | undefined } & ({ copy: readonly number[] } | OtherSessions);
export type OtherSessions = { sessions: readonly string[]; exam: string | undefined; shows: JsonObject | undefined };
/** `examShows`: the times that the exam showed when it was recorded. */
export type NewSession = { student: Student; fields: JsonObject; examShows: JsonObject };
/** `again`: somebody has agreed to mail some or all once more. After `all`, no status shows whether this mail went out. */
export type SendMails = Base & { kind: 'send mails'; exam: string; again?: 'some' | 'all' };
export type ChangePool = Base & { kind: 'change pool'; exam: Ref; change: 'add' | 'remove'; proctors: readonly Json[] };
/** `operation`: undefined for a path that is not in the table. `id`: what the path of an operation of the table names. */
export type RawRequest = Base & { kind: 'raw'; operation: OperationId | undefined; id: Ref | undefined; request: Request };

export type Step = CreateExam | CreateSession | Update | Delete | SendMails | ChangePool | RawRequest;
export type Kind = Step['kind'];

export const stepDefaults = { dependsOn: [], student: nobody, requires: nothingRequired };
type Default = keyof typeof stepDefaults;
type DraftOf<S> = S extends Step ? Omit<S, 'number' | Default> & Partial<Pick<S, Default>> : never;
export type StepDraft = DraftOf<Step>;

/** The deletion of a resource that nothing has read yet. */
export function deletionOf(resource: Resource, id: string) {
  return { kind: 'delete', resource, id, exam: undefined, students: [] } as const;
}

/** The steps of a plan, in the order in which they are added. */
export class StepList {
  readonly all: Step[] = [];

  add(draft: StepDraft): number {
    const number = this.all.length + 1;
    this.all.push({ ...stepDefaults, ...draft, number } as Step);
    return number;
  }

  /** The steps of a part of the plan, which count among themselves, and wait for those of `after`. */
  append(part: readonly Step[], after: readonly number[] = []): readonly Step[] {
    const offset = this.all.length;
    const later = (number: number) => number + offset;
    const refAt = (ref: Ref | undefined) => (typeof ref === 'object' ? { createdBy: later(ref.createdBy) } : ref);
    const moved = part.map((step) => {
      const dependsOn = step.dependsOn === 'all others' ? step.dependsOn : [...step.dependsOn.map(later), ...after];
      const target = 'id' in step ? { id: refAt(step.id) } : {};
      return { ...step, number: later(step.number), exam: refAt(step.exam), dependsOn, ...target } as Step;
    });
    for (const step of moved) this.all.push(step);
    return moved;
  }
}

/** Steps that do not wait for each other. */
export function stepsOf(drafts: readonly StepDraft[]): readonly Step[] {
  const steps = new StepList();
  for (const draft of drafts) steps.add(draft);
  return steps.all;
}

/** What is there already is a success (`--if-not-exists`, `--unless-mailed`). */
export type AlreadyExists = { is: 'there'; shown: JsonObject } | { is: 'mailed'; why: readonly Sentence[]; partly: readonly NotMailed[] };
type NotMailed = { id: string | number | bigint; error: CliError };

export type Plan = {
  steps: readonly Step[];
  /** The lists on which the plan rests, by exam. */
  readings?: ReadonlyMap<string, Reading> | undefined;
  /** The records in which it has looked up what is there already. */
  existing?: readonly { wasThere: readonly string[]; reading: Listing }[];
  /** In place of all steps, or of some. */
  there?: AlreadyExists | undefined;
  /** An undo that does not take back all that its run did. */
  isPart?: boolean;
  /** Why none of it may be sent. */
  refused?: CliError | undefined;
};

export function lookAt(resource: Resource, id: string): Sentence {
  return sentence`Look at it: proctor-cli ${typedCommand(`${resource}s get`, [id])}`;
}

export function showsAll(shown: JsonObject, body: JsonObject = {}): boolean {
  return Object.keys(body).every((field) => Object.hasOwn(shown, field));
}

/** Whether a list shows all of these values. It may be late, cut or masked: where it does not, the record's own GET decides. */
export function showsAs(resource: Resource, values: JsonObject, shown: JsonObject): boolean {
  return showsAll(shown, values) && compared(resource, values, shown).changes.length === 0;
}

/** Refused before anything is sent. */
export function notSent(what: Sentence, remedy: Sentence): CliError {
  return new CliError('invalid_input', what, { hint: sentence`Nothing was sent. ${remedy}` });
}

/** A session and an exam may have the same ID. */
export function listedAs(resource: Resource, id: string): string {
  return `${resource} ${id}`;
}

/** Stands for a request of `api` that is not in the table. */
const unknownOperation: Operation = {
  id: 'raw',
  method: 'POST',
  path: '/',
  does: 'send the request',
  resource: 'user',
  answer: 'open',
};

const operation: { [K in Kind]: (step: Extract<Step, { kind: K }>) => Operation } = {
  'create exam': () => operations.createExam,
  'create session': ({ via }) => operations[via],
  update({ resource, method }) {
    if (resource === 'exam') return method === 'PUT' ? operations.putExam : operations.patchExam;
    return method === 'PUT' ? operations.putSession : operations.patchSession;
  },
  delete: ({ resource }) => (resource === 'exam' ? operations.deleteExam : operations.deleteSession),
  'send mails': () => operations.sendEmails,
  'change pool': ({ change }) => (change === 'add' ? operations.addProctors : operations.removeProctors),
  raw: ({ operation: id }) => (id === undefined ? unknownOperation : operations[id]),
};

export function operationOf(step: Step): Operation {
  return (operation[step.kind] as (step: Step) => Operation)(step);
}

export function targetOf(step: Step): Ref | undefined {
  if ('id' in step) return step.id;
  return isCreate(step) ? undefined : step.exam;
}

/** What it creates. */
export function created(step: Step): Resource | undefined {
  if (step.kind === 'create exam') return 'exam';
  return step.kind === 'create session' ? 'session' : undefined;
}

export function isCreate(step: Step): step is Create {
  return created(step) !== undefined;
}

export function isUpdate(step: Step): step is Update {
  return step.kind === 'update';
}

export function isDelete(step: Step): step is Delete {
  return step.kind === 'delete';
}

/** Whether nothing brings back what it deletes. */
export const isLasting = (step: Step) => step.kind === 'delete' && !step.survivor?.origin;

export function resourceOf(step: Step): Resource {
  return operationOf(step).resource === 'session' ? 'session' : 'exam';
}

/** What it sets. */
export function bodyOf(step: Step): JsonObject {
  return 'body' in step ? step.body : {};
}

export function previousOf(step: Step): JsonObject {
  return step.kind === 'update' ? step.previous : step.requires.target;
}

/** What a student or an exam is looked for by. */
export function wantedBy(step: Step): Wanted {
  return step.kind === 'create exam' ? { body: step.body } : step.student;
}

/** The steps that create the copy by which a student stays whose session is deleted. */
export function copyIn(step: Step): readonly number[] {
  return step.kind === 'delete' && step.survivor && 'copy' in step.survivor ? step.survivor.copy : [];
}

/** Whether a service may read what `api` sends in another way than the table: a query, or values inside of a value. */
export function hasTwoReadings({ typed, ...step }: Step): boolean {
  if (typed?.path.includes('?')) return true;
  const isNested = (value: unknown) => typeof value === 'object' && value !== null;
  return !('proctors' in step) && isJsonObject(typed?.body ?? null) && Object.values(typed?.body ?? {}).some(isNested);
}

/** The body that is sent. */
export function sentBody(step: Step, { proctorsKey }: { proctorsKey: string }): JsonObject | undefined {
  if (step.kind === 'change pool') return { [proctorsKey]: [...step.proctors] };
  return 'body' in step ? step.body : undefined;
}

/** The steps that create its exam or its target. */
export function refsIn(step: Step): number[] {
  return [step.exam, targetOf(step)].flatMap((ref) => (typeof ref === 'object' ? ref.createdBy : []));
}

/** The earlier steps that it waits for. */
export function dependenciesOf(step: Step): readonly number[] {
  return [...new Set([...(step.dependsOn === 'all others' ? [] : step.dependsOn), ...refsIn(step)])];
}

/** The request of a step, with what is known of its target. A note explains an ID that an earlier step creates. */
export function requestOf(
  step: Step,
  dialect: { proctorsKey: string },
  known: { id?: string | undefined; exam?: string | undefined } = {},
): Request | RequestStep {
  if (step.typed) return step.typed;
  if (step.kind === 'raw') return step.request;
  const operation = operationOf(step);
  const ref = isCreate(step) ? step.exam : targetOf(step);
  const id = typeof ref === 'string' ? ref : isCreate(step) ? known.exam : known.id;
  const request = { operation, params: { id: id ?? 'ID', exam_id: id ?? 'ID' }, body: sentBody(step, dialect) };
  if (id !== undefined || typeof ref !== 'object') return request;
  const creator = operation.path.startsWith('/exams') ? 'exam' : 'session';
  return { ...request, note: `ID: of the ${creator} that request ${ref.createdBy} creates` };
}
