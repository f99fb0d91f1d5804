/** `help settings`: the settings of a profile, except those of the dialect, which have their own topic. */
import { type ProfileSetting, profileSettings } from '../../../config/profile-settings.ts';
import type { HelpPage, Term } from '../help-page.ts';

export const settings: HelpPage = {
  subject: 'help settings',
  summary: 'The settings of a profile and their defaults',
  about: [
    'Flags override the environment, the environment overrides the profile. For the settings that begin with dialect, see: proctor-cli help dialect',
  ],
  sections: [
    {
      title: 'Examples',
      examples: [
        { line: 'proctor-cli config list', description: 'each setting, its value and its source' },
        { line: 'proctor-cli config set timeout 2m', description: 'store a setting in the current profile' },
        { line: 'proctor-cli config unset timeout', description: 'back to the default' },
      ],
    },
    {
      title: 'Settings',
      terms: Object.entries<ProfileSetting>(profileSettings)
        .filter(([key]) => !key.startsWith('dialect.'))
        .map(([key, setting]): Term => [key, described(setting)]),
    },
  ],
};

function described({ meaning, default: standard, variable, flag }: ProfileSetting): string {
  const over = [flag?.name, variable].filter((name) => name !== undefined).join(', ');
  return `${meaning}${standard === undefined ? '' : ` (default: ${standard})`}${over && `; overridden by ${over}`}`;
}
