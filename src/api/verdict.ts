/** What the body of a success says about its request, if it is not the resource: whether it was carried out, and why not. */
import { isJsonObject, type Json, textOfJson } from '../model/json.ts';
import type { Dialect } from './dialect.ts';
import { wordsOf } from './error-words.ts';

/** Fields in which services say that a request succeeded or failed. */
const verdicts = [
  ...['success', 'successful', 'succeeded', 'is_success', 'isSuccess', 'ok', 'done', 'accepted', 'applied'],
  ...['created', 'added', 'updated', 'saved', 'sent', 'deleted', 'removed'],
];
const outcomes = ['status', 'result', 'state', 'outcome'];
const failures = new Set([
  ...['error', 'errors', 'failed', 'failure', 'fail', 'ko', 'nok', 'unsuccessful', 'not_ok'],
  ...['denied', 'rejected', 'refused', 'forbidden', 'unauthorized', 'invalid', 'aborted'],
]);
const statusCodes = ['status', 'code', 'statusCode', 'status_code'];
/** Fields in which a verdict may be nested. */
const wrappers = ['data', 'result', 'results', 'response', 'meta', 'payload', 'body'];

/** Whether it says that nothing was done: `{"success": false}`, `{"error": "…"}`, `{"data": {"status": "denied"}}`, `false`. */
export function saysNo(data: Json | undefined, levels = 2): boolean {
  if (data === false) return true;
  if (Array.isArray(data)) return data.length > 0 && data.every((item) => isJsonObject(item) && saysNo(item, levels));
  if (!isJsonObject(data)) return false;
  if (verdicts.some((key) => isFalse(data[key]))) return true;
  if (outcomes.some((key) => failures.has(textOfJson(data[key] ?? null).toLowerCase()))) return true;
  if (statusCodes.some((key) => /^[45]\d\d$/.test(textOfJson(data[key] ?? null)))) return true;
  if (['error', 'errors'].some((key) => isNamed(data[key]))) return true;
  return levels > 0 && wrappers.some((key) => saysNo(data[key], levels - 1));
}

/** Whether it says so itself that the request was carried out. */
export function saysYes(data: Json | undefined): boolean {
  return isJsonObject(data) && verdicts.some((key) => data[key] === true) && !saysNo(data);
}

/** Why nothing was done, in the words of the service; empty if it does not say. */
export function reasonIn(data: Json | undefined, dialect: Dialect): string {
  return data === undefined ? '' : wordsOf(data, dialect);
}

function isFalse(verdict: Json | undefined): boolean {
  return verdict === false || (typeof verdict === 'string' && /^(false|no)$/i.test(verdict.trim()));
}

function isNamed(problem: Json | undefined): boolean {
  if (Array.isArray(problem)) return problem.length > 0;
  if (isJsonObject(problem)) return Object.keys(problem).length > 0;
  return typeof problem === 'string' ? problem.trim() !== '' : problem === true;
}
