/** The pages of help for the program, a noun and a verb, made from the table of commands. */
import type { Argument, Command, Example, Flag } from '../../command.ts';
import { groups, type Noun } from '../../commands/index.ts';
import { bodyOptionsOf, flagTerm, offeredFlags } from '../parse/flags.ts';
import { globalOptions } from '../parse/globals.ts';
import type { HelpPage, Section, Term } from './help-page.ts';
import { topics } from './topics/index.ts';

export const firstSteps: readonly Example[] = [
  { line: 'proctor-cli --profile sandbox exams list', description: 'try everything on the embedded service' },
  { line: 'proctor-cli auth login', description: 'store the address and the token of your own service' },
  { line: 'proctor-cli exams --help', description: 'the commands for exams; each command and each topic has its own help' },
];

export function rootPage(nouns: readonly Noun[]): HelpPage {
  return {
    summary: 'Run proctored examinations from the command line.',
    usage: '<noun> <verb> [options]',
    sections: [
      { title: 'Getting started', examples: firstSteps },
      ...Object.entries(groups).map(([key, title]) => ({
        title,
        terms: nouns.filter(({ group }) => group === key).map(({ name, summary }): Term => [name, summary]),
      })),
      { title: 'Topics, with proctor-cli help TOPIC', terms: topics.map(({ name, summary }) => [name, summary]) },
      { title: 'Options of every command', terms: globalTerms() },
    ],
  };
}

export function nounPage({ name, summary }: Noun, commands: readonly Command[]): HelpPage {
  const verbs = commands.map((command): Term => [command.name.slice(name.length + 1), command.summary]);
  return { summary, usage: `${name} <verb> [options]`, sections: [{ title: 'Verbs', terms: verbs }] };
}

/** The options of every command, and what they do. */
export function globalTerms(): Term[] {
  return [
    ...globalOptions.map(({ flags, does, choices }): Term => [flags, choices ? `${does}: ${choices.join(', ')}` : does]),
    ['-h, --help', 'help for the program, a noun or a command'],
    ['-V, --version', 'the version of the program'],
  ];
}

/** What commands take besides their own options that may take something from students. */
const duringExam = globalTerms().find(([flags]) => flags.startsWith('--during-exam')) as Term;

export function commandPage(command: Command): HelpPage {
  const args = Object.entries(command.args ?? {});
  const flags = offeredFlags(command);
  const needed = ([key, flag]: (typeof flags)[number]) =>
    ('required' in flag && flag.required) || 'requiredUnless' in flag || command.needs?.includes(key);
  const termsOf = (some: typeof flags) => some.map(([key, flag]): Term => [flagTerm(key, flag), flagDoes(flag)]);
  const usual = flags.filter(([, flag]) => !flag.rare);
  const times = usual.filter(([, flag]) => flag.type === 'time');
  const fields = usual.filter(([, flag]) => flag.field !== undefined && flag.type !== 'time');
  const own = usual.filter(([, flag]) => flag.field === undefined && flag.type !== 'time');
  const raw = bodyOptionsOf(command);
  const rare = flags.filter(([, flag]) => flag.rare);
  const sections: Section[] = [
    { title: 'Examples', examples: command.examples },
    { title: 'Arguments', terms: args.map(([name, argument]) => [name, argumentDoes(argument)]) },
    { title: 'Options', terms: [...termsOf(own), ...(command.takes ? [duringExam] : [])] },
    { title: 'Times (proctor-cli help times)', terms: termsOf(times) },
    { title: 'Fields', terms: [...termsOf(fields), ...raw.map((option): Term => [option.flags, option.description])] },
    { title: 'Rarely needed', terms: termsOf(rare) },
  ];
  const typed = [...args.map(argumentTerm), ...flags.filter(needed).map(([key, flag]) => flagTerm(key, flag).replace(/^-\w, /, ''))];
  return {
    summary: command.summary,
    ...(command.details === undefined ? {} : { about: [command.details] }),
    usage: [command.name, ...typed, '[options]'].join(' '),
    sections: sections.filter(({ terms, examples }) => (terms ?? examples)?.length !== 0),
  };
}

function argumentTerm([name, { optional, variadic, joined }]: [string, Argument]): string {
  const label = variadic || joined ? `${name}...` : name;
  return optional ? `[${label}]` : `<${label}>`;
}

function argumentDoes({ description: does, choices, variadic }: Argument): string {
  if (choices) return `${does}: ${choices.join(', ')}`;
  return variadic ? `${does}; - reads them from stdin, one per line` : does;
}

function flagDoes(flag: Flag): string {
  const choices = flag.type === 'text' && flag.choices;
  return choices ? `${flag.description}: ${choices.join(', ')}` : flag.description;
}
