/** The nouns. Of a noun and a verb that are typed, only their command is loaded: src/commands/NOUN/VERB.ts. */
import type { Command } from '../command.ts';

/** `verb`: the word behind the noun. For any other word than a verb, all its commands are loaded. */
export type Noun = { name: string; summary: string; verbs: readonly string[]; load(verb?: string): Promise<readonly Command[]> };

type File = () => Promise<{ command: unknown }>;

/** `verbs`: separated by blanks; or the file of a noun that is a command. */
function noun(name: string, summary: string, verbs: string | File): Noun {
  const all = typeof verbs === 'string' ? verbs.split(' ') : [];
  const files = new Map(all.map((verb): [string, File] => [verb, () => import(`./${name}/${verb}.ts`)]));
  if (typeof verbs !== 'string') files.set('', verbs);
  return {
    name,
    summary,
    verbs: all,
    load(verb = '') {
      const typed = files.get(verb);
      return Promise.all((typed ? [typed] : [...files.values()]).map(commandIn));
    },
  };
}

/** The types of the values of a command end here: the table treats all commands alike. */
async function commandIn(file: File): Promise<Command> {
  const { command } = await file();
  return command as Command;
}

export const nouns: readonly Noun[] = [
  noun(
    'exams',
    'Create, change and delete exams; send their mails',
    'list get create update delete clone shift delay send-emails report apply export',
  ),
  noun(
    'sessions',
    'The students of an exam: their sessions, times and states',
    'list get find create update extend move delete export end watch import',
  ),
  noun('accommodations', 'Extra time from one list', 'apply'),
  noun('proctors', "An exam's proctor pool", 'list add remove'),
  noun('users', 'The users of an institute', 'list'),
  noun('preflight', 'Check whether exams are ready', () => import('./preflight.ts')),
  noun('runs', 'What was changed from here: show, resume, undo', 'list show resume undo close forget'),
  noun('doctor', 'Check settings, connection, token and paging', () => import('./doctor.ts')),
  noun('api', 'Any request to the service; --list shows its operations', () => import('./api.ts')),
  noun('students', 'Show or add one student; for all else see sessions', 'show add'),
  noun('auth', 'Log in and out; list and choose profiles', 'login status switch logout token'),
  noun('config', "A profile's settings", 'get set unset list'),
  noun('sandbox', 'The embedded service: try without risk', 'serve reset outbox'),
  noun('completion', 'Completion in bash, zsh, fish, PowerShell', () => import('./completion.ts')),
];
