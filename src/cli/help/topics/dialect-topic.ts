/** `help dialect`: each assumption where the service's specification is silent. */
import { assumptions, dialectKeys } from '../../../api/dialect.ts';
import type { HelpPage } from '../help-page.ts';

export const dialect: HelpPage = {
  subject: 'help dialect',
  summary: "Settings for what the service's documentation leaves open",
  about: [
    'Each open point is a setting of the profile with a default. Reading is tolerant: lists and objects may be bare or wrapped, unknown fields and states pass through. To see what the service answers, and which settings it needs, run: proctor-cli doctor',
  ],
  sections: [
    {
      title: 'Examples',
      examples: [
        { line: 'proctor-cli config set dialect.proctorsKey proctor_ids', description: "use the service's field name" },
        { line: 'proctor-cli config unset dialect.proctorsKey', description: 'back to the default' },
      ],
    },
    {
      title: 'Settings',
      terms: dialectKeys.map((key) => {
        const { meaning, default: standard } = assumptions[key];
        return [`dialect.${key}`, `${meaning} (default: ${standard === '' ? 'empty' : standard})`];
      }),
    },
  ],
};
