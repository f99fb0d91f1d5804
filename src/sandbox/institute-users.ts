/**
 * The institute's users, and the proctor pools made of them: a proctor is a user named by an exam's pool,
 * identified by ID or e-mail address.
 */
import type { Json } from '../model/json.ts';
import type { Database } from './database.ts';
import type { Listing } from './stored-records.ts';

export type User = { id: number; name: string; email: string };

const columns = 'users.id, users.name, users.email';

function listing(database: Database, source: string, owner: number): Listing<User> {
  return {
    total: () => Number(database.sql(`SELECT count(*) AS total ${source}`).get(owner)?.total),
    items: (limit, offset) =>
      database.sql(`SELECT ${columns} ${source} ORDER BY users.id LIMIT ? OFFSET ?`).all(owner, limit, offset) as User[],
  };
}

export function listUsers(database: Database, instituteId: number): Listing<User> {
  return listing(database, 'FROM users WHERE institute_id = ?', instituteId);
}

export function listPool(database: Database, examId: number): Listing<User> {
  return listing(database, 'FROM proctor_pools JOIN users ON users.id = user_id WHERE exam_id = ?', examId);
}

export function instituteExists(database: Database, id: number): boolean {
  return database.sql('SELECT 1 FROM institutes WHERE id = ?').get(id) !== undefined;
}

/** The user named by an entry of a list of proctors. */
export function findUser(database: Database, entry: Json): User | undefined {
  const text = typeof entry === 'number' || typeof entry === 'string' ? String(entry) : '';
  const key = /^\d{1,15}$/.test(text) ? 'id' : 'email';
  return database.sql(`SELECT ${columns} FROM users WHERE ${key} = ?`).get(text) as User | undefined;
}

/** Adds a user to a pool; a user already in it stays. */
export function addToPool(database: Database, examId: number, userId: number): void {
  database.sql('INSERT OR IGNORE INTO proctor_pools (exam_id, user_id) VALUES (?, ?)').run(examId, userId);
}

/** Removes a user from a pool; returns whether there was one to remove. */
export function removeFromPool(database: Database, examId: number, userId: number): boolean {
  return database.sql('DELETE FROM proctor_pools WHERE exam_id = ? AND user_id = ?').run(examId, userId).changes === 1;
}
