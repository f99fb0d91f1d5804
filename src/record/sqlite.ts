/**
 * The record on this machine: one SQLite database in the state folder, or in memory. SQLite never waits
 * for another process, which would stop this one: it is asked again. A process is alive while it has
 * the kernel's lock on a file of its own, which ends with it.
 */
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { closeState, filePlace, makePrivateFolder, refuseLink, statePlace } from '../files/private-files.ts';
import { createPrivately, DatabaseSync, databaseFiles, locked, type StatementSync, sqliteCode } from '../files/sqlite.ts';
import type { Host } from '../host/host.ts';
import { orNone } from '../model/invalid-value.ts';
import { typedMove, typedVariable } from '../model/shell-quote.ts';
import { type Db, type DbRow, oneAtATime, patiently, type Query, stateRefused, waitsMs } from './db.ts';
import { tables } from './rows.ts';

type Database = InstanceType<typeof DatabaseSync>;
/** `typeOf`: the type of a folder's file system. `realPath`: its path without links and mapped drives. */
type FileSystem = { typeOf?(folder: string): number; realPath?(folder: string): string };
type LocalHost = Pick<Host, 'sleep' | 'random' | 'pid' | 'platform' | 'env'> & FileSystem;
type OnClosed = (paths: readonly string[]) => void;

/** Marks the files of this program: "PRec". */
const recordApplicationId = 0x50526563;
const codes = { mistake: 1, busy: 5, locked: 6, io: 10, damaged: 11, full: 13, notADatabase: 26 };
const chooseFolder = () => `Nothing more was sent. Choose another folder on this machine: ${typedVariable('PROCTOR_STATE_DIR', 'FOLDER')}`;
/** Linux's types of file systems on which SQLite's locks are not reliable. FUSE: such as sshfs. */
const networks: Record<number, string> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'CIFS',
  1702057286: 'FUSE',
  16914839: '9P',
};

export async function openSqlite(folder: string | undefined, host: LocalHost, onClosed: OnClosed): Promise<Db> {
  const place = folder === undefined ? ':memory:' : join(folder, 'record.sqlite');
  const holder = `${host.pid}-${randomUUID()}`;
  const alone = oneAtATime();
  const statements = new Map<string, StatementSync>();
  const retried = <T>(act: () => T) => patiently(host, db, 10, act, (error) => isBusy(sqliteCode(error)));
  let own: Database | undefined;

  const moveAway = typedMove(place, '.old');
  const inWords = (error: unknown, isOpening = false) => sqliteFailure({ place, moveAway }, error, isOpening);
  const query: Query = async (sql, values = []) => {
    const statement = statements.get(sql) ?? database.prepare(sql.replace(/\$(\d+)/g, '?$1'));
    // Statements for many rows are many.
    if (values.length < 200) statements.set(sql, statement);
    return statement.all(...values) as DbRow[];
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
    holder,
    moveAway,
    patience: waitsMs.before,
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
      if (!existsSync(path)) return false;
      const free = locked(path);
      if (!free) return true;
      free.close();
      removeLock(path);
      return false;
    },
    compact: () =>
      acting(() =>
        retried(() => {
          // The log still has it.
          database.exec('VACUUM');
          const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
          if (busy === 1) throw Object.assign(new Error(), { errcode: codes.busy });
        }),
      ),
    close: () =>
      alone(async () => {
        if (database.isOpen) database.close();
        own?.close();
        if (folder !== undefined && own) removeLock(lockFile(folder, holder));
      }),
  };
  try {
    if (folder !== undefined) prepareFolder(folder, place, host, onClosed);
    database = await retried(() => openDatabase(place));
    return db;
  } catch (error) {
    throw inWords(error, true);
  }
}

function prepareFolder(folder: string, place: string, host: LocalHost, onClosed: OnClosed) {
  makePrivateFolder(folder);
  // Whoever can write to these files could end a lock.
  const own = [...databaseFiles(place), join(folder, 'holders')];
  own.forEach(refuseLink);
  onClosed(closeState([statePlace(folder, host), ...own.map(filePlace)]));
  const network = networkOf(folder, host);
  if (network !== undefined) {
    const why = `it is not on a local disk (${network}), where locks can be lost`;
    throw stateRefused(place, why, chooseFolder(), 'invalid_config');
  }
  createPrivately(place);
  accessSync(place, constants.W_OK);
}

/** The network file system of a folder, in words; undefined if it is on none, or if the system does not say, such as macOS. */
function networkOf(folder: string, host: LocalHost): string | undefined {
  const { platform, typeOf = (path) => statfsSync(path).type, realPath = realpathSync.native } = host;
  // A share, or a drive that is one.
  if (platform === 'win32') return /^\\\\[^\\?]+\\[^\\]+/.exec(orNone(() => realPath(folder)) ?? folder)?.[0];
  // Some systems give these 32 bits with a sign.
  return platform === 'linux' ? networks[typeOf(folder) >>> 0] : undefined;
}

/** Refuses the file of another program, unchanged; makes the tables in an empty one. */
function openDatabase(place: string): Database {
  const database = new DatabaseSync(place, { timeout: 0 });
  try {
    database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL');
    const { id } = database.prepare('SELECT application_id AS id FROM pragma_application_id').get() ?? {};
    const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get() ?? {};
    if (id !== recordApplicationId && !(id === 0 && count === 0))
      throw stateRefused(place, 'it belongs to another program', `Move that file away. ${chooseFolder()}`);
    const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get() ?? {};
    if (mode !== 'wal' && mode !== 'memory') throw new Error('its file system cannot share memory between processes');
    database.exec('PRAGMA journal_size_limit = 16000000');
    const mark = `PRAGMA application_id = ${recordApplicationId}`;
    if (id === 0) database.exec(`BEGIN IMMEDIATE; ${tables.join(';')}; ${mark}; COMMIT`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function lockFile(folder: string, holder: string): string {
  return join(folder, 'holders', `${holder}.lock`);
}

/** Where a scanner of Windows has it open it stays: nobody lives by a lock that is free. */
function removeLock(path: string) {
  orNone(() => rmSync(path));
}

function isBusy(code: number): boolean {
  return code === codes.busy || code === codes.locked;
}

/** What SQLite and the file system report, in words. Any other error stays as it is. */
function sqliteFailure(db: Pick<Db, 'place' | 'moveAway'>, error: unknown, isOpening: boolean): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const sqlite = sqliteCode(error);
  // A number that nobody wrote.
  const isOutOfRange = code === 'ERR_OUT_OF_RANGE';
  const isOfFiles = sqlite >= 0 || isOutOfRange || /^E[A-Z]+$/.test(code);
  if (error instanceof CliError || !(isOfFiles || isOpening)) return error;
  const failed = (why: string, hint?: string) => stateRefused(db.place, why, hint, 'state_failed', error);
  if (isBusy(sqlite)) return failed('another program keeps it locked', 'Stop that program, then run the same command again.');
  // A mistake: the tables are not those that were made.
  const isDamaged = [codes.damaged, codes.notADatabase, codes.mistake].includes(sqlite);
  if (isDamaged || isOutOfRange) {
    const way = 'Restore it from a backup, or begin without it; earlier runs can then be neither resumed nor undone';
    return stateRefused(db.place, 'it is damaged', `${way}: ${db.moveAway}`, 'state_damaged', error);
  }
  const isFull = [codes.full, codes.io].includes(sqlite) || ['ENOSPC', 'EDQUOT'].includes(code);
  return failed(systemReason(error), isFull ? undefined : chooseFolder());
}
