/** The settings of the current profile. */
import { type Column, defineCommand } from '../command.ts';
import { profileSettings, type SettingKey, settingKey, settingKeys } from '../config/profile-settings.ts';
import {
  type Config,
  existingNameInForce,
  hasProfile,
  nameInForce,
  type Profile,
  profileNamed,
  readConfig,
  sandboxProfile,
} from '../config/profiles.ts';
import { homeOf, inForce, type Layers, layersInForce, normalised, tokenSource } from '../config/settings.ts';
import { changeConfig, unknownKeys, withoutSetting, withProfile } from '../config/store.ts';
import { CliError } from '../errors.ts';
import { maskedToken } from '../model/secrets.ts';
import { sentence } from '../text/sentence.ts';

const columns: readonly Column[] = [{ key: 'setting' }, { key: 'value' }, { key: 'source' }, { key: 'meaning', detail: true }];
const keyArgument = { description: 'name of the setting, such as timezone', complete: 'settings' } as const;

const list = defineCommand({
  name: 'config list',
  summary: 'List the settings, their values and their sources',
  effect: 'local',
  flags: {
    all: { type: 'boolean', description: 'also the settings of the dialect that are not set' },
  },
  columns,
  async run(context, { all }) {
    const unknown = unknownKeys(readConfig(context.host));
    if (unknown) context.warn(sentence`warning: ${unknown}`);
    const layers = layersInForce(context.host, context.globals);
    const isListed = (key: SettingKey) => all || !key.startsWith('dialect.') || inForce(key, layers).from !== 'default';
    const rows = settingKeys.filter(isListed).map((key) => rowOf(key, layers));
    return { kind: 'list', rows, columns, id: 'setting' };
  },
  examples: {
    'proctor-cli config list': 'each comes from a flag, a variable, the profile or the default',
  },
});

const get = defineCommand({
  name: 'config get',
  summary: 'Print the current value of a setting',
  effect: 'local',
  args: { key: keyArgument },
  columns,
  async run(context, values) {
    const key = settingKey(values.key);
    const row = rowOf(key, layersInForce(context.host, context.globals));
    if (!profileSettings[key].secret) return { kind: 'one', row, columns, only: 'value' };
    throw new CliError('invalid_input', sentence`The ${key} is not shown here.`, {
      hint: 'Print it with: proctor-cli auth token',
    });
  },
  examples: { 'proctor-cli config get timeout': 'the limit for one request' },
});

const set = defineCommand({
  name: 'config set',
  summary: 'Store a setting in the profile',
  details: 'Settings: see "proctor-cli config list". A profile that does not exist yet is created.',
  effect: 'local',
  args: {
    key: keyArgument,
    value: { description: 'its new value', complete: 'settingValues' },
  },
  async run(context, values) {
    const { host, globals } = context;
    const key = settingKey(values.key);
    refuseSecret(key);
    const value = normalised(key, values.value, key);
    let before: Config | undefined;
    let name = '';
    await changeConfig(host, (config) => {
      before = config;
      name = nameInForce(host, globals, config);
      return withProfile(config, name, changed(profileNamed(config, name), key, value, name));
    });
    if (before && !hasProfile(before, name)) context.say(sentence`Created profile ${name}.`);
    if (before && key === 'tokenCommand' && profileNamed(before, name).token !== undefined)
      context.say(sentence`The token stored in profile ${name} was removed: the command replaces it.`);
    context.say(sentence`${key} of profile ${name} is now: ${value}`);
    const { variable } = profileSettings[key];
    if (variable && host.env[variable]) context.warn(sentence`${variable} is set and overrides it.`);
    return { kind: 'nothing' };
  },
  examples: {
    'proctor-cli config set timezone Europe/Vienna': 'read and show local times in this zone',
    'proctor-cli config set dialect.proctorsKey proctor_ids': "use the service's own field name",
    "proctor-cli config set --profile vault tokenCommand 'vault-program read proctor-token'": 'keep the token in a vault',
  },
});

const unset = defineCommand({
  name: 'config unset',
  summary: 'Remove a setting from the profile',
  effect: 'local',
  args: { key: keyArgument },
  async run(context, values) {
    const { host, globals } = context;
    const key = settingKey(values.key);
    refuseSecret(key);
    let name = '';
    await changeConfig(host, (config) => {
      name = existingNameInForce(host, globals, config);
      const profile = profileNamed(config, name);
      if (profile[key] === undefined) return config;
      return withProfile(config, name, changed(profile, key, undefined, name));
    });
    context.say(sentence`${key} is no longer set in profile ${name}.`);
    return { kind: 'nothing' };
  },
  examples: { 'proctor-cli config unset timezone': 'back to the default' },
});

export const commands = [get, set, unset, list];

function rowOf(key: SettingKey, layers: Layers) {
  const { meaning, secret } = profileSettings[key];
  if (secret) return { setting: key, ...tokenRow(layers), meaning };
  const { text, source } = inForce(key, layers);
  return { setting: key, value: text ?? null, source: text === undefined ? 'not set' : source, meaning };
}

/** Masked; only a stored one, because a token command may prompt. */
function tokenRow({ host, name, profile }: Layers) {
  if (name === sandboxProfile) return { value: null, source: 'built in' };
  const source = tokenSource(host, name, profile);
  const stored = source?.ofProfile && !source.runs ? profile.token : undefined;
  return { value: stored === undefined ? null : maskedToken(stored), source: source?.name ?? 'not set' };
}

function refuseSecret(key: SettingKey) {
  if (!profileSettings[key].secret) return;
  throw new CliError('invalid_input', sentence`The ${key} cannot be set or removed here: others can see command lines.`, {
    hint: 'Store it with: proctor-cli auth login --with-token, remove it with: proctor-cli auth logout',
  });
}

/** Throws if the token of the profile would then go to another service. */
function changed(profile: Profile, key: SettingKey, value: string | undefined, name: string): Profile {
  if (name === sandboxProfile && profileSettings[key].builtIn)
    throw new CliError('invalid_input', sentence`The profile sandbox brings its own ${key}.`, {
      hint: sentence`Choose another profile: proctor-cli config set --profile NAME ${key} VALUE`,
    });
  const next = value === undefined ? withoutSetting(profile, key) : { ...profile, [key]: value };
  const home = homeOf(profile);
  if (profile.token !== undefined && key === 'baseUrl' && homeOf(next) !== home)
    throw new CliError('invalid_input', sentence`The token of profile ${name} belongs to ${home || 'another service'}.`, {
      hint: 'Log in to the new service with: proctor-cli auth login --base-url URL, or first: proctor-cli auth logout',
    });
  return key === 'tokenCommand' && value !== undefined ? withoutSetting(next, 'token') : next;
}
