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
import { withFreshRead } from './fresh-read.ts';
import { type Operation, operations } from './operations.ts';
import { perform } from './perform.ts';
import type { RequestStep } from './request.ts';

/** `id`: of the exam. `body`: the fields that were given. */
export type ExamUpdate = { operation: Operation; id: string; body: JsonObject };

/** `before`: the exam before the update, if a restriction is among the fields. */
export type UpdatedExam = { before: JsonObject | undefined; after: Json | undefined; evidence?: Sentence };

/** One request; if a restriction is among the fields, the exam is read before and after it. */
export function updateSteps({ operation, id, body }: ExamUpdate): RequestStep[] {
  const params = { id };
  const write = { operation, params, body };
  if (!namesRestriction(body)) return [write];
  const read = { operation: operations.getExam, params };
  if (!wouldResetRestrictions(body)) return [read, write, read];
  const note = `with ${missingRestrictions(body).join(', ')} as the exam has them`;
  const complete = ([before]: readonly (Json | undefined)[]) => ({ params, body: whole(id, before, body) });
  return [read, { ...write, later: { note, complete } }, read];
}

/**
 * Performs an update. With a restriction, the exam has to show what was sent afterwards. Throws
 * `invalid_input` if the service does not show all four and they are not all given, `not_applied` if the exam has
 * other values afterwards.
 */
export async function performUpdate(client: Client, { operation, id, body }: ExamUpdate): Promise<UpdatedExam> {
  const params = { id };
  if (!namesRestriction(body)) {
    const { data, evidence } = await perform(client, operation, { params, body });
    return { before: undefined, after: data, ...(evidence === undefined ? {} : { evidence }) };
  }
  const { before, evidence } = await withFreshRead(async () => {
    const { data, received } = await client.call(operations.getExam, { params });
    const sent = wouldResetRestrictions(body) ? whole(id, data, body) : body;
    const done = await perform(client, operation, { params, body: sent, readAt: received }, { isReadAfterwards: true });
    return { ...done, before: data as JsonObject };
  });
  const after = await client.get(operations.getExam, { params }).catch((error: unknown) => {
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
  const { different } = asSent('exam', whole(id, before, body), after, client.zone);
  if (different.length > 0) {
    throw new CliError(
      'not_applied',
      sentence`The service accepted the request, but did not carry out all of it: ${different.join('; ')}.`,
    );
  }
  return { before, after, ...(evidence === undefined ? {} : { evidence }) };
}

function namesRestriction(body: JsonObject): boolean {
  return restrictionKeys.some((key) => Object.hasOwn(body, key));
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
