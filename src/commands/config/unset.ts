import { defineCommand } from '../../command.ts';
import { settingKey } from '../../config/profile-settings.ts';
import { existingNameInForce, profileNamed } from '../../config/profiles.ts';
import { changeConfig, withProfile } from '../../config/store.ts';
import { sentence } from '../../text/sentence.ts';
import { keyArgument, refuseSecret, withSetting } from './shared.ts';

export const command = defineCommand({
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
      return withProfile(config, name, withSetting(profile, key, undefined, name));
    });
    context.say(sentence`${key} is no longer set in profile ${name}.`);
    return { kind: 'nothing' };
  },
  examples: { 'proctor-cli config unset timezone': 'back to the default' },
});
