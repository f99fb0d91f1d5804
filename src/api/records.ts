/**
 * Records in a form of the dialect: fields in a nested object, an ID under another name, lists that are maps by ID.
 */
import { plainFields } from '../model/extended-json.ts';
import { fieldRules } from '../model/fields.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { type Dialect, words } from './dialect.ts';
import { insteadOfList } from './empty-list.ts';
import { decode, NotAList, TooLarge } from './json-items.ts';
import type { Resource } from './operations.ts';

type RecordDialect = Pick<Dialect, 'idKey' | 'examIdKey' | 'sessionIdKey' | 'recordKeys'>;

/** The record with all fields at the top level, plain values in those that are read, and its ID under `idKey`. No field is lost. */
export function recordOf(item: JsonObject, resource: Resource, dialect: RecordDialect): JsonObject {
  const { idKey } = dialect;
  const record = plainFields(dialect.recordKeys === '' ? item : lifted(item, words(dialect.recordKeys)), isRead);
  const own = ownIdKey(resource, dialect);
  if (own === '' || Object.hasOwn(record, idKey) || !Object.hasOwn(record, own)) return record;
  return { [idKey]: record[own] as Json, ...record };
}

/** Fields of the specification, and IDs; a field that only the service knows is shown as it came. */
function isRead(key: string): boolean {
  return Object.hasOwn(fieldRules.exam, key) || Object.hasOwn(fieldRules.session, key) || /(^|_)ids?$|Ids?$/.test(key) || key === 'exam';
}

/** Whether an object shows an ID, and is therefore a record rather than a wrapper of one. */
export function isIdentified(item: JsonObject, resource: Resource, dialect: RecordDialect): boolean {
  return [dialect.idKey, ownIdKey(resource, dialect)].some((key) => key !== '' && Object.hasOwn(item, key));
}

function ownIdKey(resource: Resource, { examIdKey, sessionIdKey }: RecordDialect): string {
  return resource === 'exam' ? examIdKey : resource === 'session' ? sessionIdKey : '';
}

/** Moves the fields of nested objects up; those whose names are taken stay where they are. */
function lifted(item: JsonObject, keys: readonly string[]): JsonObject {
  const inner = keys.filter((key) => isJsonObject(item[key]));
  if (inner.length === 0) return item;
  const record = Object.fromEntries(Object.entries(item).filter(([key]) => !inner.includes(key)));
  for (const key of inner) {
    const stays: [string, Json][] = [];
    for (const [name, value] of Object.entries(item[key] as JsonObject)) {
      if (Object.hasOwn(record, name) || inner.includes(name)) stays.push([name, value]);
      else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
    }
    if (stays.length > 0) record[key] = Object.fromEntries(stays);
  }
  return record;
}

/** A list that is a map by ID: at the top of an answer, or under one of the names, which may be paths. */
export type KeyedList = { items: Json[]; siblings: JsonObject | undefined };

/** Undefined if there is none. An array is accepted in its place: some services write an empty map as []. */
export function keyedList(value: Json, names: Iterable<string>, idKey: string): KeyedList | undefined {
  if (Array.isArray(value)) return { items: value, siblings: undefined };
  if (!isJsonObject(value)) return undefined;
  for (const name of names) {
    const found = fieldAt(value, name);
    const items = found === undefined ? undefined : itemsOf(found, idKey);
    if (items) return { items, siblings: without(value, name.split('.')) };
  }
  const siblings = Object.fromEntries(Object.entries(value).filter(([key]) => describesAList(key)));
  const items = itemsOf(Object.fromEntries(Object.entries(value).filter(([key]) => !describesAList(key))), idKey);
  return items && { items, siblings: Object.keys(siblings).length > 0 ? siblings : undefined };
}

/** A field in a map by ID that holds no item. */
export function describesAList(key: string): boolean {
  return /^_?(meta(data)?|links?|paging|pagination|page_?info|cursors?)$/i.test(key);
}

function itemsOf(value: Json, idKey: string): Json[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value) || !Object.values(value).every(isRecord)) return undefined;
  return Object.entries(value).map(([key, item]) => {
    const record = item as JsonObject;
    return Object.hasOwn(record, idKey) ? record : { [idKey]: idFrom(key), ...record };
  });
}

/** An object that is no map by ID itself: a list in a field of another name must not count as one item. */
function isRecord(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const fields = Object.entries(value);
  return fields.length === 0 || !fields.every(([key, part]) => looksLikeId(key) && isJsonObject(part));
}

/** Whether the name of a field may be an ID rather than a word. */
export function looksLikeId(key: string): boolean {
  return /^\d+$|^[\da-f]{8}-?[\da-f-]{8,}$/i.test(key);
}

/** The fields beside the list describe it; the list itself does not. */
function without(value: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const { [key]: inner, ...others } = value;
  return rest.length > 0 && isJsonObject(inner) ? { ...others, [key]: without(inner, rest) } : others;
}

/** An ID that is the key of a map: a number, if it is written as one. */
export function idFrom(text: string): string | number {
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : text;
}

/** Reads an answer as a map of items; it yields them with the last byte. The counterpart of `JsonItems`. */
export class KeyedItems {
  siblings: JsonObject | undefined;
  /** Not kept: the IDs stand outside of the items. */
  readonly text = undefined;
  readonly #names: Iterable<string>;
  readonly #idKey: string;
  readonly #limit: number;
  readonly #parts: Buffer[] = [];
  #length = 0;

  /** `limit`: bytes of the answer. */
  constructor(names: Iterable<string>, idKey: string, limit: number) {
    this.#names = names;
    this.#idKey = idKey;
    this.#limit = limit;
  }

  /** Throws `TooLarge`. */
  push(chunk: Buffer): Json[] {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#limit) throw new TooLarge('largestObject', 'a map of items that is too large to be read');
    return [];
  }

  /** Throws `SyntaxError` if it was cut short, `NotAList` if there was none. */
  end(): Json[] {
    const text = decode(Buffer.concat(this.#parts)).replace(/^\uFEFF/, '');
    const body = text.trim() === '' ? undefined : parseJson(text);
    const list = body === undefined ? undefined : keyedList(body, this.#names, this.#idKey);
    if (!list) {
      const instead = insteadOfList(body, this.#names);
      throw new NotAList(instead.form === 'object' ? { form: 'value', what: 'something other than a map of items by their IDs' } : instead);
    }
    this.siblings = list.siblings;
    return list.items;
  }
}
