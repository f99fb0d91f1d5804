/**
 * What `api METHOD PATH` may send. A path is taken in its plain spelling only, which means the same to this program
 * and to the service. The removed operation, and fields that no command sends, are refused by name.
 */
import { endExam, type Method, type Operation, operationAt } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { type FieldRule, ruleAgainst, ruleOf } from '../../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, typedJson } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { statusFilter } from '../../model/status.ts';
import { sentence } from '../../text/sentence.ts';

/** `path`: below the base URL, with its query. */
export type TypedPath = { path: string; query: JsonObject; operation: Operation | undefined; params: Record<string, string> };

/** A path in which nothing is encoded, leads elsewhere, or begins a parameter or a format. Only an address has dots. */
const plainPath = /^(\/([\w~:+=&$-]+|[\w.+~-]+@[\w.-]+))+(\?[^\s#\p{Cc}]*)?$/u;

/** Throws `unsupported` for the removed operation, `invalid_input` for a path in another spelling. */
export function typedPath(method: Method, typed: string): TypedPath {
  const path = `/${typed.replace(/^\/?(api\/v1\/)?/, '')}`;
  const [below = '', search] = path.split(/\?(.*)/s);
  const query = Object.fromEntries([...new URLSearchParams(search)].map(([key, value]) => [key, typedJson(value)]));
  const decoded = below.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  if (/(?<![\w-])end_exam(?![\w-])/i.test(decoded)) throw endExamRefused();
  if (/^[a-z]:[\\/]/i.test(typed)) throw madeByShell(method, typed);
  const found = operationAt(below, method);
  // Some services take a path in other letters, too.
  const isInOtherLetters = !found && operationAt(below.toLowerCase(), method) !== undefined;
  const { operation, params = {} } = found ?? {};
  if (plainPath.test(path) && !isInOtherLetters) return { path, query, operation, params };
  const what = sentence`The path ${JSON.stringify(typed)} is not in its plain spelling. Nothing was sent.`;
  throw new CliError('invalid_input', what, {
    hint: 'Write it below the base URL, such as /exams/42, with the names of: proctor-cli api --list',
  });
}

/** Git Bash puts its own folder before an argument that begins with a slash. */
function madeByShell(method: Method, typed: string): CliError {
  const [place = '', query = ''] = typed.split(/(?=\?)/s);
  const ends = [...place.matchAll(/\//g)].map(({ index }) => place.slice(index));
  const meant = (ends.find((end) => operationAt(end, method)) ?? ends.at(-1) ?? '/PATH') + query;
  const what = sentence`Git Bash has turned ${meant} into ${JSON.stringify(typed)}, a file of this machine. Nothing was sent.`;
  return new CliError('invalid_input', what, {
    hint: sentence`Keep the path as it is: MSYS_NO_PATHCONV=1 proctor-cli ${typedCommand('api', [method, meant])}`,
  });
}

export function endExamRefused(): CliError {
  const { why, instead } = endExam;
  return refusalBy({ reason: `A student's exam cannot be ended: ${why}`, instead });
}

/** The former status, also as one of several words (specification 9.3). */
const formerStatus = /(^|[,;|])\s*mail_send\s*($|[,;|])/i;

/** Throws `unsupported` for a field that cannot be set (specification 4.5), `InvalidValue` for the former status. */
export function refuseTypedFields(method: Method, { path, operation }: TypedPath, fields: JsonObject): void {
  const inQuery = new URL(path, 'http://path').searchParams;
  const writing = method === 'POST' ? 'create' : 'update';
  for (const [key, value] of [...pairsIn(fields), ...inQuery]) {
    for (const name of namesIn(key)) {
      const rule = ruleAgainst('session', writing, name);
      // Only sessions have the other fields; anything may have a status.
      const isOther = name === 'status' && operation?.writes?.resource !== 'session';
      if (rule && !isOther) throw refusalBy(rule);
    }
    if ([value].flat().some((text) => typeof text === 'string' && formerStatus.test(text))) statusFilter('mail_send');
  }
}

/** Throws `unsupported` for level_of_suspicion at any depth (specification 4.5, rule 5). */
export function refuseSuspicion(body: Json): void {
  const rule = ruleOf('session', 'level_of_suspicion');
  if (rule && pairsIn(body).some(([key]) => namesIn(key).includes('level_of_suspicion'))) throw refusalBy(rule);
}

function refusalBy({ reason = '', instead = '' }: Pick<FieldRule, 'reason' | 'instead'>): CliError {
  return new CliError('unsupported', sentence`${reason}. Nothing was sent.`, { hint: sentence`${instead}` });
}

function pairsIn(value: Json): [key: string, value: Json][] {
  if (Array.isArray(value)) return value.flatMap(pairsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]): [string, Json][] => [[key, item], ...pairsIn(item)]);
}

/** The fields that a key may mean: `student[Open_Time]` is open_time. */
function namesIn(key: string): string[] {
  return key.toLowerCase().split(/[^a-z_]+/);
}
