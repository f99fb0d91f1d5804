/** The options of a command and those of every command, as commander takes them: parser, help and completion read the same objects. */
import { type Argument, Option } from 'commander';
import type { Command, Completes, Flag, Globals } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { parseDuration } from '../../model/duration.ts';
import { refusal } from '../../model/fields.ts';
import { noChoice } from '../../model/nearest.ts';
import { flagName } from '../../model/shell-quote.ts';
import { formats } from '../../output/view.ts';
import { sentence } from '../../text/sentence.ts';

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

/** The values of the options of every command, as commander has parsed them. */
export function globalsOf({ input, color, ...given }: Record<string, unknown>): Globals {
  const { output, columns, profile, baseUrl, timeout, timezone, duringExam } = given;
  const texts = Object.entries({ output, columns, profile, baseUrl, timeout, timezone, duringExam }).filter(
    ([, text]) => text !== undefined,
  );
  const { yes = false, dryRun = false, quiet = false, debug = false, plain = false, showSecrets = false } = given;
  const are = { yes, dryRun, quiet, debug, plain, showSecrets, noInput: input === false, noColor: color === false };
  return { ...Object.fromEntries(texts), ...are } as Globals;
}

/** Flags for fields without a flag of their own, in commands that write. */
export const bodyOptions = [
  {
    flags: '-F, --field <key=value>',
    does: 'any other field; true, false, null and numbers are sent as such; key=@file reads a file',
    complete: 'fields',
  },
  { flags: '-f, --raw-field <key=value>', does: 'any other field, always as text', complete: 'fields' },
  { flags: '--body <file>', does: 'a JSON object with the fields, from a file or - for stdin', complete: 'files' },
] as const;

/** All options of a command. A flag for a field that the operation cannot set is hidden: it is accepted only to be refused by name. */
export function optionsOf({ flags = {}, writes }: Pick<Command, 'flags' | 'writes'>): Option[] {
  const fails = ({ field }: Flag) =>
    typeof writes === 'object' && field !== undefined && refusal(writes.resource, writes.writing, field) !== undefined;
  const inOrder = Object.entries(flags).sort(([, a], [, b]) => groups.indexOf(groupOf(a)) - groups.indexOf(groupOf(b)));
  const own = inOrder.flatMap(([key, flag]) =>
    optionsFor(flagName(key), flag).map((option) => option.hideHelp(option.hidden || fails(flag)).helpGroup(groupOf(flag))),
  );
  const onlyTyped = writes === 'constants' || (typeof writes === 'object' && writes.adds);
  const raw = writes === undefined ? [] : onlyTyped ? bodyOptions.slice(0, 1) : bodyOptions;
  const ofBody = raw.map(({ flags: term, does, complete }) => optionFor(term, does, { repeats: complete === 'fields', complete }));
  const rare = own.findIndex(({ helpGroupHeading }) => helpGroupHeading === groups.at(-1));
  return own.toSpliced(rare < 0 ? own.length : rare, 0, ...ofBody.map((option) => option.helpGroup('Fields:')));
}

/** In the order of the help. */
const groups = ['Options:', 'Times (proctor-cli help times):', 'Fields:', 'Rarely needed:'] as const;

function groupOf({ rare, field, type }: Flag): (typeof groups)[number] {
  if (rare) return 'Rarely needed:';
  if (type === 'time') return 'Times (proctor-cli help times):';
  return field === undefined ? 'Options:' : 'Fields:';
}

function optionsFor(name: string, flag: Flag): Option[] {
  if (flag.type === 'time') return [optionFor(`${name} <time>`, flag.description)];
  if (flag.type !== 'boolean') {
    const { value, description, choices, suggests, complete = suggests, type } = flag;
    const read =
      type === 'number' || type === 'duration' ? (text: string) => numberIn(text, name, flag) : 'read' in flag ? flag.read : undefined;
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
  read?: ((text: string) => unknown) | undefined;
};

/** An option with one value is refused when given twice; commander would silently use the last. */
function optionFor(
  flags: string,
  does: string,
  { choices, repeats = false, complete = choices, read = (text) => text }: Taken = {},
): Option {
  const option = new Option(flags, does);
  if (choices) option.choices(choices);
  if (complete) offers.set(option, complete);
  if (!option.required) return option;
  const { long: name = flags } = option;
  return option.argParser((text: string, before: unknown) => {
    if (repeats) return [before ?? [], text].flat();
    if (before !== undefined)
      throw new CliError('usage', sentence`${name} is given twice, but takes one value.`, { hint: 'Give it once.' });
    return read(choices ? oneOf(name, choices, text) : text);
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
  const value = type === 'duration' ? millisecondsIn(text) : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const [what, from, to] =
    type === 'duration' ? ['duration', `${least / 1000}s`, `${most / 3_600_000}h`] : ['whole number', String(least), String(most)];
  throw new CliError('usage', sentence`${name} takes a ${what} from ${from} to ${to}.`, {
    hint: sentence`For example: ${name} ${type === 'duration' ? '10m' : from}`,
  });
}

function millisecondsIn(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    return Number.NaN;
  }
}
