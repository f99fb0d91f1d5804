/**
 * The current settings for one run: a profile and what overrides it. Flag over environment over
 * profile over default, the same for every setting.
 */
import { isAbsolute } from 'node:path';
import { type Dialect, dialectKeys } from '../api/dialect.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { parseAge, parseDuration } from '../model/duration.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { typedOption } from '../model/shell-quote.ts';
import { parseTeamPlace, type TeamPlace } from '../model/team-place.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { parseBaseUrl } from './base-url.ts';
import { configPath, type Profile, readConfig } from './file.ts';
import { existingNameInForce, loginLine, profileNamed, profileOption, sandboxProfile } from './named-profiles.ts';
import { type Overrides, type ProfileSetting, profileSettings, type SettingKey } from './profile-settings.ts';
import { tokenSource } from './token.ts';

export type Token = {
  value: string;
  /** Its source, in words: "PROCTOR_TOKEN", "profile default". */
  source: string;
};

export type Settings = {
  profile: string;
  /** Whether the profile is the built-in one: connecting starts the embedded service and fills in its address. */
  sandbox: boolean;
  /** Ends in /api/v1, without a slash behind it. Empty where none is known; `token` then throws. */
  baseUrl: string;
  /** Scheme, host and port of the base URL: the only place the token goes to. */
  origin: string;
  authPrefix: string;
  /** Fetches the token; runs the token command or reads the file at the first call. Throws `not_logged_in`. */
  token(): Promise<Token>;
  institute: string | undefined;
  /** IANA name; undefined where none is set: a local time is then refused. */
  timeZone: string | undefined;
  plain: boolean;
  /** Whether writes that take something from students are refused while their exam runs. */
  protectRunningExams: boolean;
  dialect: Dialect;
  /** PEM file with further certificate authorities. */
  caFile: string | undefined;
  timeoutMilliseconds: number;
  /** How long finished runs of the profile stay recorded, in milliseconds. */
  keepRuns: number;
  /** Where runs are recorded: on this machine, nowhere, or in the database of a team. */
  state: 'local' | 'none' | TeamPlace;
  /** The folder of the record on this machine, where it is not the state folder. */
  recordFolder: string | undefined;
  stateKeyFile: string | undefined;
  /** The hints for a refused address or token, which depend on the source of each. */
  remedies: Remedies;
};

type Remedies = { address: Sentence; token: Sentence | undefined };

/** A profile with what overrides it, before anything is checked. */
export type Layers = { host: Host; globals: Overrides; name: string; profile: Profile };

/** A setting as it was written down in the layer that decides. */
export type InForce = { text: string | undefined; from: 'flag' | 'environment' | 'profile' | 'default' | 'built in'; source: string };

/** The current profile with what overrides it. Throws `invalid_config` and `invalid_input`. */
export function layersInForce(host: Host, globals: Overrides): Layers {
  const config = readConfig(host);
  const name = existingNameInForce(host, globals, config);
  return { host, globals, name, profile: profileNamed(config, name) };
}

/** The settings of the current profile. Throws `invalid_config` and `invalid_input`. */
export function resolveSettings(host: Host, globals: Overrides): Settings {
  return settingsOf(layersInForce(host, globals));
}

/** The current value of a setting, with its source. */
export function inForce(key: SettingKey, { host, globals, name, profile }: Layers): InForce {
  const { flag, variable, builtIn, default: standard } = profileSettings[key];
  if (name === sandboxProfile && builtIn) return { text: standard, from: 'built in', source: 'built in' };
  const given = flag && globals[key as keyof Overrides];
  if (flag && given !== undefined) return { text: given, from: 'flag', source: flag };
  const set = variable && host.env[variable];
  if (set) return { text: set, from: 'environment', source: variable };
  if (profile[key] !== undefined) return { text: profile[key], from: 'profile', source: `profile ${name}` };
  // The number of a student in the embedded service.
  const ofSandbox = name === sandboxProfile && key === 'dialect.sessionNumberKey' ? 'matriculation_number' : undefined;
  return { text: ofSandbox ?? standard, from: 'default', source: 'default' };
}

