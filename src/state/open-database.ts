/**
 * Opens the database of runs, or creates it, and refuses what cannot be trusted with a record: a folder of others or on
 * a network, a link, a file of another program or of a newer version, a damaged one, one without its key, and one that
 * was restored from a backup. Each has a sentence of its own.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { closeStateFolder, closeToOthers, makePrivateFolder } from '../files/private-folder.ts';
import { refuseLink } from '../files/refuse-link.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';
import { type LastCommit, readLastCommit, writeLastCommit } from './last-commit.ts';
import { patiently, RunDatabase } from './run-database.ts';
import { sql } from './sqlite-store.ts';
import { DamagedRow, damaged, stateFailure } from './state-failure.ts';
import { createTables, schemaVersion } from './state-tables.ts';
import { readKeys, readOrCreateKeys, type StudentKeys } from './student-keys.ts';

/** SQLite's mark of the program that a file belongs to: "PRun". */
const applicationId = 0x5052756e;
/** What creates each table, as SQLite is given it. */
const created = createTables((table) => table, ' WITHOUT ROWID');

export type StateHost = Pick<Host, 'now' | 'sleep' | 'random' | 'pid' | 'machine' | 'env' | 'platform'>;

export type StateFolder = {
  folder: string;
  host: StateHost;
  /** For tests: the type of the file system of a folder, as statfs(2) gives it. */
  typeOf?: (folder: string) => number;
};

export type OpenedDatabase = {
  database: RunDatabase;
  keys: StudentKeys;
  /** The ID of the database, and its number of commits. */
  last: LastCommit;
  /** Where `state copy` has moved the record; empty where it is in use. */
  movedTo: string;
  /** It is not the one that was written last: why, as an error. */
  restored?: CliError;
};

type Meta = LastCommit & { movedTo: string };

export function statePaths(folder: string) {
  return { database: join(folder, 'runs.sqlite'), key: join(folder, 'runs.key'), last: join(folder, 'runs.last') };
}

/** Throws `state_failed`, `state_damaged`, `invalid_config`, and `state_restored` for a database that is missing; another one that was restored is the caller's to refuse. */
export async function openDatabase({ folder, host, typeOf }: StateFolder): Promise<OpenedDatabase> {
  const paths = statePaths(folder);
  const { database: place } = paths;
  let database: RunDatabase | undefined;
  try {
    makePrivateFolder(folder);
    closeStateFolder(folder, host);
    refuseNetwork(folder, { platform: host.platform, ...(typeOf ? { typeOf } : {}) });
    const before = readLastCommit(paths.last);
    const isNew = sizeOf(place) === 0;
    if (isNew && before && before.seq > 0) throw missing(place);
    if (isNew) createPrivately(place);
    for (const path of [folder, place, paths.last]) checkWritable(path);
    // Reads the file already: another process may be making it, or emptying its log.
    const opened = await patiently(host, place, () => new RunDatabase(place));
    database = opened;
    await patiently(host, place, () => refuseForeign(opened));
    const keys = isNew ? await readOrCreateKeys(paths.key) : readKeys(paths.key);
    if (!keys) throw damaged(place, `its key ${paths.key} is missing`);
    const last = await patiently(host, place, () => identified(opened, paths, keys));
    const restored = isNew ? undefined : await whyRestored(opened, host, paths.last);
    return { database, keys, last: { id: last.id, seq: last.seq }, movedTo: last.movedTo, ...(restored ? { restored } : {}) };
  } catch (error) {
    database?.close();
    throw stateFailure(place, error);
  }
}

/** Of the file; 0 where there is none. Takes rights from others. Throws, in words, for a link and a file of another user. */
function sizeOf(place: string): number {
  for (const path of [place, `${place}-wal`, `${place}-shm`]) {
    refuseLink(path);
    closeToOthers(path, 0o077);
  }
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) throw new Error('it is not a file');
  return stats?.size ?? 0;
}

