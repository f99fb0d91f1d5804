/** The state of this machine as what is copied from or to. */
import { statSync } from 'node:fs';
import { writePrivateFile } from '../files/private-file.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import type { CopyEnd, CopyMeta } from './copy-end.ts';
import { keysOf } from './key-file.ts';
import { writeLastCommit } from './last-commit.ts';
import { type OpenedDatabase, openDatabase, statePaths } from './open-database.ts';
import type { StateOptions } from './options.ts';
import { patiently, type RunDatabase } from './run-database.ts';
import { sql } from './sqlite-store.ts';
import { stateFailure } from './state-failure.ts';
import { type Key, tables } from './state-tables.ts';

/** Rows that are copied at once. */
const part = 5_000;

export async function localEnd(options: StateOptions): Promise<CopyEnd> {
  const { folder, host } = options;
  const paths = statePaths(folder);
  let opened: OpenedDatabase | undefined;
  const open = async () => {
    opened ??= await openDatabase(options);
    if (opened.restored) throw opened.restored;
    return opened;
  };
  const written = async <T>(act: (database: RunDatabase) => T) => {
    const { database } = await open();
    try {
      await patiently(host, paths.database, () => database.exec('BEGIN IMMEDIATE'));
      const result = act(database);
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.rollback();
      throw stateFailure(paths.database, error);
    }
  };
  const isThere = () => (statSync(paths.database, { throwIfNoEntry: false })?.size ?? 0) > 0;

  return {
    // Machines of a team have one each, and a machine may have several.
    place: `${paths.database} on ${host.machine}`,
    keys: keysOf({ ...options, keyFile: undefined }),
    async meta() {
      return isThere() ? metaIn((await open()).database) : undefined;
    },
    async prepare(before, { id, print, movedTo }, keys) {
      if (!isThere()) {
        makePrivateFolder(folder);
        // The database is made with the key that is there.
        if (!keysOf({ ...options, keyFile: undefined }))
          await writePrivateFile(paths.key, (file) => file.writeFile(`${keys.text}\n`), { replace: false });
      }
      // Runs are numbered by the milliseconds of a team's clock, or by the commits of a machine.
      const seq = host.now();
      const isPrepared = await written((database) => {
        const now = metaIn(database);
        if (before && (now.id !== before.id || now.movedTo !== before.movedTo)) return false;
        for (const table of tables) database.drop(table);
        database.row(sql.setMeta, id, print, seq, movedTo);
        return true;
      });
      if (isPrepared) writeLastCommit(paths.last, { id, seq }, { sync: true });
      return isPrepared;
    },
    mark: (before, movedTo) =>
      written((database) => {
        const isAsBefore = metaIn(database).movedTo === before;
        if (isAsBefore) database.row(sql.setMoved, movedTo);
        return isAsBefore;
      }),
    async *rows(table) {
      const { database } = await open();
      yield* parts(database.values(table), part);
    },
    add: (table, rows) =>
      written((database) => {
        for (const row of rows) database.addValues(table, row);
      }),
    hasRuns: async () => [...(await open()).database.all('runs')].length > 0,
    async close() {
      opened?.database.close();
    },
  };
}

function metaIn(database: RunDatabase): CopyMeta {
  const [id, , print, , movedTo] = database.row(sql.meta) ?? [];
  return { id: String(id), print: String(print), movedTo: String(movedTo) };
}

function* parts(rows: Iterable<Key[]>, size: number): Generator<Key[][], void> {
  let one: Key[][] = [];
  for (const row of rows) {
    if (one.push(row) < size) continue;
    yield one;
    one = [];
  }
  if (one.length > 0) yield one;
}
