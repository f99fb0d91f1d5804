/**
 * Updates an exam so that no restriction is lost: version 1.x resets those that an update leaves out
 * (specification 2.1, rule 2), so all four are sent, as the exam has them.
 */
import { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf } from '../model/restrictions.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { asSent } from './as-sent.ts';
import type { Client } from './client.ts';
import { type Operation, operations } from './operations.ts';
import { perform } from './perform.ts';

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
      sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset those that the update leaves out.`,
      {
        hint: sentence`Give all four: ${restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ')}`,
      },
    );
  }
  const whole = { ...restrictionsOf(before), ...body };
  const { looked } = await perform(client, operation, { params, body: whole });
  const after = await client.get(operations.getExam, { params }).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.code, sentence`Exam ${id} was updated, but could not be read afterwards to verify it: ${error.message}`, {
      hint: sentence`Check with: proctor-cli exams get ${shellQuoted(id)}`,
    });
  });
  const { different } = asSent('exam', whole, after, client.zone);
  if (different.length > 0) {
    throw new CliError(
      'not_applied',
      sentence`The service accepted the request, but did not carry out all of it: ${different.join('; ')}.`,
    );
  }
  return { before, after, ...(looked === undefined ? {} : { looked }) };
}
