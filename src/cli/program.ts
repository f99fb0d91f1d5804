/**
 * commander, built from the table of commands. Only the noun that was typed is loaded; everything
 * that commander finds wrong becomes a `usage` error.
 */
import { Command as Commander, CommanderError, Option } from 'commander';
import { nouns } from '../commands/index.ts';
import type { Command, Flag } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Globals } from '../command.ts';
import { addGlobalOptions, globalsOf } from './globals.ts';
import { configureHelp, helpEpilogue, rootEpilogue } from './help.ts';

/** What was typed, taken apart but not yet checked. */
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

/** Parses arguments. Throws `usage`; help comes back as text. */
export async function parse(argv: readonly string[]): Promise<Parsed> {
  const shown: string[] = [];
  const print = { writeOut: (text: string) => shown.push(text), writeErr: () => {}, getOutHasColors: () => false };
  const root = new Commander('proctor-cli').description('Run proctored examinations from the command line.').usage('<command> [options]');
  root.exitOverride().configureOutput(print);
  configureHelp(root);
  addGlobalOptions(root, Option);
  root.helpOption('-h, --help', 'show help');
  let invocation: Invocation | undefined;
  try {
    const typed = nounIn(root, argv);
    for (const noun of nouns) {
      const made = root.command(noun.name).description(noun.summary);
      if (noun.name !== typed) continue;
      for (const command of await noun.load()) {
        addCommand(command, made, (found) => {
          invocation = found;
        });
      }
      if (made.commands.length > 0) made.usage('<verb> [options]');
    }
    root.helpCommand('help [command]', 'show help for a command');
    root.addHelpText('after', rootEpilogue);
    if (argv.length === 0) root.outputHelp();
    else await root.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, argv);
  }
  return invocation ? { kind: 'run', invocation } : { kind: 'shown', text: shown.join('') };
}

/** The first word that is neither an option nor an option's value; after `help`, the word that follows. */
function nounIn(root: Commander, argv: readonly string[]): string | undefined {
  const scratch = new Commander().exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of root.options) scratch.addOption(new Option(option.flags));
  const { operands } = scratch.parseOptions([...argv]);
  return operands[0] === 'help' ? operands[1] : operands[0];
}

function addCommand(command: Command, noun: Commander, found: (invocation: Invocation) => void) {
  const [, verb] = command.name.split(' ');
  const made = verb === undefined ? noun : noun.command(verb);
  made.description(command.details ? `${command.summary}\n\n${command.details}` : command.summary).summary(command.summary);
  for (const [name, argument] of Object.entries(command.args ?? {})) {
    const label = `${name}${argument.variadic ? '...' : ''}`;
    made.argument(argument.optional ? `[${label}]` : `<${label}>`, argument.does);
  }
  for (const [key, flag] of Object.entries(command.flags ?? {})) addFlag(made, key, flag);
  if (command.writes) {
    made.addOption(repeated('-F, --typed-field <key=value>', 'any other field: true, false, null and numbers as such; key=@file'));
    made.addOption(repeated('-f, --text-field <key=value>', 'any other field, always as text'));
    made.option('--body <file>', 'a JSON object with the fields, from a file or - for stdin');
  }
  made.addHelpText('after', helpEpilogue(command));
  made.action(() => {
    const names = Object.keys(command.args ?? {});
    const { typedField, textField, body, ...flags } = made.opts();
    found({
      command,
      args: Object.fromEntries(names.map((name, index) => [name, made.processedArgs[index]])),
      flags,
      raw: { typed: typedField ?? [], text: textField ?? [], ...(body === undefined ? {} : { body }) },
      globals: globalsOf(made.optsWithGlobals()),
    });
  });
}

function addFlag(made: Commander, key: string, flag: Flag) {
  const long = flagName(key);
  const short = 'short' in flag && flag.short ? `-${flag.short}, ` : '';
  if (flag.type === 'boolean') {
    made.addOption(new Option(long, flag.does).hideHelp(flag.hidden === true));
    if (flag.negatable) made.addOption(new Option(long.replace('--', '--no-'), `the opposite of ${long}`).hideHelp(flag.hidden === true));
    return;
  }
  const label = flag.type === 'time' ? 'time' : flag.value;
  const option = flag.type === 'texts' ? repeated(`${short}${long} <${label}>`, flag.does) : new Option(`${short}${long} <${label}>`, flag.does);
  if (flag.type === 'text' && flag.choices) option.choices([...flag.choices]);
  if ('required' in flag && flag.required) option.makeOptionMandatory();
  made.addOption(option.hideHelp(flag.hidden === true));
}

function repeated(flags: string, does: string): Option {
  return new Option(flags, does).argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
}

/** `allowPenPaper` as it is typed: `--allow-pen-paper`. */
export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function usageError(error: CommanderError, argv: readonly string[]): CliError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replace(/[()]/g, '').trim();
  const words = argv.filter((word) => !word.startsWith('-'));
  const noun = nouns.find(({ name }) => name === words[0]);
  if (error.code === 'commander.help') {
    return new CliError('usage', `Say what to do with ${noun?.name ?? 'it'}: a verb is missing.`, { hint: `See: proctor-cli ${noun?.name ?? ''} --help` });
  }
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  const see = `See: proctor-cli ${noun ? `${words.slice(0, 2).join(' ')} ` : ''}--help`;
  return new CliError('usage', /[.!?]$/.test(sentence) ? sentence : `${sentence}.`, { hint: suggestion ? `${suggestion} ${see}` : see });
}
