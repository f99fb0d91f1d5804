/**
 * Checks the fields of `api METHOD PATH`: those that no command sends are refused here as well, in the body and in
 * the query, in any spelling of their names.
 */
import { CliError } from '../errors.ts';
import type { FieldRule } from '../model/fields.ts';
import { ruleOf } from '../model/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { statusFilter } from '../model/status.ts';
import { sentence } from '../text/sentence.ts';
import type { Method, Operation } from './operations.ts';
import { decoded } from './raw-path.ts';

type RawFields = { method: Method; path: string; operation: Operation | undefined; fields: JsonObject };

/** Requests that must not contain a field of a session, whatever their path: only sessions have these fields. */
const forbidden: Record<string, (method: Method) => boolean> = {
  level_of_suspicion: () => true,
  skip_requirements: (method) => method !== 'POST',
  open_time: (method) => method === 'POST',
};

/** Whether some services take a field of this name for the method, so that a GET may delete: `_method`, `X-HTTP-Method-Override`. */
export function choosesMethod(key: string): boolean {
  const plain = decoded(key)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  return /^x?(http)?method(override)?$/.test(plain);
}

function methodChosen(key: string): CliError {
  return new CliError(
    'invalid_input',
    sentence`The field ${JSON.stringify(key)} may turn the GET into a request that changes something. Nothing was sent.`,
    { hint: 'Give the method itself, such as: proctor-cli api DELETE /exams/42' },
  );
}

/**
 * Throws `unsupported` for a field that the request cannot set (specification 4.5), `InvalidValue` for a former status,
 * `invalid_input` for a field of a GET that chooses another method.
 */
export function refuseRawFields({ method, path, operation, fields }: RawFields): void {
  for (const [key, value] of [...pairsOf(fields), ...queryOf(path)]) {
    if (method === 'GET' && choosesMethod(key)) throw methodChosen(key);
    for (const name of namesIn(key)) {
      const rule = ruleOf('session', name);
      const isStatus = name === 'status' && operation?.writes?.resource === 'session';
      if (rule && (isStatus || (Object.hasOwn(forbidden, name) && forbidden[name]?.(method)))) throw refusalBy(rule);
    }
    // Throws for a former status, also in a list of several.
    for (const word of valuesIn(value)) if (word === 'mail_send') statusFilter(word);
  }
}

function refusalBy({ reason = '', instead = '' }: FieldRule): CliError {
  return new CliError('unsupported', sentence`${reason}. Nothing was sent.`, { hint: sentence`${instead}` });
}

type Pair = [key: string, value: Json];

/** All keys of a body with their values, at any depth. */
function pairsOf(value: Json): Pair[] {
  if (Array.isArray(value)) return value.flatMap(pairsOf);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]): Pair[] => [[key, item], ...pairsOf(item)]);
}

function queryOf(path: string): Pair[] {
  const [, ...query] = path.split('?');
  return [...new URLSearchParams(query.join('?'))].map(([key, value]): Pair => [key, value]);
}

/** The fields that a key may mean: `student[Open_Time]` is open_time, too. */
function namesIn(key: string): string[] {
  return plain(key).split(/[^a-z_]+/);
}

function valuesIn(value: Json): string[] {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : typeof value === 'string' ? [value] : [];
  return texts.flatMap((text) =>
    plain(text)
      .split(/[,;|]/)
      .map((part) => part.trim()),
  );
}

function plain(text: string): string {
  return decoded(text).normalize('NFKC').trim().toLowerCase();
}
