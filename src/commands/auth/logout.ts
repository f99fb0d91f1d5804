import { defineCommand } from '../../command.ts';
import { existingNameInForce, profileNamed } from '../../config/profiles.ts';
import { changeConfig, withoutSetting, withProfile } from '../../config/store.ts';
import { tokenVariables } from '../../config/token.ts';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';

export const command = defineCommand({
  name: 'auth logout',
  summary: "Remove the profile's token",
  effect: 'local',
  async run(context) {
    const { host, globals } = context;
    let name = '';
    await changeConfig(host, (config) => {
      name = existingNameInForce(host, globals, config);
      const profile = profileNamed(config, name);
      if (profile.token !== undefined) return withProfile(config, name, withoutSetting(profile, 'token'));
      throw new CliError('not_logged_in', sentence`No token is stored in profile ${name}.`, {
        hint:
          profile.tokenCommand === undefined
            ? 'List the profiles and their tokens with: proctor-cli auth status'
            : 'Remove its token command with: proctor-cli config unset tokenCommand',
      });
    });
    context.say(sentence`Removed the token of profile ${name}; its other settings are kept.`);
    const [variable] = tokenVariables(host);
    if (variable) context.warn(sentence`${variable} is still set and provides a token.`);
    return { kind: 'nothing' };
  },
  examples: {
    'proctor-cli auth logout': 'remove the token from this machine; the service still accepts it',
  },
});
