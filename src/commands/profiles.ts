/** The commands for profiles: list, use, remove. */
import { type Column, defineCommand } from '../command.ts';
import { readConfig } from '../config/file.ts';
import {
  nameInForce,
  profileNamed,
  requireProfile,
  requireProfileToRemove,
  sandboxProfile,
  withoutProfile,
} from '../config/named-profiles.ts';
import { changeConfig } from '../config/store.ts';
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';

const columns: readonly Column[] = [
  { key: 'profile' },
  { key: 'current', as: 'boolean' },
  { key: 'base_url', whole: true },
  { key: 'institute', detail: true },
  { key: 'timezone', detail: true },
  { key: 'built_in', as: 'boolean' },
];

const list = defineCommand({
  name: 'profiles list',
  summary: 'List the profiles',
  effect: 'local',
  columns,
  async run({ host, globals }) {
    const config = readConfig(host);
    const current = nameInForce(host, globals, config);
    const names = Object.keys(config.profiles).filter((name) => name !== sandboxProfile);
    const rows = [...names, sandboxProfile].map((name) => {
      const { baseUrl, institute, timezone } = profileNamed(config, name);
      const built = name === sandboxProfile;
      return {
        profile: name,
        current: name === current,
        base_url: (built ? undefined : baseUrl) ?? null,
        institute: institute ?? null,
        timezone: timezone ?? null,
        built_in: built,
      };
    });
    return { kind: 'list', rows, columns, id: 'profile' };
  },
  examples: [{ line: 'proctor-cli profiles list', description: 'each profile and its service; sandbox is built in' }],
});

const use = defineCommand({
  name: 'profiles use',
  summary: 'Choose the current profile',
  effect: 'local',
  args: { name: { description: 'the profile', complete: 'profiles' } },
  async run(context, { name }) {
    await changeConfig(context.host, (config) => {
      requireProfile(config, name);
      return { ...config, current: name };
    });
    context.say(sentence`Profile ${name} is now the current profile.`);
    if (context.host.env.PROCTOR_PROFILE) context.warn('PROCTOR_PROFILE is set and overrides it.');
    return { kind: 'nothing' };
  },
  examples: [{ line: 'proctor-cli profiles use sandbox', description: 'from now on every command uses the embedded service' }],
});

const remove = defineCommand({
  name: 'profiles remove',
  summary: 'Remove a profile with its token and settings',
  effect: 'destroy',
  args: { name: { description: 'the profile', complete: 'profiles' } },
  async run(context, { name }) {
    if (name === sandboxProfile) {
      throw new CliError('invalid_input', 'The profile sandbox is built in and cannot be removed.', {
        hint: 'To reset its data: proctor-cli sandbox reset',
      });
    }
    requireProfileToRemove(readConfig(context.host), name);
    return context.act({
      steps: [name],
      show() {
        context.say(sentence`Profile ${name} would be removed with its token and settings.`);
        return { kind: 'nothing' };
      },
      async perform() {
        await context.confirm(() => sentence`Remove profile ${name} with its token and settings?`);
        let inUse = false;
        await changeConfig(context.host, (config) => {
          requireProfileToRemove(config, name);
          inUse = config.current === name;
          return withoutProfile(config, name);
        });
        context.say(
          sentence`Removed profile ${name}.${inUse ? ' It was the current profile; choose another with: proctor-cli profiles use NAME' : ''}`,
        );
        return { kind: 'nothing' };
      },
    });
  },
  examples: [{ line: 'proctor-cli profiles remove old --yes', description: 'remove the profile and its token' }],
});

export const profiles = [list, use, remove] as const;
