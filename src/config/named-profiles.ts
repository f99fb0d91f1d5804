/**
 * Profiles by name: which one is in force, and how they change. Every function takes the stored configuration
 * and returns the new one; none touches the file.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { nearest } from '../model/nearest.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { type Config, type Profile, profileName } from './file.ts';
import type { Overrides } from './profile-settings.ts';

export const defaultProfile = 'default';
/** The built-in profile: the embedded service. Its connection is made anew each time and never stored. */
export const sandboxProfile = 'sandbox';

export function hasProfile({ profiles }: Config, name: string): boolean {
  return Object.hasOwn(profiles, name);
}

export function profileNamed(config: Config, name: string): Profile {
  return (hasProfile(config, name) && config.profiles[name]) || {};
}

/** The name of the current profile, whether or not it is stored. Throws `invalid_input` for what is no name. */
export function nameInForce(host: Host, globals: Pick<Overrides, 'profile'>, config: Config): string {
  const name = globals.profile ?? (host.env.PROCTOR_PROFILE || config.current || defaultProfile);
  if (profileName.test(name)) return name;
  throw new CliError('invalid_input', 'This is not a valid profile name.', {
    hint: 'Names are made of letters, digits, dots, dashes and underscores, and begin with a letter or digit.',
  });
}

/** The name of the current profile, which is stored or needs not be. Throws `invalid_input`, or `invalid_config`. */
export function existingNameInForce(host: Host, globals: Pick<Overrides, 'profile'>, config: Config): string {
  const name = nameInForce(host, globals, config);
  if (name === defaultProfile || name === sandboxProfile || hasProfile(config, name)) return name;
  if (globals.profile !== undefined || host.env.PROCTOR_PROFILE) requireProfile(config, name);
  throw new CliError('invalid_config', sentence`The current profile, ${name}, no longer exists.`, {
    hint: 'Choose another with: proctor-cli auth switch NAME',
  });
}

/** Throws where a profile is neither stored nor built in, with the name that was most likely meant. */
export function requireProfile(config: Config, name: string) {
  if (name === sandboxProfile || hasProfile(config, name)) return;
  const meant = nearest(name, [...Object.keys(config.profiles), sandboxProfile]);
  throw new CliError('invalid_input', 'There is no profile of this name.', {
    hint: sentence`${meant ? `Did you mean ${meant}? ` : ''}Create it with: proctor-cli auth login --profile NAME`,
  });
}

/** The configuration with a changed profile; the first profile becomes the current one. */
export function withProfile(config: Config, name: string, profile: Profile): Config {
  const current = config.current ?? (name === sandboxProfile ? undefined : name);
  return { ...config, ...(current === undefined ? {} : { current }), profiles: { ...config.profiles, [name]: profile } };
}

/** A profile without some of its settings. */
export function without(profile: Profile, ...keys: (keyof Profile)[]): Profile {
  return Object.fromEntries(Object.entries(profile).filter(([key]) => !keys.includes(key as keyof Profile)));
}

/** The options that select this profile in a command line. */
export function profileOption(name: string): string {
  return name === defaultProfile ? '' : ` ${typedOption('--profile', name)}`;
}

/** A command line of this program, for a profile. */
export function commandOf(profile: string, line: string, operands: readonly string[] = [], ...options: readonly string[]): string {
  return `proctor-cli ${typedCommand(line, operands, ...options, profileOption(profile))}`;
}

/** The command that stores a token for a profile. */
export function loginLine(profile: string): string {
  return `proctor-cli auth login${profileOption(profile)}`;
}
