/**
 * Writes that can be trusted: after an answer that was lost, a delete or an update looks for itself
 * (GET, compare, report); after an answer that came, what was sent is compared with what is there.
 * Changing a restriction reads the exam first and sends all four, because version 1.x resets those
 * that an update leaves out (specification 2.1, rule 2).
 */
import { CliError } from '../errors.ts';
import { type FieldRule, ruleOf, type WritableResource } from '../model/fields.ts';
import { type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf } from '../model/restrictions.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { sameInstant } from '../model/time.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Client } from './client.ts';
import { type Operation, operations } from './operations.ts';
import type { RequestInput } from './request.ts';

export type Performed = {
  /** The resource after the request, where the service shows it. */
  data: Json | undefined;
  /** How the outcome is known, where the service's answer was lost. */
  looked?: Sentence;
};

const getFor = { exam: operations.getExam, session: operations.getSession } as const;

/** Sends one write. Throws `outcome_unknown` only if looking did not settle it. */
export async function perform(client: Client, operation: Operation, input: RequestInput): Promise<Performed> {
  try {
    const { data } = await client.call(operation, input);
    if (operation.writes && input.body) checkApplied(operation.writes.resource, input.body, data as JsonObject);
    return { data };
  } catch (error) {
    if (!(error instanceof CliError && error.code === 'outcome_unknown')) throw error;
    const settled = await settle(client, operation, input, error);
    if (settled) return settled;
    throw error;
  }
}

/** Looks whether a write whose answer was lost has happened; undefined where a look cannot tell. */
async function settle(client: Client, operation: Operation, input: RequestInput, lost: CliError): Promise<Performed | undefined> {
  const resource = operation.resource === 'exam' || operation.resource === 'session' ? operation.resource : undefined;
  const single = operation.path === '/exams/:id' || operation.path === '/student_sessions/:id';
  if (!resource || !single) return undefined;
  const now = await client.get(getFor[resource], { params: input.params ?? {} }).catch((error: unknown) => error);
  const subject = `${resource === 'exam' ? 'exam' : 'student session'} ${input.params?.id}`;
  const unsettled = (what: string, hint: Sentence) =>
    new CliError('outcome_unknown', sentence`${lost.message} ${what}`, {
      hint,
      ...(lost.status === undefined ? {} : { status: lost.status }),
    });
  if (operation.method === 'DELETE') {
    if (now instanceof CliError && now.code === 'not_found')
      return { data: undefined, looked: sentence`The answer was lost, but ${subject} is gone.` };
    if (now instanceof Error) return undefined;
    throw unsettled(`A look shows that ${subject} is still there.`, sentence`Look again in a moment; deleting it again is harmless.`);
  }
  if (now instanceof Error || !input.body) return undefined;
  const different = differences(resource, input.body, now as JsonObject, { strict: true });
  if (different.length === 0)
    return { data: now as JsonObject, looked: sentence`The answer was lost, but ${subject} is as it was meant to be.` };
  throw unsettled(`A look shows: ${different.join('; ')}.`, sentence`Sending the same update again is harmless.`);
}

export type ExamUpdate = { before: JsonObject | undefined; after: Json | undefined; looked?: Sentence };

/**
 * Updates an exam. Where a restriction is among the fields, all four are sent, the exam is read
 * before and after, and the outcome is compared; `before` is the exam as it was.
 * Throws `invalid_input` if the service does not show all four and they are not all given,
 * `not_applied` if the exam is not as it was meant to be afterwards.
 */
export async function updateExam(client: Client, operation: Operation, id: string, body: JsonObject): Promise<ExamUpdate> {
  const params = { id };
  if (!restrictionKeys.some((key) => Object.hasOwn(body, key))) {
    const { data, looked } = await perform(client, operation, { params, body });
    return { before: undefined, after: data, ...(looked === undefined ? {} : { looked }) };
  }
  const before = await client.get(operations.getExam, { params });
  const missing = missingRestrictions({ ...before, ...body });
  if (missing.length > 0) {
    throw new CliError(
      'invalid_input',
      sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset what the update leaves out.`,
      {
        hint: sentence`Give all four: ${restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ')}`,
      },
    );
  }
  const whole = { ...restrictionsOf(before), ...body };
  const { looked } = await perform(client, operation, { params, body: whole });
  const after = await client.get(operations.getExam, { params }).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.code, sentence`Exam ${id} was updated, but could not be read again to make sure: ${error.message}`, {
      hint: sentence`Look with: proctor-cli exams get ${shellQuoted(id)}`,
    });
  });
  checkApplied('exam', whole, after);
  return { before, after, ...(looked === undefined ? {} : { looked }) };
}

function checkApplied(resource: WritableResource, sent: JsonObject, shown: JsonObject) {
  const different = differences(resource, sent, shown, { strict: false });
  if (different.length === 0) return;
  throw new CliError('not_applied', sentence`The service accepted the request, but did not do all of it: ${different.join('; ')}.`);
}

/**
 * The fields that are not as they were sent, in words. After an answer that came (`strict: false`)
 * what the service does not show, and fields the specification does not name, prove nothing; where
 * only a look can tell, they must be there and equal.
 */
function differences(resource: WritableResource, sent: JsonObject, shown: JsonObject, { strict }: { strict: boolean }): string[] {
  return Object.entries(sent).flatMap(([key, value]) => {
    const rule = ruleOf(resource, key);
    const present = Object.hasOwn(shown, key);
    if (!strict && !(rule && present)) return [];
    if (present && same(rule, value, shown[key])) return [];
    return [`${key} is ${present ? stringifyJson(shown[key]) : 'not shown'}, not ${stringifyJson(value)}`];
  });
}

function same(rule: FieldRule | undefined, sent: Json, shown: Json | undefined): boolean {
  if (rule?.type === 'time' && sent !== null) return sameInstant(sent, shown);
  if (rule?.type === 'text' && typeof sent === 'string' && typeof shown === 'string')
    return sent.trim().toLowerCase() === shown.trim().toLowerCase();
  return stringifyJson(sent) === stringifyJson(shown);
}
