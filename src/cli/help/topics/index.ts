/** The help topics, for `proctor-cli help TOPIC`; each page is built on request. */
import type { HelpPage } from '../help-page.ts';

export type Topic = { name: string; summary: string; load(): Promise<HelpPage> };

export const topics: readonly Topic[] = [
  { name: 'times', summary: 'How times are written, and which are refused', load: async () => (await import('./times-topic.ts')).times },
  { name: 'output', summary: 'Formats, columns, stdout and stderr', load: async () => (await import('./output-topic.ts')).output },
  {
    name: 'exit-status',
    summary: 'Exit statuses and error codes',
    load: async () => (await import('./exit-status-topic.ts')).exitStatus,
  },
  { name: 'environment', summary: 'The environment variables', load: async () => (await import('./environment-topic.ts')).environment },
  {
    name: 'settings',
    summary: 'The settings of a profile and their defaults',
    load: async () => (await import('./settings-topic.ts')).settings,
  },
  {
    name: 'dialect',
    summary: "Settings for what the service's documentation leaves open",
    load: async () => (await import('./dialect-topic.ts')).dialect,
  },
  { name: 'checks', summary: 'The checks of preflight', load: async () => (await import('./checks-topic.ts')).checks },
  { name: 'rosters', summary: 'The files that sessions import reads', load: async () => (await import('./rosters-topic.ts')).rosters },
  { name: 'faults', summary: 'The faults that sandbox serve can rehearse', load: async () => (await import('./faults-topic.ts')).faults },
];
