/** Saved layouts in the current profile: found by name, saved, removed. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { nearest } from '../model/nearest.ts';
import type { RosterLayout } from '../model/roster-layout.ts';
import { sentence } from '../text/sentence.ts';
import { type Profile, profileName, readConfig } from './file.ts';
import { existingNameInForce, profileNamed, profileOption, withProfile } from './named-profiles.ts';
import type { Overrides } from './profile-settings.ts';
import { changeConfig } from './store.ts';

type Layouts = NonNullable<Profile['layouts']>;

/** The layouts of the current profile, and its name. */
export function layoutsInForce(host: Host, globals: Overrides): { profile: string; layouts: Layouts } {
  const config = readConfig(host);
  const profile = existingNameInForce(host, globals, config);
  return { profile, layouts: profileNamed(config, profile).layouts ?? {} };
}

/** Throws `invalid_input`, with the layout that was most likely meant. */
export function layoutNamed(host: Host, globals: Overrides, name: string): RosterLayout {
  const { profile, layouts } = layoutsInForce(host, globals);
  const layout = Object.hasOwn(layouts, name) ? layouts[name] : undefined;
  if (layout) return layout;
  const meant = nearest(name, Object.keys(layouts));
  throw new CliError('invalid_input', sentence`Profile ${profile} has no layout named "${name}".`, {
    hint: meant
      ? sentence`Did you mean ${meant}?`
      : sentence`An import saves one with --save-layout NAME. List its layouts with: proctor-cli layouts list${profileOption(profile)}`,
  });
}

/** A name that is safe in a command line. Throws `invalid_input`. */
export function checkLayoutName(name: string): string {
  if (profileName.test(name)) return name;
  throw new CliError('invalid_input', 'That is no valid name for a layout.', {
    hint: 'Names are made of letters, digits, dots, dashes and underscores, and begin with a letter or digit.',
  });
}

/** Saves a layout; without `layout`, removes it. Gives the name of the profile. */
export async function storeLayout(host: Host, globals: Overrides, name: string, layout: RosterLayout | undefined): Promise<string> {
  let profile = '';
  await changeConfig(host, (config) => {
    profile = existingNameInForce(host, globals, config);
    const stored = profileNamed(config, profile);
    const { [name]: _before, ...others } = stored.layouts ?? {};
    return withProfile(config, profile, { ...stored, layouts: layout ? { ...others, [name]: layout } : others });
  });
  return profile;
}
