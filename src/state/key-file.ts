/** The key of a state: in the file that the settings name, or beside the database of this machine. */
import { realpathSync, statSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { sentence } from '../text/sentence.ts';
import { statePaths } from './open-database.ts';
import type { StateOptions } from './options.ts';
import { readKeys, readOrCreateKeys, type StudentKeys } from './student-keys.ts';

export function keyFileOf({ folder, keyFile }: StateOptions): string {
  return keyFile ?? statePaths(folder).key;
}

/** Undefined where there is none. Throws `invalid_config` for a file that cannot be used. */
export function keysOf(options: StateOptions): StudentKeys | undefined {
  const path = keyFileOf(options);
  try {
    return readKeys(options.keyFile === undefined ? path : namedFile(path, options.host));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('invalid_config', sentence`The key file ${path} cannot be used: ${(error as Error).message}.`, {
      hint: 'Nothing was sent. Print the key on a machine of the team with proctor-cli state key, and put that line into this file.',
      cause: error,
    });
  }
}

/** What a user names may be a link, as in a container, but not open to others. */
function namedFile(path: string, { platform }: StateOptions['host']): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return path;
  if ((stats.mode & 0o077) !== 0 && platform !== 'win32')
    throw new CliError('invalid_config', sentence`The key file ${path} is not used, because others may read it.`, {
      hint: sentence`Nothing was sent. Close it to others: chmod 600 ${path}`,
    });
  return realpathSync(path);
}

export async function keysOrNew(options: StateOptions): Promise<StudentKeys> {
  const there = keysOf(options);
  if (there) return there;
  if (options.keyFile === undefined) makePrivateFolder(options.folder);
  return readOrCreateKeys(keyFileOf(options));
}

export function keyText(options: StateOptions): string {
  const keys = keysOf(options);
  if (keys) return keys.text;
  throw new CliError('not_found', sentence`There is no key yet: ${keyFileOf(options)} does not exist.`, {
    hint: "A team's key is made with: proctor-cli state init",
  });
}
