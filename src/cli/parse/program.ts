/**
 * commander, built from the table of commands. Only the commands that the line may mean are loaded; parser, help and completion read the same
 * options; what commander finds wrong is a `usage` error without the value.
 */
import { type Argument, Command as Commander, CommanderError, Option } from 'commander';
import type { Command, Completes, Flag, Globals } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { CliError } from '../../errors.ts';
import { lengthIn } from '../../model/duration.ts';
import { refusal } from '../../model/fields.ts';
import { noChoice } from '../../model/nearest.ts';
import { flagName } from '../../model/shell-quote.ts';
import { formats } from '../../output/view.ts';
import { sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';

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
  const pages = () => import('../help/pages.ts');
  const page = asksForHelp && words[0] && (await pages()).topicOf(words[0]);
  if (page) return { kind: 'shown', text: page(width) };
  // What is no noun is refused, as without "help".
  const isHelp = asksForHelp && (words.length === 0 || nouns.some(({ name }) => name === words[0]));
  const found: Invocation[] = [];
  const shown: string[] = [];
  const root = await programFor(words, { found: (one) => found.push(one), width });
  let helped = root;
  const all = (command: Commander): Commander[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(root)) {
    command.configureOutput({ writeOut: (text) => shown.push(text), writeErr: (text) => shown.push(text) });
    command.exitOverride((error) => {
      helped = command;
      throw error;
    });
  }
  try {
    await root.parseAsync(isHelp ? [...words, '--help'] : words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0 && error.code !== 'commander.help') throw (await import('../run/failures.ts')).usageError(error, helped);
    if (helped === root && error.code !== 'commander.version') return { kind: 'shown', text: (await pages()).firstPage };
  }
  const [invocation] = found;
  return invocation ? { kind: 'run', invocation } : { kind: 'shown', text: shown.join('') };
}

export const records = new WeakMap<Commander, Command>();

/** `found` is called with what was typed. `width`: that of the help, in columns. */
type Made = { found?: (invocation: Invocation) => unknown; width?: number };

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
    for (const command of await load(words[words.indexOf(name) + 1])) {
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
  const names = new Set(['--help', '-h', ...known.flatMap(({ long, short }) => [long, short])]);
  const given = new Map<string, string>();
  for (const option of to.options)
    to.on(`option:${option.name()}`, (value?: string | null) => {
      const [key, name] = [option.attributeName(), option.long ?? option.flags];
      const before = given.get(key) ?? name;
      given.set(key, name);
      if (before !== name)
        throw new CliError('usage', sentence`${before} and ${name} contradict each other.`, { hint: 'Give one of them.' });
      if (typeof value === 'string' && names.has(value.replace(/=.*/s, '')))
        throw new CliError('usage', sentence`${name} needs a value, but an option follows it.`, {
          hint: sentence`If it is meant to be the value, write ${name}=${value}`,
        });
    });
}

type Offered = Completes | readonly string[] | undefined;

/** What completion offers as the value of an option or an argument: a kind of candidate, or words. */
export const offers = new WeakMap<Option | Argument, NonNullable<Offered>>();

const globalOptions: readonly { flags: string; does: string; choices?: readonly string[]; complete?: Completes }[] = [
  { flags: '-o, --output <format>', does: 'output format', choices: formats },
  { flags: '--columns <fields>', does: 'fields to print, separated by commas; "help" lists them', complete: 'columns' },
  { flags: '--profile <name>', does: 'profile to use; "sandbox" is the embedded service', complete: 'profiles' },
  { flags: '--base-url <url>', does: "address of the service, instead of the profile's" },
  { flags: '--yes', does: 'answer yes to every question' },
  { flags: '--no-input', does: 'never prompt; fail if an answer is required' },
  { flags: '--during-exam <reason>', does: 'act on a running exam; the reason is recorded' },
  { flags: '--dry-run', does: 'show what would be sent; only reads are made' },
  { flags: '-q, --quiet', does: 'print only data and errors' },
  { flags: '--debug', does: 'show requests and answers on stderr, without secrets' },
  { flags: '--timeout <duration>', does: 'limit for one request, such as 30s or 2m' },
  { flags: '--timezone <zone>', does: 'time zone of local times, such as Europe/Vienna', complete: 'zones' },
  { flags: '--no-color', does: 'print without colours' },
  { flags: '--plain', does: 'for screen readers: words instead of bars and symbols' },
  { flags: '--show-secrets', does: 'print secrets in answers unmasked' },
];

/** The options that every command takes, before or after it. */
export function optionsOfAll(): Option[] {
  return globalOptions.map(({ flags, does, choices, complete }) => optionFor(flags, does, { choices, complete }));
}

/** Those of them that have no effect in a command. */
export function withoutEffect({ effect, takes }: Pick<Command, 'effect' | 'takes'>): string[] {
  return [...(effect === 'local' || effect === 'read' ? ['--dry-run'] : []), ...(takes ? [] : ['--during-exam'])];
}

export function globalsOf({ input = true, color = true, ...given }: Record<string, unknown>): Globals {
  const untyped = { yes: false, dryRun: false, quiet: false, debug: false, plain: false, showSecrets: false };
  return { ...untyped, ...given, noInput: !input, noColor: !color } as Globals;
}