/** The settings of a profile that need not be stored. Throws `invalid_config` and `invalid_input`. */
export function settingsOf(layers: Layers): Settings {
  const { host, globals, name, profile } = layers;
  const sandbox = name === sandboxProfile;
  if (sandbox && globals.baseUrl !== undefined) {
    throw new CliError('usage', 'The profile sandbox brings its own service, so --base-url cannot be given with it.', {
      hint: 'Leave out --base-url, or name another profile with --profile.',
    });
  }
  const value = (key: SettingKey) => checkedValue(key, layers);
  const baseUrl = value('baseUrl') ?? '';
  const origin = originOf(baseUrl);
  const state = value('state') ?? 'local';
  const isFolder = isAbsolute(state);
  let token: Promise<Token> | undefined;
  return {
    profile: name,
    sandbox,
    baseUrl,
    origin,
    authPrefix: value('authPrefix') ?? '',
    token: () => (token ??= sandbox ? Promise.reject(new CliError('internal', 'The sandbox has not been started.')) : fetchToken()),
    institute: value('institute'),
    timeZone: value('timezone'),
    plain: value('plain') === 'yes',
    protectRunningExams: value('protectRunningExams') !== 'off',
    dialect: Object.fromEntries(dialectKeys.map((key) => [key, value(`dialect.${key}`)])) as Dialect,
    caFile: value('caFile'),
    timeoutMilliseconds: parseDuration(value('timeout') ?? ''),
    keepRuns: parseAge(value('keepRuns') ?? ''),
    state: isFolder ? 'local' : state === 'local' || state === 'none' ? state : parseTeamPlace(state),
    recordFolder: isFolder ? state : undefined,
    stateKeyFile: value('stateKeyFile'),
    remedies: { address: addressRemedy(layers, origin), token: sandbox ? undefined : tokenRemedy(host, name, profile) },
  };

  async function fetchToken(): Promise<Token> {
    const source = tokenSource(host, name, profile);
    const login = sentence`Log in with: ${loginLine(name)}`;
    if (!source) throw new CliError('not_logged_in', sentence`No token for profile ${name}${origin && ` at ${origin}`}.`, { hint: login });
    if (origin === '') {
      throw new CliError('not_logged_in', sentence`Profile ${name} has a token (${source.name}), but no base URL.`, {
        hint: source.ofProfile
          ? sentence`Set it with: proctor-cli config set baseUrl URL${profileOption(name)}`
          : 'Set PROCTOR_BASE_URL, or add --base-url URL.',
      });
    }
    const home = source.ofProfile ? homeOf(profile) : origin;
    if (home !== origin) {
      const whose = home === '' ? `profile ${name} does not name its service` : `it belongs to ${home}`;
      throw new CliError('not_logged_in', sentence`The token of profile ${name} is not sent to ${origin}: ${whose}.`, {
        hint: sentence`Give the token for ${origin} in PROCTOR_TOKEN, or log in there as another profile: proctor-cli auth login --profile NAME ${typedOption('--base-url', baseUrl)}`,
      });
    }
    return { value: await source.fetch(), source: source.name };
  }
}

function addressRemedy(layers: Layers, origin: string): Sentence {
  const { from, source } = inForce('baseUrl', layers);
  const check = sentence`Check the network, and the spelling of ${origin === '' ? 'the base URL' : new URL(origin).hostname} (${source})`;
  return from === 'profile' ? sentence`${check}; correct it with: ${loginLine(layers.name)} --base-url URL` : sentence`${check}.`;
}

function tokenRemedy(host: Host, name: string, profile: Profile): Sentence | undefined {
  const source = tokenSource(host, name, profile);
  if (!source?.ofProfile) return source && sentence`The token comes from ${source.name}; set a token there that the service accepts.`;
  return source.runs
    ? sentence`Show the profile's token command with: proctor-cli config get tokenCommand${profileOption(name)}`
    : sentence`Store another token with: ${loginLine(name)}`;
}

function originOf(baseUrl: string): string {
  return baseUrl === '' ? '' : new URL(baseUrl).origin;
}

/** The origin that the token of a profile belongs to; empty if the profile names no valid one. */
export function homeOf(profile: Profile): string {
  try {
    return originOf(parseBaseUrl(profile.baseUrl ?? ''));
  } catch {
    return '';
  }
}

/** A current setting, in its checked form; undefined where it is not set. */
function checkedValue(key: SettingKey, layers: Layers): string | undefined {
  const { text, from, source } = inForce(key, layers);
  if (text === undefined) return undefined;
  try {
    return profileSettings[key].normalise(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    if (from !== 'profile') throw refusedValue(source, error);
    const remedy =
      key === 'baseUrl' ? `${loginLine(layers.name)} --base-url URL` : `proctor-cli config unset ${key}${profileOption(layers.name)}`;
    throw new CliError('invalid_config', sentence`${configPath(layers.host)}, ${source}, ${key}: ${error.message}`, {
      hint: sentence`Fix it with: ${remedy}`,
    });
  }
}

/** A text from a person, as a setting stores it. Throws `invalid_input`, which names where the text came from. */
export function normaliseGiven(setting: ProfileSetting, text: string, source: string): string {
  try {
    return setting.normalise(text);
  } catch (error) {
    throw error instanceof InvalidValue ? refusedValue(source, error) : error;
  }
}

function refusedValue(source: string, { message, hint }: InvalidValue): CliError {
  return new CliError('invalid_input', sentence`${source}: ${message}`, hint === undefined ? {} : { hint });
}
