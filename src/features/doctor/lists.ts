/** The lists that the doctor requests, and the content of each answer in any form, even one that is not set. */
import type { Peek } from '../../api/answer.ts';
import { listNames } from '../../api/dialect.ts';
import { insteadOfList, refusalOfEmpty } from '../../api/empty-list.ts';
import { deepestWrapper } from '../../api/json-items.ts';
import { operations } from '../../api/operations.ts';
import { describesAList, keyedList, looksLikeId, recordOf } from '../../api/records.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, parseJson, textOfJson } from '../../model/json.ts';
import type { Asked, DoctorContext } from './check.ts';

/** `name`: what it holds, in words. */
export type List = Asked & { name: string };

export const exams: List = { operation: operations.listExams, name: 'exams' };
export const sessions: List = { operation: operations.listSessions, name: 'sessions' };

export type Listed = {
  /** As the dialect reads them; an ID alone is a record with that ID. */
  items: JsonObject[];
  /** The field under which the list stands, or its path; undefined for a bare one. */
  wrapper: string | undefined;
  form: 'array' | 'map';
  /** Whether the dialect reads it. */
  known: boolean;
  siblings: JsonObject | undefined;
};

/** The list in an answer; undefined where there is none to be found in what was read of it. */
export function listIn(answer: Peek, { operation: { resource } }: Asked, { settings }: DoctorContext): Listed | undefined {
  const value = jsonIn(answer);
  const { dialect } = settings();
  const names = listNames(resource, dialect);
  const made = (items: Json[], found: Omit<Listed, 'items'>): Listed => ({
    items: items
      .filter((item) => item !== null)
      .map((item) => (isJsonObject(item) ? recordOf(item, resource, dialect) : { [dialect.idKey]: item })),
    ...found,
  });
  if (Array.isArray(value)) return made(value, { wrapper: undefined, form: 'array', known: true, siblings: undefined });
  const instead = answer.whole && (value !== undefined || answer.text.trim() === '') ? insteadOfList(value, names) : undefined;
  if (instead && !refusalOfEmpty(instead, answer.status, dialect)) {
    return made([], { wrapper: undefined, form: 'array', known: true, siblings: instead.body });
  }
  if (!isJsonObject(value)) return undefined;
  const set = dialect.listForm === 'map' ? keyedList(value, names, dialect.idKey) : undefined;
  if (set) return made(set.items, { wrapper: undefined, form: 'map', known: true, siblings: set.siblings });
  const paths = pathsIn(value);
  const arrays = paths.filter((path) => Array.isArray(fieldAt(value, path)));
  const named = names.find((name) => arrays.includes(name));
  const map = [...paths, ''].find((path) => isKeyed(path === '' ? value : fieldAt(value, path), dialect.idKey));
  const wrapper = named ?? (map === undefined ? arrays[0] : map);
  if (wrapper === undefined) return undefined;
  const held = wrapper === '' ? value : (fieldAt(value, wrapper) ?? null);
  const form = Array.isArray(held) ? 'array' : 'map';
  const items = Array.isArray(held) ? held : (keyedList(held, [], dialect.idKey)?.items ?? []);
  const siblings = wrapper === '' ? undefined : value;
  return made(items, { wrapper: wrapper || undefined, form, known: named !== undefined, siblings });
}

/** The JSON of a whole answer; undefined where it is none. */
export function jsonIn({ text, whole }: Peek): Json | undefined {
  if (!whole) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The fields of an object and those up to two levels below, as paths; the outer ones come first. */
function pathsIn(value: JsonObject, levels = deepestWrapper): string[] {
  const inner = Object.entries(value).flatMap(([key, part]) =>
    isJsonObject(part) && levels > 1 ? pathsIn(part, levels - 1).map((path) => `${key}.${path}`) : [],
  );
  const depth = (path: string) => path.split('.').length;
  return [...Object.keys(value), ...inner].sort((one, other) => depth(one) - depth(other));
}

/** Whether an object holds records by their IDs, as far as the names of its fields tell. */
function isKeyed(value: Json | undefined, idKey: string): boolean {
  if (!isJsonObject(value)) return false;
  const entries = Object.entries(value).filter(([key]) => !describesAList(key));
  const isId = (key: string, record: JsonObject) => looksLikeId(key) || textOfJson(record[idKey] ?? record.id ?? null) === key;
  return entries.length > 0 && entries.every(([key, record]) => isJsonObject(record) && isId(key, record));
}

/** The records of a list; none where it cannot be read. */
export async function itemsOf(context: DoctorContext, ...lists: List[]): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (const list of lists) {
    const answer = await context.answer(list);
    if (!answer.problem) items.push(...(listIn(answer, list, context)?.items ?? []));
  }
  return items;
}

/** All lists that the service has: also those of the exam with most students, and of the institute where one is set. */
export async function allLists(context: DoctorContext): Promise<List[]> {
  const { institute } = context.settings();
  const exam = await busiestExam(context);
  const ofExam: List[] =
    exam === undefined
      ? []
      : [
          { operation: operations.listExamSessions, params: { exam_id: exam }, name: `students of exam ${exam}` },
          { operation: operations.listProctors, params: { id: exam }, name: `proctors of exam ${exam}` },
        ];
  const ofInstitute: List[] =
    institute === undefined
      ? []
      : [{ operation: operations.listUsers, params: { institute_id: institute }, name: `users of institute ${institute}` }];
  return [exams, sessions, ...ofExam, ...ofInstitute];
}

/** The exam that most of the listed sessions name; else the first. */
async function busiestExam(context: DoctorContext): Promise<string | undefined> {
  const { idKey, sessionExamKey } = context.settings().dialect;
  const counts = new Map<string, number>();
  for (const { [idKey]: id } of await itemsOf(context, exams)) if (isShownId(id)) counts.set(textOfJson(id), 0);
  for (const session of await itemsOf(context, sessions)) {
    const exam = textOfJson(fieldAt(session, sessionExamKey) ?? null);
    const counted = counts.get(exam);
    if (counted !== undefined) counts.set(exam, counted + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Whether a value can identify something in a path. */
export function isShownId(value: Json | undefined): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint';
}
