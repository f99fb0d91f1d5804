/** The nouns in the order of the help; a noun's commands are loaded only when it is typed. */
import type { Command } from '../command.ts';

export type Noun = { name: string; summary: string; load(): Promise<readonly Command[]> };

/** A command whose types have served their purpose: the table treats all alike. */
const table = (commands: readonly unknown[]) => commands as readonly Command[];

export const nouns: readonly Noun[] = [
  {
    name: 'exams',
    summary: 'Create, change and delete exams; send their mails',
    load: async () => table((await import('./exams.ts')).exams),
  },
  {
    name: 'sessions',
    summary: 'The students of an exam: their sessions, times and states',
    load: async () => table((await import('./sessions.ts')).sessions),
  },
  { name: 'students', summary: 'Show or add one student of an exam', load: async () => table((await import('./students.ts')).students) },
  { name: 'proctors', summary: "An exam's proctor pool", load: async () => table((await import('./proctors.ts')).proctors) },
  { name: 'users', summary: 'The users of an institute', load: async () => table((await import('./users.ts')).users) },
  {
    name: 'api',
    summary: 'Any request of the service; --list shows what it can do',
    load: async () => table((await import('./api.ts')).api),
  },
  {
    name: 'imports',
    summary: 'The imports of this machine: their state, how to go on, undo',
    load: async () => table((await import('./imports.ts')).imports),
  },
  {
    name: 'changes',
    summary: 'The extensions made from this machine: their state, how to go on, undo',
    load: async () => table((await import('./changes.ts')).changes),
  },
  { name: 'auth', summary: 'Log in, and see with what', load: async () => table((await import('./auth.ts')).auth) },
  { name: 'profiles', summary: 'Several services side by side', load: async () => table((await import('./profiles.ts')).profiles) },
  { name: 'config', summary: "A profile's settings", load: async () => table((await import('./config.ts')).config) },
  {
    name: 'sandbox',
    summary: 'The embedded service: try everything, harm nothing',
    load: async () => table((await import('./sandbox.ts')).sandbox),
  },
  {
    name: 'schema',
    summary: "The JSON Schema of each command's JSON",
    load: async () => table((await import('./schema.ts')).schemas),
  },
  {
    name: 'completion',
    summary: 'Complete words after Tab: for bash, zsh, fish, PowerShell',
    load: async () => table((await import('./completion.ts')).completion),
  },
  { name: 'doctor', summary: 'Check configuration, token and connection', load: async () => table((await import('./doctor.ts')).doctor) },
];
