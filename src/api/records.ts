/**
 * Records in a form of the dialect: fields in a nested object, an ID under another name.
 */
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { type Dialect, words } from './dialect.ts';
import type { Resource } from './operations.ts';

type RecordDialect = Pick<Dialect, 'idKey' | 'examIdKey' | 'sessionIdKey' | 'recordKeys'>;

/** The record with all fields at the top level, and its ID under `idKey`. No field is lost. */
export function recordOf(item: JsonObject, resource: Resource, dialect: RecordDialect): JsonObject {
  const { idKey } = dialect;
  const record = dialect.recordKeys === '' ? item : lifted(item, words(dialect.recordKeys));
  const own = ownIdKey(resource, dialect);
  if (own === '' || Object.hasOwn(record, idKey) || !Object.hasOwn(record, own)) return record;
  return { [idKey]: record[own] as Json, ...record };
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
