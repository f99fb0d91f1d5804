/**
 * Exams and student sessions as stored: the specification's fields in columns of their own, all others
 * beside them as JSON text, digit for digit. Both resources share this code; their fields come from the
 * model's table.
 */

import { fieldRules, type WritableResource } from '../model/fields.ts';
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import type { SQLInputValue } from '../state/sqlite.ts';
import type { Database } from './database.ts';

export type RecordContent = {
  /** The fields of the specification. */
  fields: JsonObject;
  /** All other fields. */
  extra: JsonObject;
  /** The exam that a session belongs to. */
  examId?: number;
};
export type StoredRecord = RecordContent & { id: number };

/** A list that can be read whole or in parts; a limit of -1 means no limit. */
export type Listing<T> = { total(): number; items(limit: number, offset: number): T[] };

type TableRow = Record<string, SQLInputValue>;

const tables = { exam: 'exams', session: 'student_sessions' } as const satisfies Record<WritableResource, string>;

function columnsOf(resource: WritableResource): string[] {
  return [...Object.keys(fieldRules[resource]), 'extra', ...(resource === 'session' ? ['exam_id'] : [])];
}

function toRow(resource: WritableResource, { fields, extra, examId }: RecordContent): TableRow {
  const row: TableRow = { extra: stringifyJson(extra) };
  for (const column of Object.keys(fieldRules[resource])) {
    const value = fields[column];
    row[column] = typeof value === 'boolean' ? Number(value) : ((value ?? null) as string | number | null);
  }
  if (examId !== undefined) row.exam_id = examId;
  return row;
}

function fromRow(resource: WritableResource, row: TableRow): StoredRecord {
  const fields: JsonObject = {};
  for (const [column, { type }] of Object.entries(fieldRules[resource])) {
    fields[column] = type === 'boolean' ? row[column] === 1 : (row[column] as string | number | null);
  }
  const extra = parseJson(String(row.extra));
  const record = { id: Number(row.id), fields, extra: isJsonObject(extra) ? extra : {} };
  return row.exam_id === undefined ? record : { ...record, examId: Number(row.exam_id) };
}

export function insertRecord(database: Database, resource: WritableResource, content: RecordContent): StoredRecord {
  const columns = columnsOf(resource);
  const statement = `INSERT INTO ${tables[resource]} (${columns.join(', ')}) VALUES (${columns.map((column) => `:${column}`).join(', ')})`;
  const { lastInsertRowid } = database.sql(statement).run(toRow(resource, content));
  return { ...content, id: Number(lastInsertRowid) };
}

export function updateRecord(database: Database, resource: WritableResource, record: StoredRecord): void {
  const changes = columnsOf(resource).map((column) => `${column} = :${column}`);
  const statement = `UPDATE ${tables[resource]} SET ${changes.join(', ')} WHERE id = :id`;
  database.sql(statement).run({ ...toRow(resource, record), id: record.id });
}

export function findRecord(database: Database, resource: WritableResource, id: number): StoredRecord | undefined {
  const row = database.sql(`SELECT * FROM ${tables[resource]} WHERE id = ?`).get(id);
  return row && fromRow(resource, row as TableRow);
}

/** Deletes a record with all that belongs to it. */
export function deleteRecord(database: Database, resource: WritableResource, id: number): void {
  database.sql(`DELETE FROM ${tables[resource]} WHERE id = ?`).run(id);
}

/** Records in the order of their IDs: all of the kind, or the sessions of one exam. */
export function listRecords(database: Database, resource: WritableResource, examId?: number): Listing<StoredRecord> {
  const owner = examId === undefined ? [] : [examId];
  const source = `FROM ${tables[resource]} ${examId === undefined ? '' : 'WHERE exam_id = ?'}`;
  return {
    total: () => Number(database.sql(`SELECT count(*) AS total ${source}`).get(...owner)?.total),
    items: (limit, offset) => {
      const rows = database.sql(`SELECT * ${source} ORDER BY id LIMIT ? OFFSET ?`).all(...owner, limit, offset);
      return rows.map((row) => fromRow(resource, row as TableRow));
    },
  };
}
