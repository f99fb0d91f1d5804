/** What others know of the record of runs, which this opens where the settings name it: on this machine, of a team, or none. */

import { join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { closeState, filePlace, makePrivateFolder, statePlace } from '../files/private-files.ts';
import type { Host } from '../host/host.ts';
import { typedKeyFile, typedVariable } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { createKeys, type KeyFile, Keys, readKeys } from './keys.ts';
import type { TeamAccess } from './postgres.ts';
import { RunRecord } from './record.ts';
import { openSqlite } from './sqlite.ts';

export type { TeamAccess } from './postgres.ts';
export { LockHeld, type RunFilter, RunRecord, type StepFilter } from './record.ts';
export type { NewRun, Run, RunState, StepRow } from './rows.ts';
export { RunWriter } from './run-writer.ts';

export type RecordOptions = {
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'pid' | 'platform' | 'env'>;
  /** `none`: in memory, so that nothing outlives the process. */
  at: 'local' | 'none' | TeamAccess;
  folder(): string;
  /** The key, if it is not the one in the folder. */
  keyFile?: string | undefined;
  /** How long ended runs stay in a record on this machine. Milliseconds. */
  keepRuns?: number;
  who: string;
  inWords(instant: number): string;
  /** Hears of what was open to others. */
  onClosed(paths: readonly string[]): void;
  /** Says that a server is waited for. */
  say(text: Sentence): void;
};

/** Throws `state_failed`, `state_unavailable`, `state_damaged`, `invalid_config`. */
export async function openRecord(options: RecordOptions): Promise<RunRecord> {
  const { at, host, who, inWords, keepRuns } = options;
  const inMemory = { path: 'none', read: () => undefined, create: async () => new Keys() };
  const keys = at === 'none' ? inMemory : keyFileOf(options);
  const db =
    typeof at === 'string'
      ? await openSqlite(at === 'none' ? undefined : options.folder(), host, options.onClosed)
      : await (await import('./postgres.ts')).openPostgres(at, host, options.say);
  try {
    const record = await RunRecord.open({ db, host, who, inWords }, keys);
    if (at === 'local' && keepRuns !== undefined) await record.prune(host.now() - keepRuns);
    return record;
  } catch (error) {
    await db.close();
    throw error;
  }
}

function keyFileOf({ host, folder, keyFile, onClosed }: RecordOptions): KeyFile {
  const path = keyFile ?? join(folder(), 'runs.key');
  const failed = (why: string, hint: string, cause?: unknown) => {
    const what = sentence`The key file ${path} cannot be used: ${why}.`;
    return new CliError('invalid_config', what, { hint: sentence`Nothing was sent. ${hint}`, cause });
  };
  const copyIt = 'Copy the key file of a machine that uses the same state.';
  return {
    path,
    read() {
      const own = keyFile === undefined ? [statePlace(folder(), host)] : [];
      onClosed(closeState([...own, filePlace(path)]));
      try {
        return readKeys(path);
      } catch (error) {
        throw failed(systemReason(error), copyIt, error);
      }
    },
    async create() {
      // A slip in a name must not begin a new record.
      if (keyFile !== undefined) throw failed('it does not exist', `${copyIt} For a new state, make one: ${typedKeyFile(path)}`);
      try {
        makePrivateFolder(folder());
        return await createKeys(path);
      } catch (error) {
        throw failed(systemReason(error), `Choose a folder that you can write: ${typedVariable('PROCTOR_STATE_DIR', 'FOLDER')}`, error);
      }
    },
  };
}
