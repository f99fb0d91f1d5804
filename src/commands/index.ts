/** The nouns. Only the commands of a typed noun and verb are loaded. */
import type { Command } from '../command.ts';

type File = () => Promise<{ commands: readonly unknown[] }>;

/** `verb`: the word behind the noun. Its file is enough; for any other word, all are loaded. */
export type Noun = { name: string; summary: string; load(verb?: string): Promise<readonly Command[]> };

/** `apart`: files of their own, by the verbs in them. */
function noun(name: string, summary: string, file: File, apart: Readonly<Record<string, File>> = {}): Noun {
  const loaded = async (one: File) => {
    // The types of the values of a command end here: the table treats all commands alike.
    const { commands } = (await one()) as { commands: readonly Command[] };
    return commands.filter((command) => command.name.split(' ')[0] === name);
  };
  return {
    name,
    summary,
    async load(verb = '') {
      const [, own] = Object.entries(apart).find(([verbs]) => verbs.split(' ').includes(verb)) ?? [];
      const first = await loaded(own ?? file);
      if (own || first.some((command) => command.name === `${name} ${verb}`)) return first;
      const others = await Promise.all(Object.values(apart).map(loaded));
      return [first, ...others].flat();
    },
  };
}

export const nouns: readonly Noun[] = [
  noun('exams', 'Create, change and delete exams; send their mails', () => import('./exams.ts'), {
    'clone shift delay send-emails report': () => import('./exam-office.ts'),
    'apply export': () => import('./timetables.ts'),
  }),
  noun('sessions', 'The students of an exam: their sessions, times and states', () => import('./sessions.ts'), {
    import: () => import('./tables.ts'),
  }),
  noun('accommodations', 'Extra time from one list', () => import('./timetables.ts')),
  noun('proctors', "An exam's proctor pool", () => import('./proctors.ts')),
  noun('users', 'The users of an institute', () => import('./proctors.ts')),
  noun('preflight', 'Check whether exams are ready', () => import('./checks.ts')),
  noun('runs', 'What was changed from here: show, resume, undo', () => import('./runs.ts')),
  noun('doctor', 'Check settings, connection, token and paging', () => import('./checks.ts')),
  noun('api', 'Any request to the service; --list shows its operations', () => import('./api.ts')),
  noun('students', 'Show or add one student; for all else see sessions', () => import('./sessions.ts')),
  noun('auth', 'Log in and out; list and choose profiles', () => import('./auth.ts')),
  noun('config', "A profile's settings", () => import('./config.ts')),
  noun('sandbox', 'The embedded service: try without risk', () => import('./sandbox.ts')),
  noun('completion', 'Completion in bash, zsh, fish, PowerShell', () => import('./completion.ts')),
];
