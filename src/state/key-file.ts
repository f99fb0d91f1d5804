/** The key of a state: in the file that the settings name, or beside the database of this machine. */
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { statePaths } from './open-database.ts';
import type { StateOptions } from './options.ts';
import { makePrivateFolder } from './private-folder.ts';
import { readKeys, readOrCreateKeys, type StudentKeys } from './student-keys.ts';

export function keyFileOf({ folder, keyFile }: StateOptions): string {
  return keyFile ?? statePaths(folder).key;
}

/** Undefined where there is none. Throws `invalid_config` for a file that cannot be used. */
export function keysOf(options: StateOptions): StudentKeys | undefined {
  try {
    return readKeys(keyFileOf(options));
  } catch (error) {
    throw new CliError('invalid_config', sentence`The key file ${keyFileOf(options)} cannot be used: ${(error as Error).message}.`, {
      hint: 'Nothing was sent. Print the key on a machine of the team with proctor-cli state key, and put that line into this file.',
      cause: error,
    });
  }
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
