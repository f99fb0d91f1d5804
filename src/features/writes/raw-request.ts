/**
 * What `api METHOD PATH` may send. A path is taken in its plain spelling only, so that it means one thing to this program and to the
 * service: then the removed operation, and the fields that no command sends, are refused by name.
 */
import { endExam, type Method, type Operation, operationAt } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { type FieldRule, refusal, ruleOf } from '../../model/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { statusFilter } from '../../model/session-filter.ts';
import { sentence } from '../../text/sentence.ts';

/** `path`: with its query, below the base URL; `operation`: undefined where it is none of the table. */
export type RawPath = { path: string; operation: Operation | undefined; params: Record<string, string> };

/** Nothing in it is encoded, leads elsewhere, or begins a parameter or a format: a dot stands in an address only. */
const plain = /^(\/([\w~:+=&$-]+|[\w.+~-]+@[\w.-]+))+(\?[^\s#\p{Cc}]*)?$/u;

/** Throws `unsupported` for the removed operation, `invalid_input` for a path in another spelling. */
export function rawPath(method: Method, typed: string): RawPath {
  const path = `/${typed.replace(/^\/?(api\/v1\/)?/, '')}`;
  const [below = ''] = path.split('?');
  if (meansEndExam(below)) throw endExamRefused();
  const found = operationAt(below, method);
  // Some services take a path in other letters, too.
  if (!plain.test(path) || (!found && operationAt(below.toLowerCase(), method)))
    throw new CliError('invalid_input', sentence`The path ${JSON.stringify(typed)} is not in its plain spelling. Nothing was sent.`, {
      hint: 'Write it below the base URL, such as /exams/42, with the names that are listed by: proctor-cli api --list',
    });
  return { path, operation: found?.operation, params: found?.params ?? {} };
}

/** Also where it is encoded, or has something behind it. */
function meansEndExam(path: string): boolean {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return /(?<![a-z0-9_-])end_exam(?![a-z0-9_-])/i.test(decoded);
}

export function endExamRefused(): CliError {
  return new CliError('unsupported', sentence`A student's exam cannot be ended: ${endExam.why}. Nothing was sent.`, {
    hint: sentence`${endExam.instead}`,
  });
}

/** Throws `unsupported` for a field that the request cannot set (specification 4.5), `InvalidValue` for a former status. */
export function refuseRawFields(method: Method, { path, operation }: RawPath, fields: JsonObject): void {
  const inQuery = new URL(path, 'http://path').searchParams;
  const writing = method === 'POST' ? 'create' : 'update';
  for (const [key, value] of [...pairsIn(fields), ...inQuery]) {
    for (const name of namesIn(key)) {
      // Only sessions have these fields; a status may be one of anything.
      const rule = name === 'status' && operation?.writes?.resource !== 'session' ? undefined : refusal('session', writing, name);
      if (rule) throw refusalBy(rule);
    }
    const words = [value].flat().flatMap((text) => (typeof text === 'string' ? text.toLowerCase().split(/[,;|]/) : []));
    if (words.some((word) => word.trim() === 'mail_send')) statusFilter('mail_send');
  }
}

/** Throws `unsupported` for a body in which level_of_suspicion would be written, at any depth (specification 4.5, rule 5). */
export function refuseSuspicion(body: Json): void {
  const rule = ruleOf('session', 'level_of_suspicion');
  if (rule && pairsIn(body).some(([key]) => namesIn(key).includes('level_of_suspicion'))) throw refusalBy(rule);
}

function refusalBy({ reason = '', instead = '' }: FieldRule): CliError {
  return new CliError('unsupported', sentence`${reason}. Nothing was sent.`, { hint: sentence`${instead}` });
}

function pairsIn(value: Json): [key: string, value: Json][] {
  if (Array.isArray(value)) return value.flatMap(pairsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]): [string, Json][] => [[key, item], ...pairsIn(item)]);
}

/** The fields that a key may mean: `student[Open_Time]` is open_time, too. */
function namesIn(key: string): string[] {
  return key.toLowerCase().split(/[^a-z_]+/);
}
