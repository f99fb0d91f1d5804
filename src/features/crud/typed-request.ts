/**
 * What `api METHOD PATH` writes: sent as it was typed, by the rules of every write. An operation of the table is
 * looked up as such; a deletion and mails ask as their commands do.
 */
import { type Operation, operations, type Request, requestFor } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Ended, type Engine, executePlan, locksOf, type StepDraft, typedStep } from '../../runs/index.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import { askedPlan, askings, withCurrentValues } from './confirmed-writes.ts';
import { failureOf } from './failure.ts';
import { studentIn } from './single-writes.ts';
import type { TypedPath } from './typed-path.ts';

type TypedRequest = { raw: Request; resolved: TypedPath; fields: JsonObject; print(data: Json | undefined): Result };

export function sendTyped(context: Context, { raw, resolved, fields, print }: TypedRequest): Promise<Result> {
  const { operation, params } = resolved;
  const asks = raw.method === 'DELETE' || operation === operations.sendEmails;
  const asking = askings.find((each) => each.operation === operation);
  // A person agrees to what the question shows; --yes agrees to what was typed.
  const isShown = asks && !context.globals.yes && !context.globals.dryRun;
  const { pathname, searchParams } = new URL(raw.path, 'http://path');
  searchParams.sort();
  let placed: Promise<StepDraft> | undefined;
  const stepInExam = async ({ client }: Engine) => {
    const step = stepMeant(context, raw, resolved, fields);
    if (isShown) return step;
    placed ??= withCurrentValues(client, step);
    return placed;
  };
  return executePlan(context, {
    kind: 'api',
    operands: [raw.method, operation && !namesAPerson(resolved) ? withoutQuery(raw.path) : 'PATH'],
    identity: { method: raw.method, path: pathname, query: String(searchParams), fields },
    needsYes: asks,
    locks: async (engine) => locksOf(askedPlan([{ step: await stepInExam(engine) }]).steps),
    async plan(engine) {
      const step = await stepInExam(engine);
      const asked = isShown ? await asking?.read(engine, params.id ?? '') : undefined;
      if (!asked) return askedPlan([{ step }]);
      const { label, exam } = asked.step;
      // A path that surely means no operation is sent as it was typed.
      const shown = asked.step.kind === step.kind ? { ...asked.step, typed: raw } : { ...step, exam, label };
      return askedPlan([{ ...asked, step: shown as StepDraft }]);
    },
    question(plan) {
      if (!asks) return undefined;
      return plan.steps[0]?.label !== undefined && asking ? asking.question(context, plan) : sentence`${capitalised(raw.does)}`;
    },
    typed: () => (operation === operations.deleteExam ? params.id : undefined),
    result: (ended) => typedResult(context, ended, print),
  });
}

/** Whether an address stands for an ID: such a path is recorded sealed only. */
function namesAPerson({ params }: TypedPath): boolean {
  return Object.values(params).some((id) => id.includes('@'));
}

/** The step that a typed request means. Only a path that a command would spell the same way surely means its operation. */
function stepMeant(context: Context, raw: Request, resolved: TypedPath, fields: JsonObject): StepDraft {
  const { operation, params, query } = resolved;
  const { proctorsKey } = context.settings().dialect;
  const names = Object.keys({ ...query, ...fields });
  // A change of the pool that names its proctors in another way cannot be looked up.
  const isOdd = operation?.resource === 'proctor' && names.length > 0 && !Object.hasOwn(fields, proctorsKey);
  const isPlain = operation && !isOdd && !namesAPerson(resolved) && requestFor(operation, { params }).path === withoutQuery(raw.path);
  // A service may read fields from the query, too.
  const body = isPlain ? { ...query, ...bodyIn(fields, operation) } : {};
  const student = studentIn(context, body);
  return typedStep({ operation: isPlain ? operation : undefined, params, body, student, request: raw, proctorsKey });
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, '');
}

/** The fields of the resource, without an object around them such as `exam`. */
function bodyIn(fields: JsonObject, { writes }: Operation): JsonObject | undefined {
  const [only, ...others] = Object.values(fields);
  if (writes && isJsonObject(only) && others.length === 0) return only;
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function typedResult(context: Context, ended: Ended, print: TypedRequest['print']): Result {
  const [item] = ended.items;
  const failure = failureOf(ended, { did: 'done' });
  if (item?.note !== undefined) context.say(item.note);
  const answer = item?.answer ?? (failure ? undefined : item?.shown);
  return { ...print(answer), failure };
}
