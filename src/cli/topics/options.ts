/** `help options`: what every command takes. */
import type { Page } from '../page.ts';
import { globalTerms } from '../pages.ts';

export const options: Page = {
  subject: 'help options',
  summary: 'The options that every command takes',
  about: ['They stand before or after the verb. Some can be set for good: see help settings and help environment.'],
  sections: [{ title: 'Options', terms: globalTerms() }],
};
