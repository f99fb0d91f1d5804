/**
 * The record on this machine: one SQLite database in the state folder; in memory where nothing may be kept. SQLite itself never waits
 * for another process, because that would stop this one, which has answers to receive: it is asked again. A process is alive while it
 * has the kernel's lock on a file of its own, which ends with it.
 */
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { closeStateFolder, closeToOthers, makePrivateFolder, refuseLink } from '../files/private-files.ts';
import { createPrivately, DatabaseSync, locked, type StatementSync, sqliteCode } from '../files/sqlite.ts';
import type { Host } from '../host/host.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Db, oneAtATime, patience, patiently, type Query, type Row, refused } from './db.ts';
import { tables } from './rows.ts';

type Database = InstanceType<typeof DatabaseSync>;
/** `typeOf`: the type of the file system that a folder is on. */
export type LocalHost = Pick<Host, 'sleep' | 'random' | 'pid' | 'platform' | 'env'> & { typeOf?(folder: string): number };

/** SQLite's mark of the program that a file belongs to: "PRec". */
const applicationId = 0x50526563;
/** SQLite's primary codes. */
const codes = { mistake: 1, busy: 5, locked: 6, io: 10, damaged: 11, full: 13, notADatabase: 26 } as const;
const chooseFolder = 'Nothing more was sent. Choose another folder on this machine: export PROCTOR_STATE_DIR=FOLDER';
/** Types of file systems of other machines, as Linux gives them: SQLite's locks are not to be relied on there. FUSE: sshfs and the like. */
const networks: Record<number, string> = {
  ...{ 26985: 'NFS', 20859: 'SMB', 4266872130: 'SMB' },
  ...{ 4283649346: 'CIFS', 1702057286: 'FUSE', 16914839: '9P' },
};

/** In memory without a folder. */
export async function openSqlite(folder: string | undefined, host: LocalHost): Promise<Db> {
  const place = folder === undefined ? ':memory:' : join(folder, 'record.sqlite');
  const holder = `${host.pid}-${randomUUID()}`;
  const alone = oneAtATime();
  const statements = new Map<string, StatementSync>();
  const retried = <T>(act: () => T) =>
    patiently(host, { milliseconds: db.patience, longest: 10 }, act, (error) => isBusy(sqliteCode(error)));
  let own: Database | undefined;

  const withoutIt = sentence`Restore it from a backup, or begin without it; earlier runs can then be neither resumed nor undone: mv ${shellQuoted(place)} ${shellQuoted(`${place}.old`)}`;
  const inWords = (error: unknown, isOpening = false) => failureOf(place, withoutIt, error, isOpening);
  const query: Query = async (sql, values = []) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql.replace(/\$(\d+)/g, '?$1'));
      // Statements for many rows are many.
      if (values.length < 200) statements.set(sql, statement);
    }
    return statement.all(...values) as Row[];
  };

  const acting = <T>(work: () => Promise<T>) =>
    alone(async () => {
      try {
        return await work();
      } catch (error) {
        if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
        throw inWords(error);
      }
    });

  let database: Database;
  const db: Db = {
    place: folder === undefined ? 'none' : place,
    ...{ holder, withoutIt, patience: patience.before },
    transaction: (work) =>
      acting(async () => {
        await retried(() => database.exec('BEGIN IMMEDIATE'));
        const result = await work(query);
        database.exec('COMMIT');
        return result;
      }),
    live() {
      if (folder !== undefined) own ??= locked(lockFile(folder, holder));
    },
    async isAlive(_, other) {
      if (folder === undefined || other === holder) return other === holder;
      // Within a transaction: nobody else looks, or begins to live, at the same moment.
      const path = lockFile(folder, other);
      const free = existsSync(path) && locked(path);
      if (free) free.close();
      if (free) rmSync(path, { force: true });
      return free === undefined;
    },
    compact: () =>
      acting(() =>
        retried(() => {
          // The log still has what the file has no more.
          database.exec('VACUUM');
          const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
          if (busy === 1) throw Object.assign(new Error(), { errcode: codes.busy });
        }),
      ),
    close: () =>
      alone(async () => {
        if (database.isOpen) database.close();
        own?.close();
        if (folder !== undefined && own) rmSync(lockFile(folder, holder), { force: true });
      }),
  };
  try {
    if (folder !== undefined) prepareFolder(folder, place, host);
    database = await retried(() => openDatabase(place));
    return db;
  } catch (error) {
    throw inWords(error, true);
  }
}

function prepareFolder(folder: string, place: string, host: LocalHost) {
  makePrivateFolder(folder);
  closeStateFolder(folder, host);
  // Numbers of 32 bits, which some systems give with a sign.
  const { typeOf = (path) => statfsSync(path).type } = host;
  const network = host.platform === 'linux' ? networks[typeOf(folder) >>> 0] : undefined;
  if (network !== undefined)
    throw refused(place, `it is not on a local disk (${network}), where locks can be lost`, chooseFolder, 'invalid_config');
  for (const path of [place, `${place}-wal`, `${place}-shm`]) {
    refuseLink(path);
    closeToOthers(path, 0o077);
  }
  createPrivately(place);
  accessSync(place, constants.W_OK);
}

/** Refuses the file of another program before anything is done to it, and makes the tables in an empty one. */
function openDatabase(place: string): Database {
  const database = new DatabaseSync(place, { timeout: 0 });
  try {
    database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL');
    const made = 'SELECT application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id';
    const { id, tables: count } = database.prepare(made).get() ?? {};
    if (id !== applicationId && !(id === 0 && count === 0))
      throw refused(place, 'it belongs to another program', `Move that file away. ${chooseFolder}`);
    if (!['wal', 'memory'].includes(String(database.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode)))
      throw new Error('its file system cannot share memory between processes');
    database.exec('PRAGMA journal_size_limit = 16000000');
    if (id === 0) database.exec(`BEGIN IMMEDIATE; ${tables.join(';')}; PRAGMA application_id = ${applicationId}; COMMIT`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function lockFile(folder: string, holder: string): string {
  return join(folder, 'holders', `${holder}.lock`);
}

function isBusy(code: number): boolean {
  return code === codes.busy || code === codes.locked;
}

/** What SQLite and the file system report, in words. Any other error of a transaction is the caller's, and stays as it is. */
function failureOf(place: string, withoutIt: Sentence, error: unknown, isOpening: boolean): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const sqlite = sqliteCode(error);
  const isOfFiles = sqlite >= 0 || code === 'ERR_OUT_OF_RANGE' || /^E[A-Z]+$/.test(code);
  if (error instanceof CliError || !(isOfFiles || isOpening)) return error;
  const failed = (why: string, hint: string) => refused(place, why, hint, 'state_failed', error);
  if (isBusy(sqlite)) return failed('another program keeps it locked', 'Stop that program, then run the same command again.');
  // Numbers that nobody has written, and statements that do not fit the tables.
  if ([codes.damaged, codes.notADatabase, codes.mistake].includes(sqlite as 1) || code === 'ERR_OUT_OF_RANGE')
    return refused(place, 'it is damaged', withoutIt, 'state_damaged', error);
  const isFull = sqlite === codes.full || sqlite === codes.io || ['ENOSPC', 'EDQUOT'].includes(code);
  return failed(systemReason(error), isFull ? 'Make room on the disk, then run the same command again: it resumes.' : chooseFolder);
}
