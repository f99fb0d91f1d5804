/**
 * Updates an exam so that no restriction is lost: version 1.x resets restrictions missing from an update
 * (specification 2.1, rule 2), so all four are sent with the values of the exam.
 */
import { CliError, isInterruption } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf, wouldResetRestrictions } from '../model/restrictions.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { asSent } from './as-sent.ts';
import type { Client } from './client.ts';
import { type Operation, operations } from './operations.ts';
import { performStep } from './perform-step.ts';
import type { RequestStep } from './request.ts';

/** `id`: of the exam. `body`: the fields that were given. */
export type ExamUpdate = { operation: Operation; id: string; body: JsonObject };

/** `before`: the exam before the update, if a restriction is among the fields. */
export type UpdatedExam = { before: JsonObject | undefined; after: Json | undefined; evidence?: Sentence };

/** One request; if a restriction is among the fields, the exam is read before and after it. */
export function updateSteps({ operation, id, body }: ExamUpdate): RequestStep[] {
  const params = { id };
  const write = { operation, params, body };
  if (!restrictionKeys.some((key) => Object.hasOwn(body, key))) return [write];
  const read = { operation: operations.getExam, params };
  if (!wouldResetRestrictions(body)) return [read, write, read];
  const note = `with ${missingRestrictions(body).join(', ')} as the exam has them`;
  const complete = ([before]: readonly (Json | undefined)[]) => ({ params, body: whole(id, before, body) });
  return [read, { ...write, later: { note, complete } }, read];
}

/**
 * Performs the steps of an update. With a restriction, the exam has to show what was sent afterwards. Throws
 * `invalid_input` if the service does not show all four and they are not all given, `not_applied` if the exam has
 * other values afterwards.
 */
export async function performUpdate(client: Client, { id, body }: ExamUpdate, steps: readonly RequestStep[]): Promise<UpdatedExam> {
  const [read, write, verify] = steps;
  if (!read) return { before: undefined, after: undefined };
  if (!write || !verify) {
    const { data, evidence } = await performStep(client, read);
    return { before: undefined, after: data, ...(evidence === undefined ? {} : { evidence }) };
  }
  const before = (await performStep(client, read)).data as JsonObject;
  const { evidence } = await performStep(client, write, [before]);
  const after = await performStep(client, verify).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    const stopped = isInterruption(error);
    throw new CliError(
      stopped ? error.code : 'outcome_unknown',
      sentence`Exam ${id} was updated, but could not be read afterwards to verify it: ${error.message}`,
      {
        hint: sentence`Check with: proctor-cli ${typedCommand('exams get', [id])}`,
      },
    );
  });
  const { different } = asSent('exam', whole(id, before, body), after.data as JsonObject, client.zone);
  if (different.length > 0) {
    throw new CliError(
      'not_applied',
      sentence`The service accepted the request, but did not carry out all of it: ${different.join('; ')}.`,
    );
  }
  return { before, after: after.data, ...(evidence === undefined ? {} : { evidence }) };
}

/** The fields that were given, and the other restrictions as the exam has them. Throws `invalid_input` where it does not show one. */
function whole(id: string, before: Json | undefined, body: JsonObject): JsonObject {
  const shown = isJsonObject(before) ? before : {};
  const missing = missingRestrictions({ ...shown, ...body });
  if (missing.length === 0) return { ...restrictionsOf(shown), ...body };
  throw new CliError(
    'invalid_input',
    sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset those that the update leaves out.`,
    {
      hint: sentence`Give all four: ${restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ')}`,
    },
  );
}
