/**
 * commander, built from the table of commands. Only the noun that was typed is loaded; everything
 * that commander finds wrong becomes a `usage` error.
 */
import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command, Flag, Globals } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { CliError } from '../../errors.ts';
import { flagName } from '../../model/shell-quote.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';
import { commandHelp, nounHelp, pageText, rootHelp } from '../help/help.ts';
import { topics } from '../help/topics/index.ts';
import { bodyOptionsOf, flagTerm } from './flags.ts';
import { addGlobalOptions, globalsOf } from './globals.ts';
import { oneOf } from './one-of.ts';

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
export async function parse(argv: readonly string[], columns?: number): Promise<Parsed> {
  const shown: string[] = [];
  const print = { writeOut: (text: string) => shown.push(text), writeErr: () => {}, getOutHasColors: () => false };
  const root = new Commander('proctor-cli');
  root.helpCommand(false).exitOverride().configureOutput(print);
  root.configureHelp({ formatHelp: () => rootHelp(nouns) });
  addGlobalOptions(root, optionFor);
  let invocation: Invocation | undefined;
  /** The noun, or the noun and its verb, as far as the table has them. */
  let about = '';
  let verbs = () => '';
  try {
    const { operands, unknown } = typedWords(root, argv);
    // Not before: it is no option of commands, but an answer of its own.
    root.version(`proctor-cli ${version}`);
    const asksForHelp = operands[0] === 'help';
    const words = asksForHelp ? operands.slice(1) : operands;
    const [typed, verb] = words;
    let misspelt = typed !== undefined;
    for (const noun of nouns) {
      const made = root.command(noun.name).helpCommand(false);
      if (noun.name !== typed) continue;
      const commands = await noun.load();
      const meant = commands.find(({ name }) => name === typed || name === `${typed} ${verb}`);
      about = meant?.name ?? typed;
      misspelt = meant === undefined && verb !== undefined;
      verbs = () => nounHelp(noun, commands, columns);
      made.configureHelp({ formatHelp: verbs });
      if (meant) refuseMisplacedValues(meant, root, argv);
      for (const command of commands) {
        const [, name] = command.name.split(' ');
        const added = name === undefined ? made : made.command(name);
        // Of the others, a misspelt verb needs the names.
        if (command !== meant) continue;
        const help = () => commandHelp(command, columns);
        describe(command, added, help, (found) => {
          invocation = found;
        });
      }
    }
    for (const topic of asksForHelp ? topics : []) {
      const made = root.command(topic.name);
      if (topic.name !== typed) continue;
      misspelt = false;
      const page = await topic.load();
      made.configureHelp({ formatHelp: () => pageText(page, columns) });
    }
    if (typed === undefined && (asksForHelp || unknown.length === 0)) root.outputHelp();
    // Checked here, because commander shows help in place of an error for an unknown word.
    else await root.parseAsync(misspelt ? words : asksForHelp ? [...words, '--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A noun without a verb shows its help.
    if (error.code === 'commander.help') return { kind: 'shown', text: verbs() };
    if (error.exitCode !== 0) throw usageError(error, about);
  }
  return invocation ? { kind: 'run', invocation } : { kind: 'shown', text: shown.join('') };
}

/** The words that are neither an option nor an option's value, up to the first option that is not a global one; and the rest. */
function typedWords(root: Commander, argv: readonly string[]): { operands: string[]; unknown: string[] } {
  const scratch = new Commander().exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of root.options) scratch.addOption(new Option(option.flags));
  return scratch.parseOptions([...argv]);
}

/** Throws `usage` where an option stands in the place of another one's value, as in `--name --dry-run`, and where one has a value that takes none. */
function refuseMisplacedValues(command: Command, root: Commander, argv: readonly string[]) {
  const flags = Object.entries(command.flags ?? {});
  const terms = [...root.options.map((option) => option.flags), ...flags.map(([key, flag]) => flagTerm(key, flag))];
  terms.push(...bodyOptionsOf(command).map((option) => option.flags));
  const options = new Map(terms.flatMap((term) => spellings(term).map((spelling) => [spelling, term.includes('<')] as const)));
  for (const [index, word] of argv.entries()) {
    if (word === '--') return;
    const next = argv[index + 1] ?? '';
    const [, name = ''] = /^(--[^=]+)=/.exec(word) ?? [];
    if (options.get(name) === false) throw takesNoValue(name, options);
    if (!options.get(word) || !next.startsWith('--') || !options.has(next.replace(/=.*/, ''))) continue;
    throw new CliError('usage', sentence`${word} needs a value, but ${next} is an option.`, {
      hint: sentence`If it is meant to be the value, write ${word}=${next}`,
    });
  }
}

function takesNoValue(name: string, options: ReadonlyMap<string, boolean>): CliError {
  const opposite = name.startsWith('--no-') ? name.replace('--no-', '--') : name.replace('--', '--no-');
  return new CliError('usage', sentence`${name} takes no value.`, {
    hint: sentence`Write ${name}${options.has(opposite) ? ` or ${opposite}` : ' alone'}.`,
  });
}

/** The ways to type an option: `-o, --output <format>`, `--[no-]put`. */
function spellings(term: string): string[] {
  const names = term.replace(/ <.*/, '').split(', ');
  return names.flatMap((name) => (name.includes('[no-]') ? [name.replace('[no-]', ''), name.replace('[no-]', 'no-')] : [name]));
}

/** What may be typed behind a command, and what becomes of it. */
function describe(command: Command, made: Commander, help: () => string, found: (invocation: Invocation) => void) {
  for (const [name, argument] of Object.entries(command.args ?? {})) {
    const label = `${name}${argument.variadic || argument.joined ? '...' : ''}`;
    // All optional for commander: missing values are prompted for, or rejected, after everything else is valid.
    made.argument(`[${label}]`);
  }
  for (const [key, flag] of Object.entries(command.flags ?? {})) addFlag(made, key, flag);
  for (const { flags, repeats } of bodyOptionsOf(command)) made.addOption(repeats ? repeated(flags) : optionFor(flags));
  made.configureHelp({ formatHelp: help });
  made.action(() => {
    const names = Object.keys(command.args ?? {});
    const { field, rawField, body, ...flags } = made.opts();
    found({
      command,
      args: Object.fromEntries(names.map((name, index) => [name, made.processedArgs[index]])),
      flags,
      raw: { typed: field ?? [], text: rawField ?? [], ...(body === undefined ? {} : { body }) },
      globals: globalsOf(made.optsWithGlobals()),
    });
  });
}

function addFlag(made: Commander, key: string, flag: Flag) {
  if (flag.type === 'boolean') {
    const name = flagName(key);
    made.addOption(new Option(name));
    if (flag.negatable) refuseBoth(made, name, name.replace('--', '--no-'));
    return;
  }
  const term = flagTerm(key, flag);
  made.addOption(flag.type === 'texts' ? repeated(term) : optionFor(term, flag.type === 'text' ? flag.choices : undefined));
}

/** Adds the negation of a flag. Both together are refused; commander would silently use the last. */
function refuseBoth(made: Commander, flag: string, negation: string) {
  made.addOption(new Option(negation));
  const given = new Set<string>();
  for (const each of [flag, negation]) {
    made.on(`option:${each.slice('--'.length)}`, () => {
      given.add(each);
      if (given.size < 2) return;
      throw new CliError('usage', sentence`${flag} and ${negation} contradict each other.`, { hint: 'Give one of them.' });
    });
  }
}

/** An option with one value. A second value is refused; commander would silently use the last. */
function optionFor(flags: string, choices?: readonly string[]): Option {
  const option = new Option(flags);
  // Without a value there is nothing to parse, and nothing to contradict.
  if (!option.required) return option;
  const name = option.long ?? flags;
  const check = choices ? oneOf(name, choices) : (value: string) => value;
  return option.argParser((value: string, before: string | undefined) => {
    if (before === undefined) return check(value);
    throw new CliError('usage', sentence`${name} is given twice, but takes one value.`, { hint: 'Give it once.' });
  });
}

function repeated(flags: string): Option {
  return new Option(flags).argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
}

/** The message of commander without the rejected values: one may be a secret. */
function withoutValues(message: string): string {
  return message.replace(/(unknown option '[^'=]*)=.*'/s, "$1'").replace(/( but got \d+): .*/s, '$1');
}

/** Behind `auth`, an unknown word is more likely a token than a command. */
function unknown(message: string, about: string): string {
  return capitalised(about === 'auth' ? message.replace(/^(unknown command).*/is, '$1') : withoutValues(message));
}

function usageError(error: CommanderError, about: string): CliError {
  if (error.code === 'commander.excessArguments' && about === 'auth login') {
    return new CliError('usage', 'The token cannot be given as an argument: others can see command lines.', {
      hint: 'Type it at the question, or pass it on stdin: proctor-cli auth login --with-token < FILE',
    });
  }
  const see = sentence`See: proctor-cli ${about && `${about} `}--help`;
  const [message = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replace(/[()]/g, '').trim();
  const problem = suggestion === '' ? unknown(message, about) : capitalised(withoutValues(message));
  return new CliError('usage', /[.!?]$/.test(problem) ? sentence`${problem}` : sentence`${problem}.`, {
    hint: suggestion ? sentence`${suggestion} ${see}` : see,
  });
}
