/** `help environment`: the variables that are read. */
import { environment as variables } from '../../../config/environment.ts';
import type { HelpPage } from '../help-page.ts';

export const environment: HelpPage = {
  subject: 'help environment',
  summary: 'The environment variables that proctor-cli reads',
  about: [
    'Flags override the environment, the environment overrides the profile, the profile overrides the default. An empty variable counts as unset.',
    'For one command: PROCTOR_PROFILE=sandbox PROCTOR_OUTPUT=json proctor-cli exams list',
  ],
  sections: [
    {
      title: 'Examples',
      examples: [{ line: 'proctor-cli config list', description: 'the current settings, and which of them come from a variable' }],
    },
    ...variables.map(({ title, variables: named }) => ({ title, terms: Object.entries(named) })),
  ],
};
