/** What is in the state folder, for people, and the acceptance of a database that was restored from a backup. */
import { rmSync, statSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { readLastCommit, writeLastCommit } from './last-commit.ts';
import { standingOf } from './moved.ts';
import { type OpenedDatabase, openDatabase, statePaths } from './open-database.ts';
import type { SettleOpenRuns, StateOptions, StateStatus } from './options.ts';
import { patiently } from './run-database.ts';
import { RunLocks } from './run-locks.ts';
import { stateOf } from './sqlite-state.ts';
import { sql } from './sqlite-store.ts';
import type { RunRecord, State } from './state.ts';
import { schemaVersion } from './state-tables.ts';

/** Changes nothing, and makes no state where there is none. Throws as `openState` does, except for a restored or damaged one. */
export async function localStatus(options: StateOptions): Promise<StateStatus> {
  const { folder, host } = options;
  const paths = statePaths(folder);
  const size = [paths.database, `${paths.database}-wal`, paths.key, paths.last].reduce((sum, path) => sum + sizeOf(path), 0);
  const locks = await new RunLocks(folder, host, String).held();
  const status = { place: paths.database, size, schema: null, runs: 0, open: [], locks, movedTo: '' };
  if (sizeOf(paths.database) === 0) return { ...status, standing: wasThere(paths.last) ? 'missing' : 'none' };
  try {
    const opened = await openDatabase(options);
    return await withState(options, opened, async (state) => {
      const runs = await state.runs();
      const standing = opened.restored ? 'restored' : standingOf(opened.movedTo);
      return { ...status, standing, movedTo: opened.movedTo, schema: schemaVersion, runs: runs.length, open: runs.filter(isOpen) };
    });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'state_damaged') throw error;
    return { ...status, standing: 'damaged', runs: null, failure: error };
  }
}

/**
 * Accepts a database that was restored, or that nothing is left of: what was done since is not in it. Before, the runs
 * that are open in it are settled. Returns whether there was anything to accept.
 */
export async function acceptLocal(options: StateOptions, settleOpenRuns?: SettleOpenRuns): Promise<boolean> {
  const paths = statePaths(options.folder);
  if (sizeOf(paths.database) === 0) {
    const accepts = wasThere(paths.last);
    rmSync(paths.last, { force: true });
    return accepts;
  }
  const opened = await openDatabase(options);
  return withState(options, opened, async (state) => {
    if (!opened.restored) return false;
    const open = (await state.runs()).filter(isOpen);
    if (open.length > 0) await settleOpenRuns?.(state, open);
    await state.lock('accept', 'state accept');
    // Beyond what was there before, so that an older one is known again.
    const before = readLastCommit(paths.last);
    const [, , , seq] = opened.database.row(sql.meta) ?? [];
    const next = Math.max(before?.id === opened.last.id ? before.seq : 0, seq as number) + 1;
    await patiently(options.host, state.place, () => opened.database.row(sql.setSeq, next));
    writeLastCommit(paths.last, { id: opened.last.id, seq: next }, { sync: true });
    return true;
  });
}

async function withState<T>(options: StateOptions, opened: OpenedDatabase, act: (state: State) => Promise<T>): Promise<T> {
  const state = stateOf(options, opened);
  try {
    return await act(state);
  } finally {
    await state.close();
  }
}

function isOpen({ state }: RunRecord): boolean {
  return state === 'open';
}

function wasThere(last: string): boolean {
  return (readLastCommit(last)?.seq ?? 0) > 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