/** Flags for fields without a flag of their own, in commands that write. */
const bodyOptions = [
  {
    flags: '-F, --field <key=value>',
    does: 'any other field; true, false, null and numbers are sent as such; key=@file reads a file',
    repeats: true,
  },
  { flags: '-f, --raw-field <key=value>', does: 'any other field, always as text', repeats: true },
  { flags: '--body <file>', does: 'a JSON object with the fields, from a file or - for stdin', repeats: false },
] as const;

const groups = ['Options:', 'Times (proctor-cli help times):', 'Fields:', 'Rarely needed:'] as const;
type Group = (typeof groups)[number];

/** All options of a command. A flag for a field that the operation cannot set is hidden: it is accepted only to be refused by name. */
export function optionsOf({ flags = {}, writes }: Pick<Command, 'flags' | 'writes'>): Option[] {
  const fails = ({ field }: Flag) =>
    typeof writes === 'object' && field !== undefined && refusal(writes.resource, writes.writing, field) !== undefined;
  const own = Object.entries(flags).flatMap(([key, flag]) =>
    optionsFor(flagName(key), flag).map((option) => option.hideHelp(option.hidden || fails(flag)).helpGroup(groupOf(flag))),
  );
  const onlyTyped = writes === 'constants' || (typeof writes === 'object' && writes.adds);
  const raw = writes === undefined ? [] : bodyOptions.slice(0, onlyTyped ? 1 : undefined);
  const ofBody = raw.map(({ flags: term, does, repeats }) =>
    optionFor(term, does, { repeats, complete: repeats ? undefined : 'files' }).helpGroup('Fields:'),
  );
  const place = ({ helpGroupHeading }: Option) => groups.indexOf(helpGroupHeading as Group);
  return [...own, ...ofBody].sort((a, b) => place(a) - place(b));
}

function groupOf({ rare, field, type }: Flag): Group {
  if (rare) return 'Rarely needed:';
  if (type === 'time') return 'Times (proctor-cli help times):';
  return field === undefined ? 'Options:' : 'Fields:';
}

function optionsFor(name: string, flag: Flag): Option[] {
  if (flag.type === 'time') return [optionFor(`${name} <time>`, flag.description, {})];
  if (flag.type !== 'boolean') {
    const { value, description, choices, suggests, complete = suggests, type } = flag;
    const read = type === 'number' || type === 'duration' ? (text: string) => numberIn(text, name, flag) : 'read' in flag && flag.read;
    return [optionFor(`${name} <${value}>`, description, { choices, repeats: type === 'texts', complete, read })];
  }
  const opposite = name.replace('--', '--no-');
  if (flag.negatable === 'only') return [new Option(opposite, flag.description)];
  const option = new Option(name, flag.description);
  if (!flag.negatable) return [option];
  negatable.add(option);
  return [option, new Option(opposite, `the opposite of ${name}`).hideHelp()];
}

const negatable = new WeakSet<Option>();

/** An option as the help has it, with its opposite: `--[no-]save-recording`. */
export function termOf(option: Option): string {
  return negatable.has(option) ? option.flags.replace('--', '--[no-]') : option.flags;
}

/** Whether completion offers an option: the opposite of another one, too. */
export function isOffered({ hidden, negate }: Option): boolean {
  return !hidden || negate;
}

type Taken = {
  choices?: readonly string[] | undefined;
  repeats?: boolean;
  complete?: Offered;
  read?: false | ((text: string) => unknown) | undefined;
};

/** An option with one value is refused when given twice; commander would silently use the last. */
function optionFor(flags: string, does: string, { choices, repeats = false, complete = choices, read }: Taken): Option {
  const option = new Option(flags, does);
  if (choices) option.choices(choices);
  if (complete) offers.set(option, complete);
  if (!option.required) return option;
  const { long: name = flags } = option;
  return option.argParser((text: string, before: unknown) => {
    if (repeats) return [before ?? [], text].flat();
    if (before !== undefined)
      throw new CliError('usage', sentence`${name} is given twice, but takes one value.`, { hint: 'Give it once.' });
    if (choices) return oneOf(name, choices, text);
    return read ? read(text) : text;
  });
}

/** A value that is one of a few words; the hint for any other names the closest one, or an example. Throws `usage`. */
export function oneOf(name: string, choices: readonly string[], text: string): string {
  if (choices.includes(text)) return text;
  const { message, hint } = noChoice(name, text, choices);
  throw new CliError('usage', message, { hint: hint ?? sentence`For example: ${name.startsWith('-') ? `${name} ` : ''}${choices[0]}` });
}

/** The value of a flag for a whole number, or for a duration in milliseconds. Throws `usage`. */
function numberIn(text: string, name: string, { type, least, most }: Extract<Flag, { least: number }>): number {
  const isDuration = type === 'duration';
  const value = isDuration ? lengthIn(text) : /^\d+$/.test(text) ? Number(text) : undefined;
  if (value !== undefined && value >= least && value <= most) return value;
  const range = isDuration ? `duration from ${least / 1000}s to ${most / 3_600_000}h` : `whole number from ${least} to ${most}`;
  throw new CliError('usage', sentence`${name} takes a ${range}.`, {
    hint: sentence`For example: ${name} ${isDuration ? '10m' : least}`,
  });
}
