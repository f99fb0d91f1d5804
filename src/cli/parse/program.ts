/** commander, built from the table of commands. Only the nouns that the line names are loaded; what commander finds wrong is a `usage` error. */
import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command, Globals } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { CliError } from '../../errors.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';
import { globalsOf, offers, oneOf, optionsOf, optionsOfAll, termOf, withoutEffect } from './options.ts';

/** The parsed, unchecked command line. */
export type Invocation = {
  command: Command;
  args: Record<string, string | string[] | undefined>;
  flags: Record<string, unknown>;
  /** What `-F`, `-f` and `--body` were given. */
  raw: RawBody;
  globals: Globals;
};
export type RawBody = { typed: string[]; text: string[]; body?: string };
export type Parsed = { kind: 'run'; invocation: Invocation } | { kind: 'shown'; text: string };

/** Parses arguments. Throws `usage`; help comes back as text, for a terminal of so many columns. */
export async function parse(argv: readonly string[], columns = 80): Promise<Parsed> {
  const asksForHelp = argv[0] === 'help';
  const words = asksForHelp ? argv.slice(1) : argv;
  const width = Math.max(40, Math.min(columns, 100));
  const page = asksForHelp ? await topicNamed(words[0] ?? '') : undefined;
  if (page) return { kind: 'shown', text: page(width) };
  let invocation: Invocation | undefined;
  const shown: string[] = [];
  const found = (one: Invocation) => {
    invocation = one;
  };
  const root = await programFor(words, { found, width });
  let helped = root;
  const all = (command: Commander): Commander[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(root)) {
    command.configureOutput({ writeOut: (text) => shown.push(text), writeErr: (text) => shown.push(text) });
    command.exitOverride((error) => {
      helped = command;
      throw isHelp(error) ? error : usageError(error, command);
    });
  }
  try {
    await root.parseAsync(asksForHelp ? [...words, '--help'] : words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (helped === root && error.code !== 'commander.version') return { kind: 'shown', text: (await import('../help/pages.ts')).firstPage };
  }
  return invocation ? { kind: 'run', invocation } : { kind: 'shown', text: shown.join('') };
}

async function topicNamed(name: string) {
  const { topics } = await import('../help/pages.ts');
  return Object.hasOwn(topics, name) ? topics[name] : undefined;
}

/** The records behind commands of commander. */
export const records = new WeakMap<Commander, Command>();

type Made = { found?: (invocation: Invocation) => void /** Of its help. */; width?: number };

/** The program with the nouns that a line names, for completion and the reference as well. */
export async function programFor(words: readonly string[], { found = () => {}, width = 80 }: Made = {}): Promise<Commander> {
  const inHelp = { helpWidth: width, minWidthToWrap: 20, optionTerm: termOf, subcommandTerm: (command: Commander) => command.name() };
  const root = made(new Commander('proctor-cli').configureHelp(inHelp));
  root.version(`proctor-cli ${version}`, '-V, --version', 'the version of the program');
  for (const option of optionsOfAll()) root.addOption(option);
  refuseMixUps(root, root.options);
  for (const { name, summary, load } of nouns) {
    const noun = made(root.command(name)).description(summary).usage('<verb> [options]');
    if (!words.includes(name)) continue;
    for (const command of await load()) {
      const verb = command.name.slice(name.length + 1);
      define(command, verb === '' ? noun : made(noun.command(verb)), found);
    }
  }
  return root;
}

function made(command: Commander): Commander {
  return command.helpCommand(false).addHelpOption(new Option('-h, --help', 'help for the program, a noun or a command').hideHelp());
}

/** What may be typed behind a command, and what becomes of it. No argument is required here: missing ones are asked for, or named at the end. */
function define(command: Command, to: Commander, found: (invocation: Invocation) => void) {
  const args = Object.entries(command.args ?? {});
  const flags = Object.entries(command.flags ?? {});
  records.set(to, command);
  to.summary(command.summary).description([command.summary, command.details].filter(Boolean).join('.\n\n'));
  for (const [name, { description, variadic, choices, suggests, complete = choices ?? suggests }] of args) {
    const stdin = variadic ? '; - reads them from stdin, one per line' : '';
    const argument = to.createArgument(`[${name}${variadic ? '...' : ''}]`, `${description}${stdin}`);
    if (complete) offers.set(argument, complete);
    to.addArgument(choices ? argument.choices(choices).argParser((text: string) => oneOf(name, choices, text)) : argument);
  }
  for (const option of optionsOf(command)) to.addOption(option);
  refuseMixUps(to, [...to.options, ...optionsOfAll()]);
  const needed = to.options.filter((option) => command.needs?.some((key) => option.attributeName() === key)).map((option) => option.flags);
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
      raw: { typed: field, text: rawField, ...(body === undefined ? {} : { body }) },
      globals: globalsOf(to.optsWithGlobals()),
    });
  });
}

