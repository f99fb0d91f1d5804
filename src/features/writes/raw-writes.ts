/**
 * What `api METHOD PATH` writes: sent as it was typed, by the rules of every write. Where method and path are an operation of the
 * table, the request is claimed, settled and proven as that operation; a deletion and mails ask as their commands do.
 */
import type { Client } from '../../api/client.ts';
import { examInWords } from '../../api/in-words.ts';
import { type Operation, operations } from '../../api/operations.ts';
import type { RawPath } from '../../api/raw-request.ts';
import { type Request, requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { isJsonObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { carryOut, type Ended, type Plan, readRecord, readStudents, type Step, unknownOperation } from '../../runs-before/index.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import { examToDelete, sessionToDelete } from './deletions.ts';
import { examMailsInWords } from './exam-mails.ts';

type Typed = { raw: Request; resolved: RawPath; fields: JsonObject; print(data: Json | undefined): Result };

export function sendTyped(context: Context, { raw, resolved, fields, print }: Typed): Promise<Result> {
  const { operation } = resolved;
  const asks = raw.method === 'DELETE' || operation?.repeat === 'never';
  const absolute = raw.method !== 'POST';
  let question = sentence`${capitalised(raw.does)}`;
  return carryOut(context, {
    kind: 'api',
    operands: [raw.method, operation && !namesAPerson(resolved) ? raw.path.replace(/\?.*$/s, '') : 'PATH'],
    identity: [raw.method, raw.path, stringifyJson(fields)],
    again: absolute ? 'anew' : 'resume',
    needsYes: asks,
    async plan() {
      const step = stepOf(raw, resolved, fields);
      if (!asks) return { steps: [step] };
      // What the question shows is what is meant; with --yes, what was typed.
      const shown = context.globals.yes || context.globals.dryRun ? undefined : await askedAbout(context, await context.client(), resolved);
      if (shown) question = shown.named;
      const { expects, email, exam } = shown?.step ?? {};
      const known = step.operation === unknownOperation ? {} : { expects, email };
      return {
        steps: [{ ...step, ...known, exam: step.exam ?? exam, about: shown?.named }],
        ...(shown?.readings ? { readings: shown.readings } : {}),
      };
    },
    ...(asks ? { question: () => question } : {}),
    typed: () => (operation === operations.deleteExam ? resolved.params.id : undefined),
    result: (ended) => printed(context, ended, print),
  });
}

/** An address typed in place of an ID: a path that holds one is recorded sealed only. */
function namesAPerson({ params }: RawPath): boolean {
  return Object.values(params).some((id) => id.includes('@'));
}

/** The request as the operation that it means: only a path that is spelled as a command would spell it is surely that. */
function stepOf(raw: Request, resolved: RawPath, fields: JsonObject): Step {
  const { operation, params } = resolved;
  const [path, query] = raw.path.split('?');
  if (!operation || namesAPerson(resolved) || query !== undefined || requestFor(operation, { params }).path !== path) {
    return { operation: unknownOperation, params: {}, raw };
  }
  const body = bodyIn(fields, operation);
  const exam = operation.path.startsWith('/exams/') ? (params.exam_id ?? params.id) : undefined;
  const email = operation.writes?.writing === 'create' ? body?.email : undefined;
  return { operation, params, raw, body, exam, ...(typeof email === 'string' && email.trim() !== '' ? { email } : {}) };
}

/** The fields that are sent, out of their wrapper. */
function bodyIn(fields: JsonObject, { writes }: Operation): JsonObject | undefined {
  const [only, ...others] = Object.values(fields);
  if (writes && isJsonObject(only) && others.length === 0) return only;
  return Object.keys(fields).length === 0 ? undefined : fields;
}

type Asked = { step?: Step; named: Sentence; readings?: Plan['readings'] };

/** What the question of the command with the same operation shows; undefined if it has none. */
async function askedAbout(context: Context, client: Client, { operation, params: { id = '' } }: RawPath): Promise<Asked | undefined> {
  if (operation === operations.deleteExam) {
    const { step, named, reading } = await examToDelete(context, client, id);
    return { step, named: sentence`Delete ${named}`, readings: new Map([[id, reading]]) };
  }
  if (operation === operations.deleteSession) {
    const { step, named } = await sessionToDelete(context, client, id);
    return { step, named: sentence`Delete student session ${named}` };
  }
  if (operation !== operations.removeProctors && operation !== operations.sendEmails) return undefined;
  const exam = examInWords(id, await readRecord(context, 'exam', id), client, context.zone());
  if (operation === operations.removeProctors) return { named: sentence`Remove proctors from ${exam}` };
  const reading = await readStudents(context, id);
  return { named: examMailsInWords(exam, reading), readings: new Map([[id, reading]]) };
}

/** The answer as it came; where none came, what the service shows since. */
function printed(context: Context, ended: Ended, print: Typed['print']): Result {
  const [outcome] = ended.outcomes();
  const failure = ended.failure({ did: 'done', idType: undefined });
  if (outcome?.evidence !== undefined) context.say(outcome.evidence);
  const answer = outcome?.answer ?? (failure ? undefined : outcome?.shown);
  if (failure && answer === undefined) throw failure;
  return { ...print(answer), ...(failure ? { failure } : {}) };
}
