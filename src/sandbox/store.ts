/**
 * The data of the embedded service. Exams and sessions are JSON documents, digit for digit. Readers
 * never wait for writers (WAL), and a writing transaction takes its lock when it begins.
 */
import { randomBytes } from 'node:crypto';
import { DatabaseSync, type SQLInputValue, type StatementSync } from '../files/sqlite.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';

/** SQLite's mark of the program that a file belongs to. */
export const applicationId = 0x50536278;

const sandboxSchema = `
  PRAGMA application_id = ${applicationId};
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE COLLATE NOCASE) STRICT;
  CREATE TABLE exams (id INTEGER PRIMARY KEY AUTOINCREMENT, data TEXT NOT NULL) STRICT;
  CREATE TABLE student_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, exam_id INTEGER NOT NULL REFERENCES exams ON DELETE CASCADE, data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX student_sessions_by_exam ON student_sessions (exam_id);
  CREATE TABLE proctor_pools (
    exam_id INTEGER NOT NULL REFERENCES exams ON DELETE CASCADE, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (exam_id, user_id)
  ) STRICT;
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, call INTEGER NOT NULL, exam_id INTEGER NOT NULL, student_session_id INTEGER NOT NULL,
    email TEXT NOT NULL, name TEXT, subject TEXT NOT NULL, sent_at TEXT NOT NULL
  ) STRICT;
`;

export type Collection = 'exams' | 'student_sessions';

/** `examId`: of a session. */
export type Stored = { id: number; examId?: number; data: JsonObject };

