/**
 * What `api METHOD PATH` may send. A path is taken in its plain spelling only, so that it means one thing to this program and to the
 * service: then the removed operation, and the fields that no command sends, are refused by name.
 */
import { CliError } from '../errors.ts';
import { type FieldRule, refusal, ruleOf } from '../model/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { statusFilter } from '../model/status.ts';
import { sentence } from '../text/sentence.ts';
import { endExam, type Method, type Operation, operations } from './operations.ts';
import { pathSegment } from './request.ts';

/** `path`: with its query, below the base URL; `operation`: undefined where it is none of the table. */
export type RawPath = { path: string; operation: Operation | undefined; params: Record<string, string> };

/** Throws `unsupported` for the removed operation, `invalid_input` for a path in another spelling. */
export function rawPath(method: Method, typed: string): RawPath {
  const [below = '', ...query] = `/${typed.replace(/^\/?(api\/v1\/)?/, '')}`.split('?');
  if (meansEndExam(below)) throw endExamRefused();
  const segments = below.slice(1).split('/').map(plainSegment);
  const found = operationAt(method, segments);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const isPlain = !segments.includes(undefined) && !/[\s#\u0000-\u001f\u007f]/.test(typed) && (found === undefined || found.isExact);
  if (!isPlain)
    throw new CliError('invalid_input', sentence`The path ${JSON.stringify(typed)} is not in its plain spelling. Nothing was sent.`, {
      hint: 'Write it below the base URL, such as /exams/42, with the names that are listed by: proctor-cli api --list',
    });
  return { path: [below, ...query].join('?'), operation: found?.operation, params: found?.params ?? {} };
}

/** The text of a segment that is encoded only where it has to be, and holds no parameter, list or format; undefined for any other spelling. */
function plainSegment(segment: string): string | undefined {
  const text = decoded(segment);
  try {
    const spelled = segment.replace(/[@:+=&$]/g, encodeURIComponent);
    return pathSegment(text) === spelled && text === text.normalize('NFKC') && !/[;,%\p{C}]|^[^@]*\.[a-z]+$/iu.test(text)
      ? text
      : undefined;
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The operation with this path; `isExact`: not only in other letters or with a suffix, by which some services take it, too. */
function operationAt(method: Method, segments: readonly (string | undefined)[]) {
  for (const operation of Object.values<Operation>(operations)) {
    const names = operation.path.slice(1).split('/');
    if (operation.method !== method || names.length !== segments.length) continue;
    const params: Record<string, string> = {};
    let isExact = true;
    const fits = names.every((name, at) => {
      const segment = segments[at] ?? '';
      if (name.startsWith(':')) params[name.slice(1)] = segment;
      else isExact &&= segment === name;
      return name.startsWith(':') || loosely(segment) === name;
    });
    if (fits) return { operation, params, isExact };
  }
  return undefined;
}

function loosely(segment: string): string {
  return segment.toLowerCase().replace(/\..*$/s, '');
}

function meansEndExam(path: string): boolean {
  const [name] = endExam.path.split('/').slice(-1);
  return decoded(path)
    .split(/[/\\;?#\s]/)
    .some((segment) => loosely(segment) === name);
}

export function endExamRefused(): CliError {
  return new CliError('unsupported', sentence`A student's exam cannot be ended: ${endExam.why}. Nothing was sent.`, {
    hint: sentence`${endExam.instead}`,
  });
}

/**
 * Throws `unsupported` for a field that the request cannot set (specification 4.5), `InvalidValue` for a former status, `invalid_input`
 * for a field by which some services take another method.
 */
export function refuseRawFields(method: Method, { path, operation }: RawPath, fields: JsonObject): void {
  const [, ...query] = path.split('?');
  const inQuery = [...new URLSearchParams(query.join('?'))];
  const writing = method === 'POST' ? 'create' : 'update';
  for (const [key, value] of [...pairsIn(fields), ...inQuery]) {
    if (/^(_method|x-http-method-override)$/i.test(key)) throw methodChosen(key);
    for (const name of namesIn(key)) {
      // Only sessions have these fields; a status may be one of anything.
      const rule = name === 'status' && operation?.writes?.resource !== 'session' ? undefined : refusal('session', writing, name);
      if (rule) throw refusalBy(rule);
    }
    for (const text of [value].flat())
      if (typeof text === 'string')
        for (const word of text.split(/[,;|]/)) if (word.trim().toLowerCase() === 'mail_send') statusFilter('mail_send');
  }
}

function methodChosen(key: string): CliError {
  return new CliError('invalid_input', sentence`The field ${key} may turn the request into another one. Nothing was sent.`, {
    hint: 'Give the method itself, such as: proctor-cli api DELETE /exams/42',
  });
}

/** Throws `unsupported` for a body in which level_of_suspicion would be written, at any depth (specification 4.5, rule 5). */
export function refuseSuspicion(body: Json): void {
  const rule = ruleOf('session', 'level_of_suspicion');
  const writes = pairsIn(body).some(([key]) => namesIn(key).includes('level_of_suspicion'));
  if (rule && writes) throw refusalBy(rule);
}

function refusalBy({ reason = '', instead = '' }: FieldRule): CliError {
  return new CliError('unsupported', sentence`${reason}. Nothing was sent.`, { hint: sentence`${instead}` });
}

/** All keys of a body with their values, at any depth. */
function pairsIn(value: Json): [key: string, value: Json][] {
  if (Array.isArray(value)) return value.flatMap(pairsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]): [string, Json][] => [[key, item], ...pairsIn(item)]);
}

/** The fields that a key may mean: `student[Open_Time]` is open_time, too. */
function namesIn(key: string): string[] {
  return key.toLowerCase().split(/[^a-z_]+/);
}
