/**
 * The configuration file as it is read, at every start and without any library: absent, whole, or
 * refused with the place where it is broken. Reading changes nothing.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { isJsonObject, parseJson, repeatedName } from '../model/json.ts';
import { nearest } from '../model/nearest.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { configFolder, configFolderIfAny } from './folders.ts';
import { type SettingKey, settingKeys } from './profile-settings.ts';

export type Profile = Readonly<Partial<Record<SettingKey, string>>>;

export type Config = Readonly<{
  /** The current profile where neither flag nor environment names one. */
  current?: string;
  profiles: Readonly<Record<string, Profile>>;
}>;

/** A name that is safe in a command line: `__proto__`, `..` and `-x` are none. */
export const profileName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Throws `invalid_config` where there is no folder for it. */
export function configPath(host: Host): string {
  return join(configFolder(host), 'config.json');
}

/** The stored configuration. Throws `invalid_config` if the file is unreadable or broken. */
export function readConfig(host: Host): Config {
  if (configFolderIfAny(host) === undefined) return { profiles: {} };
  const path = configPath(host);
  const bytes = bytesOf(path);
  return bytes === undefined ? { profiles: {} } : parseConfig(path, bytes);
}

function bytesOf(path: string): Buffer | undefined {
  try {
    // A broken link is an error, not an empty configuration: the disk that it points to may not be mounted.
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
    if (statSync(path).isFile()) return readFileSync(path);
  } catch (cause) {
    throw new CliError('invalid_config', sentence`The configuration file ${path} could not be read: ${(cause as Error).message}.`, {
      hint: sentence`Check it and its permissions: ls -l ${shellQuoted(path)}`,
      cause,
    });
  }
  throw broken(path, 'it is not a file');
}

function parseConfig(path: string, bytes: Buffer): Config {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = parseJson(text);
  } catch (error) {
    throw broken(path, error instanceof TypeError ? 'it is not UTF-8 text' : `it is not JSON (${(error as Error).message})`);
  }
  const repeated = repeatedName(text)?.name;
  const problem = repeated === undefined ? problemOf(value) : `${JSON.stringify(repeated)} occurs twice in one object`;
  if (problem !== undefined) throw broken(path, problem);
  return value as Config;
}

function broken(path: string, why: string): CliError {
  return new CliError('invalid_config', sentence`The configuration file ${path} is invalid: ${why}.`, {
    hint: sentence`Fix it in an editor, or move it away and log in again (an invalid file is never overwritten): mv ${shellQuoted(path)} ${shellQuoted(`${path}.broken`)}`,
  });
}

/** What is wrong, by the name of a setting and never by its value. */
function problemOf(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'it is not an object';
  const { current, profiles } = value;
  if (current !== undefined && typeof current !== 'string') return 'current is not a string';
  if (!isJsonObject(profiles)) return 'profiles is not an object';
  for (const [name, profile] of Object.entries(profiles)) {
    if (!profileName.test(name)) return `"${name}" is not a valid profile name`;
    if (!isJsonObject(profile)) return `profiles.${name} is not an object`;
    const wrong = settingKeys.find((key) => profile[key] !== undefined && typeof profile[key] !== 'string');
    if (wrong !== undefined) return `profiles.${name}.${wrong} is not a string`;
  }
  return undefined;
}

/** The keys of the file that are no settings, in words; undefined if there are none. */
export function unknownKeys({ current, profiles, ...others }: Config): Sentence | undefined {
  const inProfiles = Object.entries(profiles).flatMap(([name, profile]) =>
    Object.keys(profile).map((key) => [`profiles.${name}.`, key] as const),
  );
  const unknown = [
    ...Object.keys(others).map((key) => ['', key] as const),
    ...inProfiles.filter(([, key]) => !settingKeys.some((known) => known === key)),
  ];
  const shown = unknown.map(([place, key]) => {
    const meant = nearest(key, place === '' ? ['current', 'profiles'] : settingKeys);
    return `${place}${key}${meant ? ` (did you mean ${meant}?)` : ''}`;
  });
  return shown.length === 0
    ? undefined
    : sentence`The configuration has ${shown.length === 1 ? 'an unknown key' : 'unknown keys'}: ${shown.join(', ')}.`;
}
