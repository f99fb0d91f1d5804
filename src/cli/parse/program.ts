/** commander, built from the table of commands: only those that the line may mean are loaded. */
import { type Argument, Command as Commander, CommanderError, Option } from 'commander';
import type { Command, Flag, Globals, NumberFlag, Offered } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { CliError } from '../../errors.ts';
import { lengthIn } from '../../model/duration.ts';
import { refusal } from '../../model/fields.ts';
import { noChoice } from '../../model/nearest.ts';
import { flagName } from '../../model/shell-quote.ts';
import { endings, formats } from '../../output/formats.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';

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
  // What is no noun is refused, as without "help".
  const isHelp = asksForHelp && (!first || nouns.some(({ name }) => name === first));
  const isWhole = !nouns.some(({ name }) => words.includes(name));
  return parsedWords(words, { typed: isHelp ? [...words, '--help'] : words, width, isWhole });
}

/** Help, and what is wrong with a line, are told by the whole program; any other line needs its own command only. */
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
const nothingParsed: Made = { found() {}, width: 80, isWhole: true };

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
      if (before !== name) throw usage(sentence`${before} and ${name} contradict each other.`, sentence`Give one of them.`);
      if (typeof value === 'string' && names.has(value.replace(/=.*/s, '')))
        throw usage(
          sentence`${name} needs a value, but an option follows it.`,
          sentence`If it is meant to be the value, write ${name}=${value}`,
        );
    });
}

/** What completion offers as the value of an option or an argument. */
export const offers = new WeakMap<Option | Argument, Offered>();

/** The options that every command takes, before or after it. */
export function optionsOfAll(): Option[] {
  return [
    optionFor('-o, --output <format>', 'output format', { choices: formats }),
    optionFor('--to <file>', sentence`write the result into a file instead: ${endings.join(', ')}`, { complete: 'files' }),
    optionFor('--force', 'let --to, and --html, replace an existing file'),
    optionFor('--columns <fields>', 'fields to print, separated by commas; "help" lists them', { complete: 'columns' }),
    optionFor('--profile <name>', 'profile to use; "sandbox" is the embedded service', { complete: 'profiles' }),
    optionFor('--base-url <url>', "address of the service, instead of the profile's"),
    optionFor('--yes', 'answer yes to every question'),
    optionFor('--no-input', 'never prompt; fail if an answer is required'),
    optionFor('--during-exam <reason>', 'act on a running exam; the reason is recorded'),
    optionFor('--dry-run', 'show what would be sent; only reads are made'),
    optionFor('-q, --quiet', 'print only data and errors'),
    optionFor('--debug', 'show requests and answers on stderr, without secrets'),
    optionFor('--timeout <duration>', 'limit for one request, such as 30s or 2m'),
    optionFor('--timezone <zone>', 'time zone of local times, such as Europe/Vienna', { complete: 'zones' }),
    optionFor('--no-color', 'print without colours'),
    optionFor('--plain', 'for screen readers: words instead of bars and symbols'),
    optionFor('--show-secrets', 'print secrets in answers unmasked'),
  ];
}

export function withoutEffect(command: Pick<Command, 'effect' | 'takes' | 'yields' | 'flags'>): string[] {
  const { effect, takes, yields = effect === 'read' || command.flags?.check !== undefined } = command;
  return [
    ...(effect === 'local' || effect === 'read' ? ['--dry-run'] : []),
    ...(takes ? [] : ['--during-exam']),
    ...(yields ? [] : ['--to', '--force']),
  ];
}

export function globalsOf({ input = true, color = true, ...given }: Record<string, unknown>): Globals {
  const untyped = { force: false, yes: false, dryRun: false, quiet: false, debug: false, plain: false, showSecrets: false };
  return { ...untyped, ...given, noInput: !input, noColor: !color } as Globals;
}

const bodyOptions = () => [
  optionFor('-F, --field <key=value>', 'any field; true, false, null and numbers are sent as such; key=@file sends the text of a file', {
    repeats: true,
  }),
  optionFor('-f, --raw-field <key=value>', 'any field, always as text', { repeats: true }),
  optionFor('--body <file>', 'a JSON object with the fields, from a file or - for stdin', { complete: 'files' }),
];

