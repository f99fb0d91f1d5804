/** `help checks`: what each check of `preflight` looks for, from the table that it goes through. */

import { checks as table } from '../../../features/preflight/check-table.ts';
import type { State } from '../../../features/preflight/preflight-check.ts';
import type { HelpPage } from '../help-page.ts';

const meanings: Record<State, string> = {
  ok: 'as it should be',
  warning: 'unusual, or not done yet; with --strict it counts as failed',
  failed: 'the exam is not ready',
  skipped: "not checked, for the reason shown: the service's answers lack what it needs",
};

export const checks: HelpPage = {
  subject: 'help checks',
  summary: 'The checks of preflight',
  sections: [
    {
      title: 'Examples',
      examples: [
        { line: 'proctor-cli preflight --exam 7', description: 'one exam' },
        { line: 'proctor-cli preflight --name "main term" --junit preflight.xml', description: 'an exam period, for a CI system' },
      ],
    },
    { title: 'Each exam', terms: table.map(({ name, title }) => [name, title] as const) },
    { title: 'State', terms: Object.entries(meanings) },
    {
      title: 'Comparison',
      text: [
        'Students and proctors are compared with all exams that may be taken at the same time, selected or not. Their own windows and extra time count. A student without an address cannot be compared.',
        'Days and clock changes are those of the current time zone. Past and future are judged by the clock of the service.',
      ],
    },
  ],
};
