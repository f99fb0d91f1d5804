/** Operations refused before any request, in every command: the reason, the date, and the alternative. */
import { CliError } from '../errors.ts';
import { ruleOf } from '../model/fields.ts';
import { isJsonObject, type Json } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';
import { endExam } from './operations.ts';

export function endExamRefused(): CliError {
  return new CliError('unsupported', sentence`A student's exam cannot be ended: ${endExam.why}. Nothing was sent.`, {
    hint: sentence`${endExam.instead}`,
  });
}

/** Throws `unsupported` for a body in which level_of_suspicion would be written, at any depth (specification 4.5, rule 5). */
export function refuseSuspicion(body: Json): void {
  if (!writesSuspicion(body)) return;
  const rule = ruleOf('session', 'level_of_suspicion');
  throw new CliError('unsupported', sentence`${rule?.reason}. Nothing was sent.`, { hint: sentence`${rule?.instead ?? ''}` });
}

function writesSuspicion(value: Json): boolean {
  if (Array.isArray(value)) return value.some(writesSuspicion);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, item]) => key.trim().toLowerCase() === 'level_of_suspicion' || writesSuspicion(item));
}
