/** `help settings`: what a profile can say. Those of the dialect have a topic of their own. */
import { type ProfileSetting, profileSettings } from '../../config/profile-settings.ts';
import type { Page, Term } from '../page.ts';

export const settings: Page = {
  subject: 'help settings',
  summary: 'What a profile can say, and the defaults',
  about: [
    'Flags go over the environment, the environment over the profile. Settings that begin with dialect are explained by: proctor-cli help dialect',
  ],
  sections: [
    {
      title: 'Examples',
      examples: [
        { line: 'proctor-cli config list', does: 'each setting, its value and where it comes from' },
        { line: 'proctor-cli config set timeout 2m', does: 'store one in the profile in use' },
        { line: 'proctor-cli config unset timeout', does: 'back to the default' },
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