/** The examples, and the options of every command that have an effect in this one, by name only. */
function textBelow(command: Command, to: Commander): string {
  const help = to.createHelp();
  const { helpWidth: width = 80 } = help;
  const examples = command.examples.map(
    ({ line, description }) => `  $ ${line}\n${help.boxWrap(description, width - 6).replaceAll(/^/gm, '      ')}`,
  );
  const idle = withoutEffect(command);
  const names = optionsOfAll().flatMap(({ long = '' }) => (idle.includes(long) ? [] : [long]));
  const others = help.boxWrap(`With every command (proctor-cli --help): ${names.join(' ')}`, width);
  return [...(examples.length > 0 ? ['\nExamples:', ...examples] : []), '', others].join('\n');
}

/** What commander would accept: an option as the value of another one, and both `--x` and `--no-x`. */
function refuseMixUps(to: Commander, known: readonly Option[]) {
  const names = new Set(known.map(({ long }) => long));
  const given = new Map<string, string>();
  for (const option of to.options)
    to.on(`option:${option.name()}`, (value?: string | null) => {
      const [key, name] = [option.attributeName(), option.long ?? option.flags];
      const before = given.get(key) ?? name;
      given.set(key, name);
      if (before !== name)
        throw new CliError('usage', sentence`${before} and ${name} contradict each other.`, { hint: 'Give one of them.' });
      if (typeof value === 'string' && names.has(value.replace(/=.*/s, '')))
        throw new CliError('usage', sentence`${name} needs a value, but an option stands behind it.`, {
          hint: sentence`If it is meant to be the value, write ${name}=${value}`,
        });
    });
}

function isHelp({ exitCode, code }: CommanderError): boolean {
  return exitCode === 0 || code === 'commander.help';
}

/** The words of commander without what was rejected: it may be a secret. */
function usageError(error: CommanderError, command: Commander): CliError {
  const root = command.parent?.parent ?? command.parent ?? command;
  const names = [...command.options, ...root.options].map(({ long }) => long);
  const said = error.message.replace(/^error: /, '');
  const [, unknown, value] = /^unknown option '(--[^'=]*|-\w)(=?)/.exec(said) ?? [];
  const shown =
    value && names.includes(unknown) ? `${unknown} takes no value` : `unknown option ${unknown}${said.slice(said.lastIndexOf("'") + 1)}`;
  const [problem = '', ...suggestion] = (unknown === undefined ? said : shown)
    .replace(/^option '(?:-\w, )?(--[\w-]+)(?: [^']*)?' argument missing/, '$1 needs a value')
    .replace(/^unknown command '.*'/s, 'unknown command')
    .replace(/(but got \d+): .*/s, '$1')
    .split('\n');
  const path = [command.parent?.parent && command.parent, command.parent && command].flatMap((each) => (each ? `${each.name()} ` : []));
  const meant = suggestion.join(' ').replace(/[()]/g, '').trim();
  return new CliError('usage', sentence`${capitalised(problem.replace(/[.]?$/, '.'))}`, {
    hint: sentence`${meant && `${meant} `}See: proctor-cli ${path.join('')}--help`,
  });
}
