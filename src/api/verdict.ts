/** What the body of a success says about its request, if it is not the resource: whether it was carried out, and why not. */
import { isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import type { Dialect } from './dialect.ts';
import { wordsOf } from './error-words.ts';

/** Fields in which services say that a request succeeded or failed. */
const verdicts = ['success', 'successful', 'succeeded', 'is_success', 'isSuccess', 'ok'];
/** Fields that say so in an answer, and are a state in a resource: a session that is not deleted, an exam whose mails are not sent. */
const deeds = ['done', 'accepted', 'applied', 'created', 'added', 'updated', 'saved', 'sent', 'deleted', 'removed'];
const outcomes = ['status', 'result', 'state', 'outcome'];
const failures = new Set([
  ...['error', 'errors', 'failed', 'failure', 'fail', 'ko', 'nok', 'unsuccessful', 'not_ok'],
  ...['denied', 'rejected', 'refused', 'forbidden', 'unauthorized', 'invalid', 'aborted'],
]);
/** `accepted` and `queued` are no words for what was done. */
const successes = new Set([
  'ok',
  'okay',
  'success',
  'successful',
  'succeeded',
  'completed',
  ...deeds.filter((deed) => deed !== 'accepted'),
]);
const statusCodes = ['status', 'code', 'statusCode', 'status_code'];
/** Fields in which a verdict may be nested. */
const wrappers = ['data', 'result', 'results', 'response', 'meta', 'payload', 'body'];
/** What stands in a field for errors when there are none. */
const noProblem = /^(|none|null|nil|false|0|ok|okay|success|n\/a|-+|no errors?( occurred)?)[.!]?$/i;

/**
 * `isResource`: whether an object is a record, whose own fields such as `status: "rejected"` are no verdicts. `reads`: the
 * request asked for something, so that nothing could be left undone.
 */
export type Reading = { isResource?: (object: JsonObject) => boolean; reads?: boolean };

/** Whether it says that something was not done: `{"success": false}`, `{"error": "…"}`, `{"data": {"status": "denied"}}`, `false`. */
export function saysNo(data: Json | undefined, reading: Reading = {}, levels = 2): boolean {
  if (data === false) return true;
  if (Array.isArray(data)) return data.length > 0 && data.every((item) => isJsonObject(item) && saysNo(item, reading, levels));
  if (!isJsonObject(data)) return false;
  if (verdicts.some((key) => isFalse(data[key]))) return true;
  if (['error', 'errors'].some((key) => typeof data[key] !== 'number' && isProblem(data[key]))) return true;
  if (reading.isResource?.(data) !== true) {
    if (!reading.reads && deeds.some((key) => isFalse(data[key]))) return true;
    if (outcomes.some((key) => failures.has(textOfJson(data[key] ?? null).toLowerCase()))) return true;
    if (statusCodes.some((key) => /^[45]\d\d$/.test(textOfJson(data[key] ?? null)))) return true;
  }
  return levels > 0 && wrappers.some((key) => saysNo(data[key], reading, levels - 1));
}

/** Whether it says that something was done: `{"success": true}`, `{"sent": 12}`, `{"status": "ok"}`; it may say no as well. */
export function saysYes(data: Json | undefined): boolean {
  if (!isJsonObject(data)) return false;
  return (
    [...verdicts, ...deeds].some((key) => isTrue(data[key])) ||
    outcomes.some((key) => successes.has(textOfJson(data[key] ?? null).toLowerCase()))
  );
}

/** Why nothing was done, in the words of the service; empty if it does not say. */
export function reasonIn(data: Json | undefined, dialect: Dialect): string {
  return data === undefined ? '' : wordsOf(data, dialect);
}

function isFalse(verdict: Json | undefined): boolean {
  return verdict === false || (typeof verdict === 'string' && /^(false|no)$/i.test(verdict.trim()));
}

/** `sent: 12` as well. */
function isTrue(verdict: Json | undefined): boolean {
  if (typeof verdict === 'number') return verdict > 0;
  return verdict === true || (typeof verdict === 'string' && /^(true|yes)$/i.test(verdict.trim()));
}

/** Whether a field for errors holds any: not `{"email": []}`, nor `{"code": 0, "message": "OK"}`. */
function isProblem(problem: Json | undefined): boolean {
  if (typeof problem === 'string') return !noProblem.test(problem.trim());
  if (typeof problem === 'number') return problem !== 0 && !(problem >= 200 && problem <= 299);
  if (Array.isArray(problem)) return problem.some(isProblem);
  if (isJsonObject(problem)) return Object.values(problem).some(isProblem);
  return problem === true;
}
