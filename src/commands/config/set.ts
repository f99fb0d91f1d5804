import { defineCommand } from '../../command.ts';
import { fromHome } from '../../config/folders.ts';
import { normalised, profileSettings, settingKey } from '../../config/profile-settings.ts';
import { type Config, hasProfile, nameInForce, profileNamed } from '../../config/profiles.ts';
import { changeConfig, withProfile } from '../../config/store.ts';
import { sentence } from '../../text/sentence.ts';
import { keyArgument, refuseSecret, withSetting } from './shared.ts';

export const command = defineCommand({
  name: 'config set',
  summary: 'Store a setting in the profile',
  details: 'For the settings: "proctor-cli config list". A profile that does not exist yet is created.',
  effect: 'local',
  args: {
    key: keyArgument,
    value: { description: 'its new value', complete: 'settingValues' },
  },
  async run(context, values) {
    const { host, globals } = context;
    const key = settingKey(values.key);
    refuseSecret(key);
    const value = normalised(key, fromHome(values.value, host.home), key);
    let before: Config | undefined;
    let name = '';
    await changeConfig(host, (config) => {
      before = config;
      name = nameInForce(host, globals, config);
      return withProfile(config, name, withSetting(profileNamed(config, name), key, value, name));
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
    'proctor-cli config set --profile vault tokenCommand "vault-program read proctor-token"': 'keep the token in a vault',
  },
});
