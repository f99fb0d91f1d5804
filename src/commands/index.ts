/** The nouns. Only the commands of a typed noun and verb are loaded. */
import type { Command } from '../command.ts';

type Load = () => Promise<readonly unknown[]>;

/** `verb`: the word behind the noun. Its file is enough; for any other word, all are loaded. */
export type Noun = { name: string; summary: string; load(verb?: string): Promise<readonly Command[]> };

/** `apart`: files of their own, by the verbs in them; `order`: of all verbs, where there are such files. */
function noun(name: string, summary: string, load: Load, apart: Readonly<Record<string, Load>> = {}, order = ''): Noun {
  const files = Object.entries(apart).map(([verbs, file]) => ({ verbs: verbs.split(' '), file }));
  const loaded = async (file: Load) => (await file()) as readonly Command[];
  const rankOf = (command: Command) => order.split(' ').indexOf(command.name.slice(name.length + 1));
  return {
    name,
    summary,
    async load(verb = '') {
      const own = files.find(({ verbs }) => verbs.includes(verb));
      const first = await loaded(own?.file ?? load);
      if (own || first.some((command) => command.name === `${name} ${verb}`)) return first;
      const others = await Promise.all(files.map(({ file }) => loaded(file)));
      return [...first, ...others.flat()].toSorted((one, other) => rankOf(one) - rankOf(other));
    },
  };
}

export const nouns: readonly Noun[] = [
  noun(
    'exams',
    'Create, change and delete exams; send their mails',
    async () => (await import('./exams.ts')).exams,
    {
      'clone shift delay send-emails report': async () => (await import('./exam-office.ts')).examOffice,
      'apply export': async () => (await import('./timetables.ts')).timetables,
    },
    'list get create clone update shift delay apply export delete send-emails report',
  ),
  noun(
    'sessions',
    'The students of an exam: their sessions, times and states',
    async () => (await import('./sessions.ts')).sessions,
    { import: async () => (await import('./tables.ts')).imports },
    'list get find create update extend move delete import export end watch',
  ),
  noun('accommodations', 'Extra time from one list', async () => (await import('./timetables.ts')).accommodations),
  noun('proctors', "An exam's proctor pool", async () => (await import('./proctors.ts')).proctors),
  noun('users', 'The users of an institute', async () => (await import('./proctors.ts')).users),
  noun('preflight', 'Check whether exams are ready', async () => (await import('./checks.ts')).preflight),
  noun('runs', 'What was changed from here: show, resume, undo', async () => (await import('./runs.ts')).runs),
  noun('doctor', 'Check settings, connection, token and paging', async () => (await import('./checks.ts')).doctor),
  noun('api', 'Any request to the service; --list shows its operations', async () => (await import('./api.ts')).api),
  noun('students', 'Show or add one student; for all else see sessions', async () => (await import('./students.ts')).students),
  noun('auth', 'Log in and out; list and choose profiles', async () => (await import('./auth.ts')).auth),
  noun('config', "A profile's settings", async () => (await import('./config.ts')).config),
  noun('sandbox', 'The embedded service: try without risk', async () => (await import('./sandbox.ts')).sandbox),
  noun('completion', 'Completion in bash, zsh, fish, PowerShell', async () => (await import('./completion.ts')).completion),
];
