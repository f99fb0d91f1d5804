/**
 * The configuration file as it is read, at every start and without any library: absent, whole, or
 * refused with the place where it is broken. Reading changes nothing but modes that are too wide.
 */
import { chmodSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, parse, sep } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { isJsonObject, parseJson, repeatedName } from '../model/json.ts';
import { nearest } from '../model/nearest.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { configFolder, configFolderIfAny } from './folders.ts';
import { profileSettings, type SettingKey, settingKeys } from './profile-settings.ts';

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
  if (bytes === undefined) return { profiles: {} };
  let mayHaveToken = true;
  try {
    const config = parseConfig(path, bytes);
    // Settings alone are no secret: they may be committed, and checked out as any file is.
    mayHaveToken = Object.values(config.profiles).some(({ token }) => token !== undefined);
    return config;
  } finally {
    if (mayHaveToken) {
      tighten(path, statSync(path).mode);
      tightenFolder(dirname(path), host.home);
    }
  }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw broken(path, 'it is not a file');
    return readFileSync(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      throw new CliError('invalid_config', sentence`The configuration file ${path} could not be read: ${message}.`, {
        hint: sentence`Check its permissions: ls -l ${shellQuoted(path)}`,
        cause: error,
      });
    }
    // A broken link is an error, not an empty configuration: the disk that it points to may not be mounted.
    if (lstatSync(path, { throwIfNoEntry: false })) throw broken(path, 'it is a link to a file that does not exist');
    return undefined;
  }
}

function tighten(path: string, mode: number) {
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch {
    // Another user's file, or a read-only file system (a mounted secret): readable, but not ours to change.
  }
}

/** A folder shared with other users keeps its mode, even if it contains the file. */
export function tightenFolder(folder: string, home: string) {
  const { mode } = statSync(folder);
  const sticky = (mode & 0o1000) !== 0;
  const system = dirname(folder) === parse(folder).root;
  if (!sticky && !system && !`${home}${sep}`.startsWith(`${folder}${sep}`)) tighten(folder, mode);
}

function parseConfig(path: string, bytes: Buffer): Config {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw broken(path, 'it is not UTF-8 text');
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw broken(path, `it is not JSON (${(error as Error).message})`);
  }
  const repeated = repeatedName(text)?.name;
  if (repeated !== undefined) throw broken(path, `${JSON.stringify(repeated)} occurs twice in one object`);
  const problem = shapeProblem(value) ?? nameProblem(value as Config);
  if (problem !== undefined) throw broken(path, problem);
  return value as Config;
}

function broken(path: string, why: string): CliError {
  return new CliError('invalid_config', sentence`The configuration file ${path} is invalid: ${why}.`, {
    hint: sentence`Fix it in an editor, or move it away and log in again (an invalid file is never overwritten): mv ${shellQuoted(path)} ${shellQuoted(`${path}.broken`)}`,
  });
}

/** The invalid setting, by its name and never by its value. */
function shapeProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'it is not an object';
  const { current, profiles, ...others } = value;
  if (current !== undefined && typeof current !== 'string') return 'current is not a string';
  if (!isJsonObject(profiles)) return 'profiles is not an object';
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isJsonObject(profile)) return `profiles.${name} is not an object`;
    for (const [key, setting] of Object.entries(profile)) {
      if (!Object.hasOwn(profileSettings, key)) return unknownField(`profiles.${name}`, key, settingKeys);
      if (typeof setting !== 'string') return `profiles.${name}.${key} is not a string`;
    }
  }
  const [key] = Object.keys(others);
  return key === undefined ? undefined : unknownField('it', key, ['current', 'profiles']);
}

function unknownField(place: string, key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return `${place} has the unknown field "${key}"${meant ? ` (did you mean ${meant}?)` : ''}`;
}

function nameProblem({ profiles }: Config): string | undefined {
  const wrong = Object.keys(profiles).find((name) => !profileName.test(name));
  return wrong === undefined ? undefined : `"${wrong}" is not a valid profile name`;
}
