/**
 * The database file: created atomically, shared by any number of processes, and intact when one of them
 * is killed. Readers never wait for writers (WAL); writers wait for each other, because every writing
 * transaction takes the lock when it begins.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, linkSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makePrivateFolder } from '../state/private-folder.ts';
import { DatabaseSync, type StatementSync } from '../state/sqlite.ts';
import { sentence } from '../text/sentence.ts';

export const databaseName = 'sandbox.db';

/** Columns have the names of the specification's section 2; `extra` holds all other fields as JSON. */
const schema = `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE institutes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL) STRICT;
  CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    institute_id INTEGER NOT NULL REFERENCES institutes ON DELETE CASCADE,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE
  ) STRICT;
  CREATE TABLE exams (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    start_time TEXT,
    end_time TEXT,
    save_recording INTEGER NOT NULL,
    allow_headphones INTEGER NOT NULL,
    allow_whiteboard INTEGER NOT NULL,
    allow_leave_room INTEGER NOT NULL,
    allow_pen_paper INTEGER NOT NULL,
    extra TEXT NOT NULL CHECK (json_valid(extra))
  ) STRICT;
  CREATE TABLE student_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    exam_id INTEGER NOT NULL REFERENCES exams ON DELETE CASCADE,
    status TEXT NOT NULL,
    email TEXT,
    open_time TEXT,
    close_time TEXT,
    skip_requirements INTEGER NOT NULL,
    level_of_suspicion INTEGER NOT NULL,
    extra TEXT NOT NULL CHECK (json_valid(extra))
  ) STRICT;
  CREATE INDEX student_sessions_by_exam ON student_sessions (exam_id);
  CREATE TABLE proctor_pools (
    exam_id INTEGER NOT NULL REFERENCES exams ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (exam_id, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    call INTEGER NOT NULL,
    exam_id INTEGER NOT NULL,
    student_session_id INTEGER NOT NULL,
    email TEXT NOT NULL,
    name TEXT,
    subject TEXT NOT NULL,
    sent_at TEXT NOT NULL
  ) STRICT;
`;

/** One connection. Statements are compiled on first use and kept. */
export class Database {
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#connection = new DatabaseSync(file);
    this.#connection.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#connection.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Does all of the work or, if it throws, none of it; a reader sees one state of the data throughout. */
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

  /** The API token: created with the database, and kept as long as it exists. */
  token(): string {
    return String(this.sql(`SELECT value FROM settings WHERE name = 'token'`).get()?.value);
  }

  close(): void {
    this.#connection.close();
  }
}

/** Opens the folder's database; if it is missing, creates it and lets `fill` add the data. A file of another program is not changed. */
export function openDatabase(folder: string, fill: (database: Database) => void): Database {
  return orUnusable(folder, (file) => {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) create(folder, file, fill);
    refuseForeign(file);
    return new Database(file);
  });
}

/** Does what needs the folder's database. What the system or SQLite refuses is thrown as `unavailable`. */
export function orUnusable<T>(folder: string, work: (file: string) => T): T {
  const file = join(folder, databaseName);
  try {
    return work(file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('unavailable', sentence`The sandbox cannot use its database ${file}: ${(error as Error).message}.`, {
      hint: 'Move the file away, or choose another folder with PROCTOR_STATE_DIR.',
      cause: error,
    });
  }
}

/** Throws what SQLite says of a file that has no token of a sandbox; it is only read. */
function refuseForeign(file: string): void {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    connection.exec('PRAGMA busy_timeout = 10000');
    connection.prepare(`SELECT value FROM settings WHERE name = 'token'`).get();
  } finally {
    connection.close();
  }
}

/** Created under another name and linked into place when complete, so that an incomplete one is never opened. */
function create(folder: string, file: string, fill: (database: Database) => void): void {
  makePrivateFolder(folder);
  const draft = `${file}.${randomUUID()}`;
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    const database = new Database(draft);
    try {
      database.transaction('write', () => {
        database.exec(schema);
        database.sql(`INSERT INTO settings VALUES ('token', ?)`).run(randomBytes(32).toString('hex'));
        fill(database);
      });
    } finally {
      database.close();
    }
    linkSync(draft, file);
  } catch (error) {
    // Another process was faster: its database serves as well.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
}
