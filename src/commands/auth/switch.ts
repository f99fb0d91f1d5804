import { defineCommand } from '../../command.ts';
import { existing } from '../../config/profiles.ts';
import { changeConfig } from '../../config/store.ts';
import { sentence } from '../../text/sentence.ts';

export const command = defineCommand({
  name: 'auth switch',
  summary: 'Choose the current profile',
  effect: 'local',
  args: { name: { description: 'the profile', complete: 'profiles' } },
  async run(context, { name }) {
    await changeConfig(context.host, (config) => ({ ...config, current: existing(config, name) }));
    context.say(sentence`Profile ${name} is now the current profile.`);
    if (context.host.env.PROCTOR_PROFILE) context.warn('PROCTOR_PROFILE is set and overrides it.');
    return { kind: 'nothing' };
  },
  examples: { 'proctor-cli auth switch sandbox': 'every command uses the embedded service' },
});
