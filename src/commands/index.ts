/** The nouns in the order of an office's day, as the first page of the help has them; a noun's commands are loaded only when it is typed. */
import type { Command } from '../command.ts';

export type Noun = { name: string; summary: string; load(): Promise<readonly Command[]> };

/** The types of the values of a command end here: the table treats all commands alike. */
function noun(name: string, summary: string, load: () => Promise<readonly unknown[]>): Noun {
  return { name, summary, load: load as Noun['load'] };
}

export const nouns: readonly Noun[] = [
  noun('exams', 'Create, change and delete exams; send their mails', async () => (await import('./exams.ts')).exams),
  noun('sessions', 'The students of an exam: their sessions, times and states', async () => (await import('./sessions.ts')).sessions),
  noun('accommodations', 'Extra time from one list', async () => (await import('./tables.ts')).accommodations),
  noun('proctors', "An exam's proctor pool", async () => (await import('./proctors.ts')).proctors),
  noun('users', 'The users of an institute', async () => (await import('./proctors.ts')).users),
  noun('preflight', 'Check whether exams are ready', async () => (await import('./checks.ts')).preflight),
  noun('runs', 'What was changed from here: show, resume, undo, close, forget', async () => (await import('./runs.ts')).runs),
  noun('doctor', 'Check settings, connection, token and paging', async () => (await import('./checks.ts')).doctor),
  noun('api', 'Any request to the service; --list shows its operations', async () => (await import('./api.ts')).api),
  noun('students', 'Show or add one student of an exam; for all else see sessions', async () => (await import('./students.ts')).students),
  noun('auth', 'Log in and out; list and choose profiles', async () => (await import('./auth.ts')).auth),
  noun('config', "A profile's settings", async () => (await import('./config.ts')).config),
  noun('sandbox', 'The embedded service: try everything without risk', async () => (await import('./sandbox.ts')).sandbox),
  noun('completion', 'Shell completion: bash, zsh, fish, PowerShell', async () => (await import('./completion.ts')).completion),
];