/** Only ever creates: opening and closing an existing file would drop the locks of this process on it (POSIX). */
function createPrivately(place: string) {
  try {
    closeSync(openSync(place, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Nothing but a write shows it for certain; that comes before any request as well. */
function checkWritable(path: string) {
  try {
    if (existsSync(path)) accessSync(path, constants.W_OK);
  } catch (error) {
    throw stateFailure(path, error);
  }
}

/** Before anything is done to the file. An empty one is nobody's; asked in this order, as another process may be making it: tables and ID come with one commit. */
function refuseForeign(database: RunDatabase) {
  const isNobodys = isEmpty(database);
  const [application] = database.row('PRAGMA application_id') ?? [];
  if (application === applicationId || (application === 0 && isNobodys)) return;
  throw new CliError('state_failed', sentence`The state ${database.place} cannot be used: it belongs to another program.`, {
    hint: 'Nothing was sent. Move the file away, or choose another folder: export PROCTOR_STATE_DIR=FOLDER',
  });
}

function isEmpty(database: RunDatabase): boolean {
  return database.row('SELECT count(*) FROM sqlite_schema')?.[0] === 0;
}

/** Checks that it is a sound database of ours; makes one of an empty file. */
function identified(database: RunDatabase, { last }: ReturnType<typeof statePaths>, keys: StudentKeys): Meta {
  const [mode] = database.row('PRAGMA journal_mode = WAL') ?? [];
  if (mode !== 'wal') throw new Error('its file system cannot share memory between processes');
  database.exec('PRAGMA journal_size_limit = 16000000');
  database.exec(isEmpty(database) ? 'BEGIN IMMEDIATE' : 'BEGIN');
  try {
    // Another process may have been faster.
    if (isEmpty(database)) createDatabase(database, last, keys);
    const meta = checkedMeta(database, keys);
    const [sound] = database.row('PRAGMA quick_check(1)') ?? [];
    if (sound !== 'ok') throw new DamagedRow('SQLite cannot read what is in it', { cause: new Error(String(sound)) });
    // A row whose key has changed would be missing unnoticed; those of a run are counted when they are read.
    for (const table of ['runs', 'standings', 'claims', 'listed'] as const) database.check(table);
    database.exec('COMMIT');
    return meta;
  } catch (error) {
    database.rollback();
    throw error;
  }
}

function createDatabase(database: RunDatabase, last: string, keys: StudentKeys) {
  for (const statement of created) database.exec(statement);
  const id = randomBytes(16).toString('base64url');
  database.row(sql.addMeta, id, schemaVersion, keys.print);
  database.exec(`PRAGMA application_id = ${applicationId}`);
  writeLastCommit(last, { id, seq: 0 }, { sync: true });
}

function checkedMeta(database: RunDatabase, keys: StudentKeys): Meta {
  const { place } = database;
  const [id, version, print, seq, movedTo] = database.row(sql.meta) ?? [];
  if (typeof version === 'number' && version > schemaVersion) {
    throw new CliError('state_failed', sentence`The state ${place} cannot be used: a newer version of proctor-cli has written it.`, {
      hint: 'Nothing was sent. Update proctor-cli on this machine.',
    });
  }
  const [tables] = database.row(`SELECT group_concat(sql, ';' ORDER BY sql) FROM sqlite_schema`) ?? [];
  if (version !== schemaVersion || tables !== [...created].sort().join(';')) throw new DamagedRow('its tables have changed');
  if (print !== keys.print) throw damaged(place, 'the key beside it is that of another state');
  return { id: id as string, seq: seq as number, movedTo: movedTo as string };
}

async function whyRestored(database: RunDatabase, host: StateHost, last: string): Promise<CliError | undefined> {
  // Read before the database: what has come to it since is more, never less.
  const written = readLastCommit(last);
  const [id, , , seq] = (await patiently(host, database.place, () => database.row(sql.meta))) ?? [];
  if (written && written.id === id && written.seq <= (seq as number)) return undefined;
  const why = written?.id === id ? 'it is older than its last commit' : 'it is not the one that was written here last';
  const message = sentence`The state ${database.place} was restored from a backup: ${why}. It lacks all that was done since.`;
  return new CliError('state_restored', message);
}

function missing(place: string): CliError {
  return new CliError('state_restored', sentence`The state ${place} is missing, with the record of what was done from here.`, {
    hint: 'Nothing was sent. Put it back. If it is lost, earlier runs, open ones included, are unknown from then on; begin without them: proctor-cli state accept',
  });
}

/** The type of a file system as Linux gives it (statfs(2)). FUSE: sshfs, rclone and the like. */
const networks: Record<number, string> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'CIFS',
  1702057286: 'FUSE',
  16914839: '9P',
  1397113167: 'AFS',
  1799439955: 'AFS',
  1937076805: 'Coda',
  12805120: 'Ceph',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  428016422: 'BeeGFS',
  1952539503: 'OCFS2',
  18225520: 'GFS2',
  2020557398: 'a folder shared with a virtual machine',
};

type Disk = {
  platform: string;
  /** The type of the file system that an existing folder is on. */
  typeOf?(folder: string): number;
};

/** On a network, SQLite's locks are not to be relied on: throws `invalid_config`, whose hint sets a local folder. Only Linux says. */
function refuseNetwork(folder: string, { platform, typeOf = (path) => statfsSync(path).type }: Disk): void {
  if (platform !== 'linux') return;
  // Numbers of 32 bits, which some systems give with a sign.
  const name = networks[typeOf(folder) >>> 0];
  if (name === undefined) return;
  throw new CliError(
    'invalid_config',
    sentence`The state folder ${folder} is not on a local disk (${name}), where records and locks can be lost.`,
    {
      hint: 'Nothing was sent. Set a folder on a disk of this machine, always the same one: export PROCTOR_STATE_DIR=/var/lib/proctor-cli',
    },
  );
}
