/** What can be read beside the commands, with `proctor-cli help TOPIC`; a topic's page is made only when it is asked for. */
import type { Page } from '../page.ts';

export type Topic = { name: string; summary: string; load(): Promise<Page> };

export const topics: readonly Topic[] = [
  { name: 'options', summary: 'The options that every command takes', load: async () => (await import('./options.ts')).options },
  { name: 'times', summary: 'How points in time are written, and what is refused', load: async () => (await import('./times.ts')).times },
  { name: 'output', summary: 'The formats, their columns, and what goes where', load: async () => (await import('./output.ts')).output },
  {
    name: 'exit-status',
    summary: 'What the exit status tells a script',
    load: async () => (await import('./exit-status.ts')).exitStatus,
  },
  { name: 'environment', summary: 'The environment variables', load: async () => (await import('./environment.ts')).environment },
  {
    name: 'settings',
    summary: 'The settings of a profile, and their defaults',
    load: async () => (await import('./settings.ts')).settings,
  },
  { name: 'dialect', summary: "What the service's specification leaves open", load: async () => (await import('./dialect.ts')).dialect },
  { name: 'rosters', summary: 'The files that sessions import reads', load: async () => (await import('./rosters.ts')).rosters },
];
