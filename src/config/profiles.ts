/** Reads the configuration file and its profiles. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { closePrivate, contentOf, filePlace, folderPlace } from '../files/private-files.ts';
import type { Host } from '../host/host.ts';
import { isJsonObject, parseJson, repeatedName } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';
import { typedCommand, typedMove, typedOption, typedVariable } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { folderIfAny, folderOf } from './folders.ts';
import { type Overrides, type SettingKey, settingKeys } from './profile-settings.ts';

export type Profile = Readonly<Partial<Record<SettingKey, string>>>;

export type Config = Readonly<{
  /** The current profile where neither flag nor environment names one. */
  current?: string;
  profiles: Readonly<Record<string, Profile>>;
}>;

/** A name that is safe in a command line: `__proto__`, `..` and `-x` are none. */
const profileName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Throws `invalid_config` where there is no folder for it. */
export function configPath(host: Host): string {
  return join(folderOf(host, 'configuration'), 'config.json');
}

/** Undefined where the home folder is unknown: nothing can be stored. */
export function configPathIfAny(host: Host): string | undefined {
  const folder = folderIfAny(host, 'configuration');
  return folder && join(folder, 'config.json');
}

/** `onClosed`: of what was open to others. Throws `invalid_config` if the file is unreadable or broken, or others may have written it. */
export function readConfig(host: Host, onClosed?: (paths: readonly string[]) => void): Config {
  const path = configPathIfAny(host);
  const bytes = path && bytesOf(path, host, onClosed);
  return bytes ? parseConfig(path, bytes) : { profiles: {} };
}

function bytesOf(path: string, host: Host, onClosed?: (paths: readonly string[]) => void): Buffer | undefined {
  try {
    // A broken link is an error: the disk that it points to may not be mounted.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (statSync(path).isFile()) {
      const file = stats.isSymbolicLink() ? realpathSync(path) : path;
      const closed = [...new Set([file, path])].flatMap((each) => closeConfig(host, each));
      onClosed?.(closed);
      return contentOf(file, { isPrivate: true });
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('invalid_config', sentence`The configuration file ${path} could not be read: ${systemReason(cause)}.`, {
      hint: sentence`Check it and its permissions. ${ownFolder()}`,
      cause,
    });
  }
  throw brokenConfig(path, 'it is not a file');
}

/** Whoever can write there could exchange the token, its command and the address. Throws `invalid_config`. */
export function closeConfig(host: Host, file: string): string[] {
  const own = folderPlace(folderOf(host, 'configuration'), { isChosen: Boolean(host.env.PROCTOR_CONFIG_DIR) });
  const places = [own, folderPlace(dirname(file), { isChosen: true }), filePlace(file)];
  return closePrivate('The configuration', places, ownFolder());
}

function ownFolder(): Sentence {
  return sentence`Choose a folder of your own: ${typedVariable('PROCTOR_CONFIG_DIR', 'FOLDER')}`;
}

function parseConfig(path: string, bytes: Buffer): Config {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = parseJson(text);
  } catch (error) {
    if (error instanceof TypeError) throw brokenConfig(path, 'it is not UTF-8 text');
    throw brokenConfig(path, `it is not JSON (${(error as Error).message})`);
  }
  const repeated = repeatedName(text);
  const problem = repeated === undefined ? configProblem(value) : `${JSON.stringify(repeated)} occurs twice in one object`;
  if (problem !== undefined) throw brokenConfig(path, problem);
  return value as Config;
}

function brokenConfig(path: string, why: string): CliError {
  return new CliError('invalid_config', sentence`The configuration file ${path} is invalid: ${why}.`, {
    hint: sentence`Fix it in an editor, or move it away and log in again: ${typedMove(path, '.broken')}`,
  });
}

/** What is wrong, by the name of a setting and never by its value. */
function configProblem(value: unknown): string | undefined {
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

const defaultProfile = 'default';
/** The built-in profile: the embedded service. Its connection is never stored. */
export const sandboxProfile = 'sandbox';

/** `default` and the built-in one need not be stored. */
export function hasProfile({ profiles }: Config, name: string): boolean {
  return name === defaultProfile || name === sandboxProfile || Object.hasOwn(profiles, name);
}

export function profileNamed({ profiles }: Config, name: string): Profile {
  return (Object.hasOwn(profiles, name) && profiles[name]) || {};
}

/** Whether or not there is such a profile. Throws `invalid_input` for what is no name. */
export function nameInForce(host: Host, globals: Pick<Overrides, 'profile'>, config: Config): string {
  const name = globals.profile ?? (host.env.PROCTOR_PROFILE || config.current || defaultProfile);
  if (profileName.test(name)) return name;
  throw new CliError('invalid_input', sentence`${byVariable(host, globals)}This is not a valid profile name.`, {
    hint: 'Use letters, digits, dots, dashes and underscores, and begin with a letter or digit.',
  });
}

/** Throws `invalid_input` where there is no such profile. */
export function existingNameInForce(host: Host, globals: Pick<Overrides, 'profile'>, config: Config): string {
  const name = nameInForce(host, globals, config);
  if (hasProfile(config, name)) return name;
  const meant = didYouMean(name, [...Object.keys(config.profiles), sandboxProfile]);
  throw new CliError('invalid_input', sentence`${byVariable(host, globals)}There is no profile of this name.`, {
    hint: sentence`${meant}Create it with: proctor-cli auth login --profile NAME`,
  });
}

/** Names the variable that has chosen the profile: the reader of a message may not know of it. */
export function byVariable({ env }: Pick<Host, 'env'>, { profile }: Pick<Overrides, 'profile'>): string {
  return profile === undefined && env.PROCTOR_PROFILE ? 'PROCTOR_PROFILE is set: ' : '';
}

export function commandOf(profile: string, line: string, operands: readonly string[] = [], ...options: readonly string[]): string {
  const own = profile === defaultProfile ? [] : [typedOption('--profile', profile)];
  return `proctor-cli ${typedCommand(line, operands, ...options, ...own)}`;
}
