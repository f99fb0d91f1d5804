/** The help topics, for `proctor-cli help TOPIC`; each page is built on request. */
import type { HelpPage } from '../help-page.ts';

export type Topic = { name: string; summary: string; load(): Promise<HelpPage> };

export const topics: readonly Topic[] = [
  { name: 'times', summary: 'How times are written, and which are refused', load: async () => (await import('./times-topic.ts')).times },
  {
    name: 'exit-status',
    summary: 'Exit statuses and error codes',
    load: async () => (await import('./exit-status-topic.ts')).exitStatus,
  },
  { name: 'environment', summary: 'The environment variables', load: async () => (await import('./environment-topic.ts')).environment },
];
