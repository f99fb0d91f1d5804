/** docs/commands.md: every command with its usage, its options and an example, from the same objects of commander as the help. */
import type { Command as Commander } from 'commander';
import { optionsOfAll, termOf } from '../src/cli/parse/options.ts';
import { programFor, records } from '../src/cli/parse/program.ts';
import { nouns } from '../src/commands/index.ts';

type Term = readonly [term: string, does: string];

/** Options that at least so many commands share are explained once, and named in each. */
const shared = 2;
const examplesAtMost = 1;

export async function commandReference(): Promise<string> {
  const root = await programFor(nouns.map(({ name }) => name));
  const all = root.commands.flatMap((noun) => (noun.commands.length > 0 ? noun.commands : [noun]));
  const common = commonOf(all.flatMap(optionTerms));
  const parts = [
    '# Commands',
    'Generated from the table of commands by `npm run generate`. `--help` says more about each.',
    '## Options of every command',
    list([
      ...optionsOfAll().map((option): Term => [option.flags, descriptionOf(root, option)]),
      ['-h, --help', 'help for the program, a noun or a command'],
      ['-V, --version', 'the version of the program'],
    ]),
    '## Options of several commands',
    list(common),
    ...root.commands.flatMap((noun) => {
      // A noun that is its own only command needs no section of its own.
      if (noun.commands.length === 0) return [`## ${noun.name()}`, ...partsOf(noun, common)];
      const verbs = noun.commands.flatMap((verb) => [`### ${noun.name()} ${verb.name()}`, ...partsOf(verb, common)]);
      return [`## ${noun.name()}`, `${escaped(noun.description())}.`, ...verbs];
    }),
  ];
  return `${parts.join('\n\n')}\n`;
}

function optionTerms(command: Commander): Term[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option): Term => [termOf(option), descriptionOf(command, option)]);
}

function descriptionOf(command: Commander, option: Commander['options'][number]): string {
  return command.createHelp().optionDescription(option);
}

/** Of each name the meaning that most commands give it, if it is that of several. */
function commonOf(terms: readonly Term[]): Term[] {
  const uses = [...Map.groupBy(terms, (term) => term.join(' ')).values()].sort((one, other) => other.length - one.length);
  const options = uses.flatMap((same): Term[] => (same[0] && same.length >= shared ? [same[0]] : []));
  return options.filter(([term], at) => options.findIndex((other) => nameOf(other[0]) === nameOf(term)) === at);
}

function partsOf(command: Commander, common: readonly Term[]): string[] {
  const help = command.createHelp();
  const isCommon = ([name, does]: Term) => common.some((term) => term[0] === name && term[1] === does);
  const terms = optionTerms(command);
  const args = help.visibleArguments(command).map((argument): Term => [argument.name(), help.argumentDescription(argument)]);
  const own = [...args, ...terms.filter((term) => !isCommon(term))];
  const others = terms.filter(isCommon).map(([term]) => code(nameOf(term)));
  const examples = Object.entries(records.get(command)?.examples ?? {}).slice(0, examplesAtMost);
  const lines = [
    help.commandUsage(command).replace(' [options]', ''),
    ...examples.flatMap(([line, description]) => ['', `# ${description}`, line]),
  ];
  return [
    `${escaped(command.summary())}.`,
    ['```sh', ...lines, '```'].join('\n'),
    ...(own.length > 0 ? [list(own)] : []),
    ...(others.length > 0 ? [`${own.length > 0 ? 'Also' : 'Options'}: ${others.join(', ')}`] : []),
  ];
}

function list(terms: readonly Term[]): string {
  return terms.map(([term, does]) => `- ${code(term)}: ${escaped(does)}`).join('\n');
}

/** Such as --name of `-n, --name <text>`. */
function nameOf(term: string): string {
  return term.replace(/^-\w, /, '').replace(/ <.*/, '');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Text of which none is read as Markdown or HTML. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]|<>]/g, (mark) => (mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : `\\${mark}`));
}
