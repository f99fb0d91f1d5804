/** The options of a command, and those of all commands, as commander has them. */
import { type Argument, type Command as Commander, Option } from 'commander';
import type { Command, Flag, Globals, NumberFlag, Offered } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { lengthIn } from '../../model/duration.ts';
import { ruleAgainst } from '../../model/fields.ts';
import { noChoice } from '../../model/nearest.ts';
import { flagName } from '../../model/shell-quote.ts';
import { endings, formats } from '../../output/formats.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** What commander would accept: an option as the value of another one, and both `--x` and `--no-x`. */
export function refuseMixUps(to: Commander, known: readonly Option[]) {
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
    const isRefused = isForBody && field !== undefined && ruleAgainst(writes.resource, writes.writing, field) !== undefined;
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
    if (text.trim() === '') throw usage(sentence`${name} is empty.`, sentence`Give a value, or leave out ${name}.`);
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
  if (name === '--output' && endings.includes(`.${text}`)) throw usage(message, sentence`Write a file: --to FILE.${text}`);
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