/** Whole seconds without a fraction. */
export function isoUtc(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

export type User = { id: number; name: string; email: string };

export type OutboxMail = {
  id: number;
  /** The number of the call of send_emails, from 1. */
  call: number;
  exam_id: number;
  student_session_id: number;
  email: string;
  name: string | null;
  subject: string;
  sent_at: string;
};

export class Store {
  readonly #connection: InstanceType<typeof DatabaseSync>;

  constructor(file: string) {
    this.#connection = new DatabaseSync(file, { timeout: 10_000 });
    // So that no command waits for the disk. Only a power cut can damage it then.
    this.#connection.exec('PRAGMA synchronous = OFF');
  }

  /** Makes the tables, the token and what `fill` adds. False if they are there. */
  create(fill: (store: Store) => unknown): boolean {
    const isEmpty = () => !this.#connection.prepare('SELECT 1 FROM sqlite_schema').get();
    const make = () => {
      // Another process may have been faster.
      if (!isEmpty()) return false;
      this.#connection.exec(sandboxSchema);
      this.sql(`INSERT INTO settings VALUES ('token', ?)`).run(randomBytes(32).toString('hex'));
      fill(this);
      return true;
    };
    const isNew = isEmpty() && this.transaction('write', make);
    // After the mark, which has to be in the file, not in its log.
    this.#connection.exec('PRAGMA journal_mode = WAL');
    this.token();
    return isNew;
  }

  sql(text: string): StatementSync {
    return this.#connection.prepare(text);
  }

  /** Does all of the work or, if it throws, none of it. */
  transaction<T>(kind: 'read' | 'write', work: () => T): T {
    this.sql(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN').run();
    try {
      const result = work();
      this.sql('COMMIT').run();
      return result;
    } catch (error) {
      if (this.#connection.isTransaction) this.sql('ROLLBACK').run();
      throw error;
    }
  }

  token(): string {
    const token = this.sql(`SELECT value FROM settings WHERE name = 'token'`).get()?.value;
    if (typeof token === 'string') return token;
    throw Object.assign(new Error('it has no token'), { errcode: 11 });
  }

  /** Replaces everything but the token. Throws if the store is damaged. */
  refill<T>(fill: (store: Store) => T): T {
    return this.transaction('write', () => {
      for (const table of ['outbox', 'exams', 'users', 'sqlite_sequence']) this.sql(`DELETE FROM ${table}`).run();
      const filled = fill(this);
      const found = this.sql('PRAGMA quick_check(1)').get()?.quick_check;
      if (found !== 'ok') throw Object.assign(new Error(String(found)), { errcode: 11 });
      return filled;
    });
  }

  insert(kind: Collection, data: JsonObject, examId?: number): Stored {
    const owner = examId === undefined ? {} : { examId };
    const columns = examId === undefined ? '(data) VALUES (?)' : '(data, exam_id) VALUES (?, ?)';
    const insert = this.sql(`INSERT INTO ${kind} ${columns}`);
    const { lastInsertRowid } = insert.run(stringifyJson(data), ...Object.values(owner));
    return { id: Number(lastInsertRowid), ...owner, data };
  }

  update(kind: Collection, id: number, data: JsonObject): void {
    this.sql(`UPDATE ${kind} SET data = ? WHERE id = ?`).run(stringifyJson(data), id);
  }

  /** What belongs to the record goes, too. */
  remove(kind: Collection, id: number): void {
    this.sql(`DELETE FROM ${kind} WHERE id = ?`).run(id);
  }

  find(kind: Collection, id: number): Stored | undefined {
    const row = this.sql(`SELECT * FROM ${kind} WHERE id = ?`).get(id);
    return row && stored(row);
  }

  /** All of the kind, or the sessions of one exam. */
  list(kind: Collection, examId?: number): Stored[] {
    return this.#rows(kind, examId).map(stored);
  }

  users(): User[] {
    return this.#rows('users') as User[];
  }

  /** The user with this ID or address. */
  user(entry: Json): User | undefined {
    const text = typeof entry === 'number' || typeof entry === 'string' ? String(entry) : '';
    const column = /^\d{1,15}$/.test(text) ? 'id' : 'email';
    return this.sql(`SELECT * FROM users WHERE ${column} = ?`).get(text) as User | undefined;
  }

  pool(examId: number): User[] {
    const joined = 'users JOIN proctor_pools ON id = user_id';
    return this.sql(`SELECT users.* FROM ${joined} WHERE exam_id = ? ORDER BY id`).all(examId) as User[];
  }

  addToPool(examId: number, userId: number): void {
    this.sql('INSERT OR IGNORE INTO proctor_pools VALUES (?, ?)').run(examId, userId);
  }

  /** Whether the user was in the pool. */
  removeFromPool(examId: number, userId: number): boolean {
    return this.sql('DELETE FROM proctor_pools WHERE exam_id = ? AND user_id = ?').run(examId, userId).changes === 1;
  }

  mail(mails: readonly Omit<OutboxMail, 'id' | 'call'>[]): void {
    const call = Number(this.sql('SELECT coalesce(max(call), 0) + 1 AS call FROM outbox').get()?.call);
    const values = ':call, :exam_id, :student_session_id, :email, :name, :subject, :sent_at';
    const insert = this.sql(`INSERT INTO outbox (${values.replaceAll(':', '')}) VALUES (${values})`);
    for (const one of mails) insert.run({ call, ...one });
  }

  mails(exam?: string): OutboxMail[] {
    return this.#rows('outbox', exam) as OutboxMail[];
  }

  #rows(table: string, exam?: number | string) {
    const [filter, given] = exam === undefined ? ['', []] : ['WHERE exam_id = ?', [exam]];
    return this.sql(`SELECT * FROM ${table} ${filter} ORDER BY id`).all(...given);
  }

  close(): void {
    this.#connection.close();
  }
}

/** The part of the store that handlers need. */
export type Records = Omit<Store, 'create' | 'sql' | 'transaction' | 'token' | 'refill' | 'mails' | 'close'>;

function stored({ id, exam_id, data }: Record<string, SQLInputValue>): Stored {
  const owner = exam_id === undefined ? {} : { examId: Number(exam_id) };
  return { id: Number(id), ...owner, data: parseJson(String(data)) as JsonObject };
}
