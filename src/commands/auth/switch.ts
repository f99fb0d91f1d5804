import { defineCommand } from '../../command.ts';
import { existingNameInForce } from '../../config/profiles.ts';
import { changeConfig } from '../../config/store.ts';
import { sentence } from '../../text/sentence.ts';

export const command = defineCommand({
  name: 'auth switch',
  summary: 'Choose the current profile',
  effect: 'local',
  args: { name: { description: 'the profile', complete: 'profiles' } },
  async run({ host, say, warn }, { name }) {
    await changeConfig(host, (config) => ({ ...config, current: existingNameInForce(host, { profile: name }, config) }));
    say(sentence`Profile ${name} is now the current profile.`);
    if (host.env.PROCTOR_PROFILE) warn('PROCTOR_PROFILE is set and overrides it.');
    return { kind: 'nothing' };
  },
  examples: { 'proctor-cli auth switch sandbox': 'every command uses the embedded service' },
});
