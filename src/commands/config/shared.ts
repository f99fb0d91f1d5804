/** The settings of the current profile. */
import type { Column } from '../../command.ts';
import { profileSettings, type SettingKey } from '../../config/profile-settings.ts';
import { type Profile, sandboxProfile } from '../../config/profiles.ts';
import { checkedValue, resolveSetting, type SettingSources } from '../../config/settings.ts';
import { withoutSetting } from '../../config/store.ts';
import { homeOf, tokenSource } from '../../config/token.ts';
import { CliError } from '../../errors.ts';
import { orNone } from '../../model/invalid-value.ts';
import { mask, maskedToken, maskSecretPairs } from '../../model/secrets.ts';
import { sentence } from '../../text/sentence.ts';

export const columns: readonly Column[] = [{ key: 'setting' }, { key: 'value' }, { key: 'source' }, { key: 'meaning', detail: true }];

export const keyArgument = { description: 'name of the setting, such as timezone', complete: 'settings' } as const;

export function settingRow(key: SettingKey, sources: SettingSources) {
  const { meaning, secret } = profileSettings[key];
  if (secret) return { setting: key, ...tokenRow(sources), meaning };
  const { text, source } = resolveSetting(key, sources);
  if (text === undefined) return { setting: key, value: null, source: 'not set', meaning };
  const isRefused = orNone(() => checkedValue(key, sources)) === undefined;
  return { setting: key, value: isRefused ? withoutPassword(text) : text, source, meaning };
}

/** A value that is refused may be an address with a password, or have it behind a blank. */
function withoutPassword(text: string): string {
  return maskSecretPairs(text.replace(/^.*@/s, `${mask}@`).replace(/\s.*/s, ` ${mask}`));
}

/** Masked; only a stored one, because a token command may prompt. */
function tokenRow({ host, name, profile }: SettingSources) {
  if (name === sandboxProfile) return { value: null, source: 'built in' };
  const source = tokenSource(host, name, profile);
  const stored = source?.ofProfile && !source.runs ? profile.token : undefined;
  return { value: stored === undefined ? null : maskedToken(stored), source: source?.name ?? 'not set' };
}

export function refuseSecret(key: SettingKey) {
  if (!profileSettings[key].secret) return;
  throw new CliError('invalid_input', sentence`The ${key} cannot be set or removed here: others can see command lines.`, {
    hint: 'Store it with: proctor-cli auth login --with-token, remove it with: proctor-cli auth logout',
  });
}

/** Throws if the token of the profile would then go to another service. */
export function withSetting(profile: Profile, key: SettingKey, value: string | undefined, name: string): Profile {
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
