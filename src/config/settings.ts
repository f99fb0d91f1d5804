/** The settings in force: flag over environment over profile over default. */
import { isAbsolute } from 'node:path';
import { type Dialect, dialectKeys } from '../api/dialect.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { parseAge, parseDuration } from '../model/duration.ts';
import { didYouMean } from '../model/nearest.ts';
import { parseTeamPlace, type TeamPlace } from '../model/team-place.ts';
import { sentence } from '../text/sentence.ts';
import { chosenFolder, fromHome } from './folders.ts';
import { apiPath, isFolder, normalised, type Overrides, profileSettings, type SettingKey } from './profile-settings.ts';
import { commandOf, configPath, existingNameInForce, type Profile, profileNamed, readConfig, sandboxProfile } from './profiles.ts';
import { fetchedToken, originOf, tokenRemedy, tokenSource } from './token.ts';

/** A profile with what overrides it, before anything is checked. */
export type SettingSources = { host: Host; globals: Overrides; name: string; profile: Profile };

/** A setting as it is written in the source that decides. `source`: its name in words. */
type ResolvedSetting = {
  text: string | undefined;
  from: 'flag' | 'environment' | 'profile' | 'default' | 'built in';
  source: string;
};

/** The embedded service shows matriculation numbers. Its time zone is that of this machine. */
const ofSandbox: Profile = { 'dialect.sessionNumberKey': 'matriculation_number' };

/** Throws `invalid_config` and `invalid_input`. */
export function settingSources(host: Host, globals: Overrides): SettingSources {
  const config = readConfig(host);
  const name = existingNameInForce(host, globals, config);
  return { host, globals, name, profile: profileNamed(config, name) };
}

export function resolveSetting(key: SettingKey, { host, globals, name, profile }: SettingSources): ResolvedSetting {
  const { flag, variable, builtIn, default: standard } = profileSettings[key];
  if (name === sandboxProfile && builtIn) return { text: standard, from: 'built in', source: 'built in' };
  const given = flag && globals[key as keyof Overrides];
  if (flag && given !== undefined) return { text: given, from: 'flag', source: flag };
  const set = variable && host.env[variable];
  if (set) return { text: set, from: 'environment', source: variable };
  if (profile[key] !== undefined) return { text: profile[key], from: 'profile', source: `profile ${name}` };
  const own = name !== sandboxProfile ? undefined : key === 'timezone' ? host.zone() : ofSandbox[key];
  return { text: own ?? standard, from: 'default', source: 'default' };
}

export type Settings = ReturnType<typeof settingsOf>;

/** Throws `invalid_config` and `invalid_input`. */
export function settingsOf(sources: SettingSources) {
  const { host, globals, name, profile } = sources;
  refuseUnknown(host.env);
  const sandbox = name === sandboxProfile;
  if (sandbox && globals.baseUrl !== undefined)
    throw new CliError('usage', 'The profile sandbox brings its own service.', {
      hint: 'Leave out --base-url, or name another profile with --profile.',
    });
  const value = (key: SettingKey) => checkedValue(key, sources);
  const baseUrl = value('baseUrl') ?? '';
  const state = value('state') ?? 'local';
  const source = sandbox ? undefined : tokenSource(host, name, profile);
  let token: Promise<string> | undefined;
  return {
    profile: name,
    /** The built-in profile: connecting starts the embedded service and fills in its address. */
    sandbox,
    /** Ends in /api/v1. Empty where none is known; `token` then throws. */
    baseUrl,
    /** The origin of the base URL: the token goes nowhere else. */
    origin: originOf(baseUrl),
    /** The service to which runs belong: the base URL without its end. The embedded one has another port each time. */
    service: sandbox ? sandboxProfile : baseUrl.slice(0, -apiPath.length),
    authPrefix: value('authPrefix') ?? '',
    /** Where the token comes from, in words: "PROCTOR_TOKEN", "profile default". */
    tokenSource: source?.name,
    /** The file that PROCTOR_TOKEN_FILE names. */
    tokenFile: source?.file,
    /** Fetched at the first call. Throws `not_logged_in`. */
    token() {
      token ??= fetchedToken(source, name, profile, baseUrl);
      return token;
    },
    institute: value('institute'),
    /** If it is undefined, a local time is refused. */
    timeZone: value('timezone'),
    plain: value('plain') === 'yes',
    protectRunningExams: value('protectRunningExams') !== 'off',
    dialect: Object.fromEntries(dialectKeys.map((key) => [key, value(`dialect.${key}`)])) as Dialect,
    caFile: value('caFile'),
    timeoutMilliseconds: parseDuration(value('timeout') ?? ''),
    /** Milliseconds. */
    keepRuns: parseAge(value('keepRuns') ?? ''),
    state: recordPlace(state),
    /** The folder of the record, if it is not the state folder. */
    recordFolder: isAbsolute(state) ? state : undefined,
    stateKeyFile: value('stateKeyFile'),
    tokenRemedy: source && tokenRemedy(source, commandOf(name, 'config set authPrefix', ['WORD']), value('authPrefix')),
  };
}

function recordPlace(state: string): 'local' | 'none' | TeamPlace {
  if (state === 'none') return state;
  return state === 'local' || isAbsolute(state) ? 'local' : parseTeamPlace(state);
}

/** The list of a service whose setting is misspelled would be read as that of another service. */
function refuseUnknown(env: Host['env']): void {
  const known = dialectKeys.map((key) => profileSettings[`dialect.${key}`].variable ?? '');
  const [prefix = ''] = /^.*?_DIALECT_/.exec(known[0] ?? '') ?? [];
  const unknown = Object.keys(env).find((name) => name.startsWith(prefix) && env[name] && !known.includes(name));
  if (unknown === undefined) return;
  const hint = sentence`${didYouMean(unknown, known)}All variables: proctor-cli config list --all`;
  throw new CliError('invalid_input', sentence`The variable ${unknown} belongs to no setting.`, { hint });
}

/** Throws `invalid_config` and `invalid_input`. */
export function checkedValue(key: SettingKey, sources: SettingSources): string | undefined {
  const { text, from, source } = resolveSetting(key, sources);
  if (text === undefined) return undefined;
  if (from === 'environment' && key === 'state' && isFolder(text)) return chosenFolder(source, text, sources.host.home);
  if (from !== 'profile') return normalised(key, fromHome(text, sources.host.home), source);
  const fix = key === 'baseUrl' ? 'auth login --base-url URL' : `config unset ${key}`;
  const hint = sentence`Fix it with: proctor-cli ${fix}`;
  return normalised(key, text, `${configPath(sources.host)}, ${source}, ${key}`, 'invalid_config', hint);
}
