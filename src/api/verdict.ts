/**
 * A success that says no: `success` or `ok` is false, in any notation, or `error` or `errors` holds something. No other field of a
 * body says whether a request was carried out.
 */
import { booleanIn } from '../model/boolean.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { wordsOf } from './error-words.ts';

export function reportsFailure(data: Json | undefined): boolean {
  return isJsonObject(data) && (denies(data) || !isEmpty(data.error) || !isEmpty(data.errors));
}

/** Whether it says that nothing was done: `errors` alone, or beside a success, may be those of a part. */
export function deniesAll(data: Json | undefined): boolean {
  if (!isJsonObject(data)) return false;
  return denies(data) || (!isEmpty(data.error) && !affirms(data));
}

function denies({ success, ok }: JsonObject): boolean {
  return booleanIn(success) === false || booleanIn(ok) === false;
}

function affirms({ success, ok }: JsonObject): boolean {
  return booleanIn(success) === true || booleanIn(ok) === true;
}

/** Why, in the words of the service; empty if it does not say. */
export function reasonIn(data: Json | undefined): string {
  return data === undefined ? '' : wordsOf(data);
}

function isEmpty(problem: Json | undefined): boolean {
  if (Array.isArray(problem)) return problem.length === 0;
  if (isJsonObject(problem)) return Object.keys(problem).length === 0;
  return problem === undefined || problem === null || problem === false || problem === 0 || problem === '';
}
