/** The state of runs on this machine: one SQLite database in the state folder. */
import { writeLastCommit } from './last-commit.ts';
import { isCopying, notInUse } from './moved.ts';
import { type OpenedDatabase, openDatabase, statePaths } from './open-database.ts';
import type { StateOptions } from './options.ts';
import { RunLocks } from './run-locks.ts';
import { stateIn } from './runs-state.ts';
import { sqliteStore } from './sqlite-store.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

/** Opens the state, or creates it. Throws `state_failed`, `state_damaged`, `state_restored`, `invalid_config`. */
export async function openLocalState(options: StateOptions): Promise<State> {
  const opened = await openDatabase(options);
  const isWhole = !isCopying(opened.movedTo);
  if (!opened.restored && isWhole) return stateOf(options, opened);
  opened.database.close();
  throw opened.restored ?? notInUse(statePaths(options.folder).database, opened.movedTo);
}

/** The state in a database that is open. */
export function stateOf(options: StateOptions, opened: OpenedDatabase): State {
  return stateIn(storeOf(options, opened), opened.keys, options);
}

export function storeOf({ folder, host, inWords = isoTime }: StateOptions, { database, last, restored }: OpenedDatabase): Store {
  const committed = (seq: number) => {
    try {
      writeLastCommit(statePaths(folder).last, { id: last.id, seq });
    } catch {
      // The commit is durable all the same; a restored database is known by an earlier number then.
    }
  };
  // A restored database counts no commits until it is accepted: it would seem to be the latest by them.
  return sqliteStore({ database, host, locks: new RunLocks(folder, host, inWords), committed: restored ? undefined : committed });
}

function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}
