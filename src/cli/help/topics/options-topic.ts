/** `help options`: what every command takes. */

import { globalTerms } from '../global-terms.ts';
import type { HelpPage } from '../help-page.ts';

export const options: HelpPage = {
  subject: 'help options',
  summary: 'The options that every command takes',
  about: [
    'They can be given before or after the verb. Some are also settings or variables: see proctor-cli help settings and proctor-cli help environment.',
  ],
  sections: [{ title: 'Options', terms: globalTerms() }],
};
