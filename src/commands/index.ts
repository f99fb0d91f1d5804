/** The nouns in the order of the help, group by group; a noun's commands are loaded only when it is typed. */
import type { Command } from '../command.ts';

export type Noun = { name: string; group: keyof typeof groups; summary: string; load(): Promise<readonly Command[]> };

/** The purpose of each noun, in the order of the help. */
export const groups = {
  service: 'Resources of the service',
  machine: 'Runs, and where they are recorded',
  access: 'Access and settings',
  more: 'Testing and scripting',
} as const;

/** A command without the types of its values: the table treats all commands alike. */
const table = (commands: readonly unknown[]) => commands as readonly Command[];

export const nouns: readonly Noun[] = [
  {
    name: 'exams',
    group: 'service',
    summary: 'Create, change and delete exams; send their mails',
    load: async () => table((await import('./exams.ts')).exams),
  },
  {
    name: 'sessions',
    group: 'service',
    summary: 'The students of an exam: their sessions, times and states',
    load: async () => table((await import('./sessions.ts')).sessions),
  },
  {
    name: 'students',
    group: 'service',
    summary: "One student, by the service's own two endpoints; see sessions",
    load: async () => table((await import('./students.ts')).students),
  },
  {
    name: 'proctors',
    group: 'service',
    summary: "An exam's proctor pool",
    load: async () => table((await import('./proctors.ts')).proctors),
  },
  {
    name: 'accommodations',
    group: 'service',
    summary: 'Extra time from one list, checked and set in many exams',
    load: async () => table((await import('./accommodations.ts')).accommodations),
  },
  { name: 'users', group: 'service', summary: 'The users of an institute', load: async () => table((await import('./users.ts')).users) },
  {
    name: 'preflight',
    group: 'service',
    summary: 'Check whether exams are ready',
    load: async () => table((await import('./preflight.ts')).preflights),
  },
  {
    name: 'api',
    group: 'service',
    summary: 'Any request to the service; --list shows its operations',
    load: async () => table((await import('./api.ts')).api),
  },
  {
    name: 'runs',
    group: 'machine',
    summary: 'Commands that changed the service: show, resume, undo, close, forget',
    load: async () => table((await import('./runs.ts')).runs),
  },
  {
    name: 'auth',
    group: 'access',
    summary: 'Log in and out; list and choose profiles',
    load: async () => table((await import('./auth.ts')).auth),
  },
  { name: 'config', group: 'access', summary: "A profile's settings", load: async () => table((await import('./config.ts')).config) },
  {
    name: 'doctor',
    group: 'access',
    summary: 'Check configuration, connection, token and paging',
    load: async () => table((await import('./doctor.ts')).doctor),
  },
  {
    name: 'sandbox',
    group: 'more',
    summary: 'The embedded service: try everything without risk',
    load: async () => table((await import('./sandbox.ts')).sandbox),
  },
  {
    name: 'completion',
    group: 'more',
    summary: 'Shell completion: bash, zsh, fish, PowerShell',
    load: async () => table((await import('./completion.ts')).completion),
  },
];