const optionGroups = ['Options:', 'Times (proctor-cli help times):', 'Fields:', 'Rarely needed:'] as const;
type OptionGroup = (typeof optionGroups)[number];

/** A flag for a field that the operation cannot set is hidden: it is accepted only to be refused by name. */
export function commandOptions({ flags = {}, writes }: Pick<Command, 'flags' | 'writes'>): Option[] {
  const isForBody = typeof writes === 'object';
  const options: Option[] = [];
  for (const [key, flag] of Object.entries(flags)) {
    const { field } = flag;
    const isRefused = isForBody && field !== undefined && refusal(writes.resource, writes.writing, field) !== undefined;
    for (const option of optionsFor(flagName(key), flag))
      options.push(option.hideHelp(option.hidden || isRefused).helpGroup(groupOf(flag)));
  }
  const hasOnlyField = writes === 'constants' || (isForBody && writes.adds);
  const ofBody = writes === undefined ? [] : bodyOptions().slice(0, hasOnlyField ? 1 : undefined);
  for (const option of ofBody) options.push(option.helpGroup('Fields:'));
  const place = ({ helpGroupHeading }: Option) => optionGroups.indexOf(helpGroupHeading as OptionGroup);
  return options.sort((a, b) => place(a) - place(b));
}

function groupOf({ rare, field, type }: Flag): OptionGroup {
  if (rare) return 'Rarely needed:';
  if (type === 'time') return 'Times (proctor-cli help times):';
  return field === undefined ? 'Options:' : 'Fields:';
}

function optionsFor(name: string, flag: Flag): Option[] {
  if (flag.type === 'time') return [optionFor(`${name} <time>`, flag.description)];
  if (flag.type !== 'boolean') {
    const { value, description, choices, complete } = flag;
    const repeats = flag.type === 'texts';
    const read = 'least' in flag ? (text: string) => numberFlag(text, name, flag) : undefined;
    return [optionFor(`${name} <${value}>`, description, { choices, repeats, complete, read })];
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

/** Completion offers the opposite of another option, too. */
export function isOffered({ hidden, negate }: Option): boolean {
  return !hidden || negate;
}

type Taken = {
  choices?: readonly string[] | undefined;
  repeats?: boolean;
  complete?: Offered | undefined;
  read?: ((text: string) => unknown) | undefined;
};

/** An option with one value is refused when given twice; commander would silently use the last. */
function optionFor(flags: string, does: string, taken: Taken = {}): Option {
  const { choices, repeats = false, complete = choices, read } = taken;
  const option = new Option(flags, does);
  if (choices) option.choices(choices);
  if (complete) offers.set(option, complete);
  if (!option.required) return option;
  const { long: name = flags } = option;
  return option.argParser((text: string, before: unknown) => {
    if (repeats) return [before ?? [], text].flat();
    if (before !== undefined) throw usage(sentence`${name} is given twice, but takes one value.`, sentence`Give it once.`);
    if (choices) return oneOf(name, choices, text);
    return read ? read(text) : text;
  });
}

/** The text, if it is one of a few words. Throws `usage`. */
export function oneOf(name: string, choices: readonly string[], text: string): string {
  if (choices.includes(text)) return text;
  const option = name.startsWith('-') ? `${name} ` : '';
  const several = text.split(',').map((each) => each.trim());
  if (several.every((each) => choices.includes(each)))
    throw usage(sentence`${name} takes one value.`, sentence`Run the command once for each: ${option}${several.join(`, then ${option}`)}`);
  const { message, hint } = noChoice(name, text, choices);
  throw usage(message, hint ?? sentence`For example: ${option}${choices[0]}`);
}

/** Throws `usage`. */
function numberFlag(text: string, name: string, { type, least, most }: NumberFlag): number {
  const isDuration = type === 'duration';
  const number = /^\d+$/.test(text) ? Number(text) : undefined;
  const value = isDuration ? lengthIn(text) : number;
  if (value !== undefined && value >= least && value <= most) return value;
  const range = isDuration ? `duration from ${least / 1000}s to ${most / 3_600_000}h` : `whole number from ${least} to ${most}`;
  throw usage(sentence`${name} takes a ${range}.`, sentence`For example: ${name} ${isDuration ? '10m' : least}`);
}

function usage(message: Sentence, hint: Sentence): CliError {
  return new CliError('usage', message, { hint });
}
