/** Help that fits a screen: what it is, how it is typed, what it takes, examples. */
import type { Command } from '../command.ts';
import type { Noun } from '../commands/index.ts';
import { bodyOptions, flagTerm } from './flags.ts';
import { globalOptions } from './globals.ts';

type Line = readonly [term: string, does: string];

const width = 100;

/** Terms in one column, what they do in the other, wrapped. */
function section(title: string, lines: readonly Line[]): string {
  if (lines.length === 0) return '';
  const column = Math.min(Math.max(...lines.map(([term]) => term.length)), 32) + 4;
  const shown = lines.map(([term, does]) => {
    const [first = '', ...rest] = wrapped(does, width - column);
    const start = `  ${term}`.length < column ? `  ${term}`.padEnd(column) : `  ${term}\n${' '.repeat(column)}`;
    return [`${start}${first}`, ...rest.map((line) => ' '.repeat(column) + line)].join('\n').trimEnd();
  });
  return `\n${title}\n${shown.join('\n')}\n`;
}

function wrapped(text: string, limit: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > limit) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

export function rootHelp(nouns: readonly Noun[]): string {
  return `Run proctored examinations from the command line.

Usage: proctor-cli <noun> <verb> [options]
${section(
  'Nouns',
  nouns.map(({ name, summary }) => [name, summary]),
)}${section('Options, before or after the verb', [
  ...globalOptions.map(({ flags, does, choices }): Line => [flags, choices ? `${does}: ${choices.join(', ')}` : does]),
  ['-h, --help', 'help for the program, a noun or a verb'],
])}
Begin here
  $ proctor-cli --profile sandbox exams list    try everything on the service that comes in the box
  $ proctor-cli auth login                      store the address and the token of your own service
  $ proctor-cli exams --help                    the verbs of a noun; then: proctor-cli exams create --help

Exit status
  0 done, 1 bug, 2 usage, 3 invalid input, 4 not logged in, 5 unsupported, 6 not found, 7 rejected,
  8 unavailable, 9 partly done, 10 outcome unknown, 130 and 143 stopped
`;
}

export function nounHelp({ name, summary }: Noun, commands: readonly Command[]): string {
  const verbs = commands.map((command): Line => [command.name.slice(name.length + 1), command.summary]);
  return `${summary}

Usage: proctor-cli ${name} <verb> [options]
${section('Verbs', verbs)}${globalNames()}`;
}

export function commandHelp(command: Command): string {
  const args = Object.entries(command.args ?? {});
  const flags = Object.entries(command.flags ?? {}).filter(([, flag]) => !flag.hidden);
  const term = ([key, flag]: (typeof flags)[number]): Line => [flagTerm(key, flag), flag.does];
  const own = flags.filter(([, flag]) => flag.field === undefined).map(term);
  const fields: Line[] = flags.filter(([, flag]) => flag.field !== undefined).map(term);
  if (command.writes) fields.push(...bodyOptions.map(({ flags, does }): Line => [flags, does]));
  const typed = args.map(([name, { optional, variadic }]) => {
    const label = variadic ? `${name}...` : name;
    return optional ? `[${label}]` : `<${label}>`;
  });
  const about = command.details === undefined ? '' : `\n${wrapped(command.details, width).join('\n')}\n`;
  const examples = command.examples.map(({ line, does }) => `  $ ${line}\n      ${does}`);
  return `${command.summary}
${about}
Usage: proctor-cli ${[command.name, ...typed, '[options]'].join(' ')}
${section(
  'Arguments',
  args.map(([name, { does }]): Line => [name, does]),
)}${section('Options', own)}${section('Fields', fields)}${globalNames()}${
  examples.length === 0 ? '' : `\nExamples\n${examples.join('\n')}\n`
}`;
}

/** The options of every command by name only; the program's help tells what they do. */
function globalNames(): string {
  const names = globalOptions.map(({ flags }) => flags.replace(/ <.*$/, '').replace(/^-(\w), /, '-$1 '));
  const lines = wrapped(names.map((name) => name.replace(' ', '\u00a0')).join(' '), width - 2).map(
    (line) => `  ${line.replaceAll('\u00a0', ' ')}`,
  );
  return `\nOptions of every command (see proctor-cli --help)\n${lines.join('\n')}\n`;
}
