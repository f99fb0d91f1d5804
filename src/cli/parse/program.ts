/** commander, built from the table of commands: only those that the line may mean are loaded. */
import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command, Globals } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { endings } from '../../output/formats.ts';
import { version } from '../../text/version.ts';
import { commandOptions, globalsOf, offers, oneOf, optionsOfAll, refuseMixUps, termOf, withoutEffect } from './options.ts';

/** The parsed, unchecked command line. */
export type Invocation = {
  command: Command;
  args: Record<string, string | string[] | undefined>;
  flags: Record<string, unknown>;
  raw: RawBody;
  globals: Globals;
};
/** What `-F`, `-f` and `--body` were given. */
export type RawBody = { typed: string[]; text: string[]; body: string | undefined };

const pages = () => import('../help/pages.ts');
const failures = () => import('../run/failures.ts');

/** Throws `usage`. Help comes back as text; `columns`: the width of the terminal. */
export async function parse(argv: readonly string[], columns = 80): Promise<Invocation | string> {
  const asksForHelp = argv[0] === 'help';
  const words = asksForHelp ? argv.slice(1) : argv;
  const [first] = words;
  const [dash] = words.flatMap((word) => /^[–—−]{1,2}\p{L}[\p{L}-]*/u.exec(word) ?? []);
  if (dash !== undefined) throw (await failures()).typesetError(dash);
  const width = Math.max(40, Math.min(columns, 100));
  const page = asksForHelp && first && (await pages()).topicOf(first);
  if (page) return page(width);
  // A word that is no noun is refused, as without "help".
  const isHelp = asksForHelp && (!first || nouns.some(({ name }) => name === first));
  const isWhole = !nouns.some(({ name }) => words.includes(name));
  return parsedWords(words, { typed: isHelp ? [...words, '--help'] : words, width, isWhole });
}

/**
 * Help, and what is wrong with a line, are told by the whole program; any other line needs its own command only. `typed`: the words,
 * with --help where help was asked for.
 */
type Parsing = { typed: readonly string[]; width: number; isWhole: boolean };

async function parsedWords(words: readonly string[], { typed, width, isWhole }: Parsing): Promise<Invocation | string> {
  const found: Invocation[] = [];
  const shown: string[] = [];
  const root = await programFor(words, { found: (one) => found.push(one), width, isWhole });
  let helped = root;
  const all = (command: Commander): Commander[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(root)) {
    const write = (text: string) => shown.push(text);
    command.configureOutput({ writeOut: write, writeErr: write });
    command.exitOverride((error) => {
      helped = command;
      throw error;
    });
  }
  try {
    await root.parseAsync([...typed], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isWhole) return parsedWords(words, { typed, width, isWhole: true });
    const { code, exitCode } = error;
    if (exitCode !== 0 && code !== 'commander.help') throw (await failures()).usageError(error, helped, words);
    if (helped === root && code !== 'commander.version') return (await pages()).firstPage;
  }
  return found[0] ?? shown.join('');
}

export const records = new WeakMap<Commander, Command>();

/** `found` is called with what was typed. `width`: of the help, in columns. `isWhole`: all nouns, and all verbs of those named. */
type Made = { found(invocation: Invocation): unknown; width: number; isWhole: boolean };
export const nothingParsed: Made = { found() {}, width: 80, isWhole: true };

/** The program with the nouns that a line names. */
export async function programFor(words: readonly string[], { found, width, isWhole }: Made = nothingParsed): Promise<Commander> {
  const subcommandTerm = (command: Commander) => command.name();
  const inHelp = { helpWidth: width, minWidthToWrap: 20, optionTerm: termOf, subcommandTerm };
  const root = withHelpOption(new Commander('proctor-cli').configureHelp(inHelp));
  root.version(`proctor-cli ${version}`, '-V, --version', 'the version of the program');
  for (const option of optionsOfAll()) root.addOption(option);
  refuseMixUps(root, root.options);
  for (const { name, summary, load } of nouns) {
    const isNamed = words.includes(name);
    if (!isNamed && !isWhole) continue;
    const noun = withHelpOption(root.command(name)).description(summary).usage('<verb> [options]');
    if (!isNamed) continue;
    const next = words[words.indexOf(name) + 1];
    const commands = await load(next);
    const own = isWhole ? [] : commands.filter((command) => command.name === `${name} ${next}`);
    for (const command of own.length > 0 ? own : commands) {
      const verb = command.name.slice(name.length + 1);
      define(command, verb === '' ? noun : withHelpOption(noun.command(verb)), found);
    }
  }
  return root;
}

function withHelpOption(command: Commander): Commander {
  return command.helpCommand(false).addHelpOption(new Option('-h, --help').hideHelp());
}

/** No argument is required here: missing ones are asked for, or named at the end. */
function define(command: Command, to: Commander, found: (invocation: Invocation) => void) {
  const args = Object.entries(command.args ?? {});
  const flags = Object.entries(command.flags ?? {});
  records.set(to, command);
  to.summary(command.summary).description([command.summary, command.details].filter(Boolean).join('.\n\n'));
  for (const [name, { description, variadic, choices, complete = choices }] of args) {
    const argument = variadic
      ? to.createArgument(`[${name}...]`, `${description}; - reads them from stdin, one per line`)
      : to.createArgument(`[${name}]`, description);
    if (complete) offers.set(argument, complete);
    if (choices) argument.choices(choices).argParser((text: string) => oneOf(name, choices, text));
    to.addArgument(argument);
  }
  for (const option of commandOptions(command)) to.addOption(option);
  refuseMixUps(to, [...to.options, ...optionsOfAll()]);
  const isNeeded = (option: Option) => command.needs?.some((key) => option.attributeName() === key);
  const needed = to.options.filter(isNeeded).map((option) => option.flags);
  const operands = args.map(([name, { variadic, optional }]) => {
    const label = variadic ? `${name}...` : name;
    return optional ? `[${label}]` : `<${label}>`;
  });
  to.usage([...operands, ...needed, '[options]'].join(' '));
  to.addHelpText('after', () => textBelow(command, to));
  to.action(() => {
    const { field = [], rawField = [], body, ...given } = to.opts();
    found({
      command,
      args: Object.fromEntries(args.map(([name], index) => [name, to.processedArgs[index]])),
      flags: Object.fromEntries(flags.map(([key, flag]) => [key, given[key] ?? ('standard' in flag ? flag.standard : undefined)])),
      raw: { typed: field, text: rawField, body },
      globals: globalsOf(to.optsWithGlobals()),
    });
  });
}

function textBelow(command: Command, to: Commander): string {
  const help = to.createHelp();
  const { helpWidth: width = 80 } = help;
  const examples = Object.entries(command.examples).map(([line, description]) => {
    const indented = help.boxWrap(description, width - 6).replaceAll(/^/gm, '      ');
    return `  $ ${line}\n${indented}`;
  });
  const idle = withoutEffect(command);
  const nameOf = (long: string) => (long === '--to' ? `--to FILE (${endings.join(' ')})` : long);
  const names = optionsOfAll().flatMap(({ long = '' }) => (idle.includes(long) ? [] : [nameOf(long)]));
  const others = help.boxWrap(`With every command (proctor-cli --help): ${names.join(' ')}`, width);
  return [...(examples.length > 0 ? ['\nExamples:', ...examples] : []), '', others].join('\n');
}
