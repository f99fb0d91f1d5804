/**
 * From a parsed line to the values that a command's record types. Given values are checked first; then
 * missing ones are asked for or, without a terminal, named in an error. And back in words: as runs record the line
 * (flags, IDs and times, nothing of a person), or to be pasted.
 */
import { basename } from 'node:path';
import { dialectName } from '../../api/dialect.ts';
import type { Argument, Body, Command, Flag, Globals } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { flagName, shellQuoted, typedCommand, typedOption } from '../../model/shell-quote.ts';
import { formatTime } from '../../model/time.ts';
import { quote, type Sentence, sentence } from '../../text/sentence.ts';
import type { RunContext } from '../run/context.ts';
import type { GivenFields, ParsedInput } from './body-fields.ts';
import type { Invocation } from './program.ts';

type GivenValues = Record<string, unknown>;

/** The answers to questions are added to its values, its fields and its body. */
export type ParsedLine = ParsedInput &
  Body & {
    /** Keys of arguments and flags, in the order in which they are asked for. */
    missing: readonly string[];
  };

/** Throws `usage` or `invalid_input`. */
export async function parseLine({ command, args, flags, raw }: Invocation, context: RunContext): Promise<ParsedLine> {
  const values: GivenValues = { ...flags };
  for (const [name, given] of Object.entries(args)) values[name] = Array.isArray(given) ? await withStdin(given, context) : given;
  const typedTimes: Record<string, string> = {};
  for (const [key, flag] of Object.entries(command.flags ?? {})) {
    const given = flags[key];
    if (flag.type !== 'time' || typeof given !== 'string') continue;
    typedTimes[flag.field ?? key] = given;
    const { countsFromStart } = await import('../../model/typed-time.ts');
    if (!flag.after || !countsFromStart(given)) values[key] = await context.time(given, flag.day);
  }
  await toIds(command, values, context);
  const ofBody = command.writes && (await import('./body-fields.ts'));
  const fields: GivenFields = (await ofBody?.givenFields(command, values, raw, context)) ?? new Map();
  refuseWrongCompany(command, values, context.globals);
  const missing = missingOf(command, values, fields, context);
  if (missing.length > 0 && context.globals.noInput) throw isMissing(command, missing, context);
  // An error that no answer can correct is raised before any prompt.
  const isWhole = !missing.some((key) => command.flags?.[key]?.field);
  return { command, values, fields, body: (isWhole && ofBody?.requestBody(command, fields, context)) || {}, missing, typedTimes };
}

/**
 * Looks up exams that are given by name; to be deleted they need their ID. Sessions are given by their IDs alone: an
 * address may have several. Throws `invalid_input`.
 */
export async function toIds({ args, flags, effect }: Command, values: GivenValues, context: RunContext): Promise<void> {
  const idOf = async (given: string) => {
    if (/^\d+$/.test(given)) return given;
    const { examIdOf } = await import('../../features/exam-selection.ts');
    return examIdOf(await context.client(), given, context.zone());
  };
  for (const [key, taken] of Object.entries({ ...args, ...flags })) {
    const given = values[key];
    if (given === undefined || !('complete' in taken)) continue;
    const all = [given].flat() as string[];
    if (taken.complete === 'sessions') refuseAddress(all);
    if (taken.complete !== 'exams') continue;
    const ids = await Promise.all(all.map(idOf));
    if (effect === 'destroy') refuseName(all, ids);
    values[key] = Array.isArray(given) ? ids : ids[0];
  }
}

function refuseAddress(ids: readonly string[]) {
  const address = ids.find((each) => /[@\s]/.test(each));
  if (address === undefined) return;
  throw new CliError('invalid_input', sentence`${address} is not the ID of a session.`, {
    hint: sentence`Nothing was sent. Find the ID with: proctor-cli ${typedCommand('sessions find', [address])}`,
  });
}

/** A name may be that of another exam tomorrow. */
function refuseName(given: readonly string[], ids: readonly string[]) {
  const at = given.findIndex((each, index) => each !== ids[index]);
  if (at < 0) return;
  throw new CliError('not_found', sentence`exams delete takes IDs, no names. Exam ${ids[at]} is called ${quote(given[at] ?? '')}.`, {
    hint: sentence`Nothing was sent. To delete it: proctor-cli ${typedCommand('exams delete', [ids[at] ?? ''])}`,
  });
}

function refuseWrongCompany(command: Command, values: GivenValues, { force, to }: Globals) {
  const { flags = {}, oneOf = [] } = command;
  const [first, second] = oneOf.filter((key) => values[key] !== undefined).map((key) => inputName(command, key));
  const refused = (message: Sentence, leaveOut: string) =>
    new CliError('usage', message, { hint: sentence`Leave out ${leaveOut}; see: proctor-cli ${command.name} --help` });
  if (first !== undefined && second !== undefined)
    throw refused(sentence`Give either ${first} or ${second}, not both.`, `${first} or ${second}`);
  const alone = Object.entries(flags).flatMap(([key, { unless }]) => (values[key] !== undefined && unless?.(values) ? flagName(key) : []));
  if (force && (to ?? values.html) === undefined) alone.push('--force');
  if (alone[0] !== undefined) throw refused(sentence`${alone[0]} does not belong to the rest of the line.`, alone[0]);
}

function missingOf(command: Command, values: GivenValues, fields: GivenFields, context: RunContext) {
  const { args = {}, flags = {}, needs = [], oneOf = [], anyOf = [] } = command;
  const isMissing = (key: string) => values[key] === undefined;
  const needed = needs.filter((key) => {
    const { field, unless } = flags[key] ?? {};
    if (!isMissing(key) || unless?.(values)) return false;
    return field === undefined || !fields.has(dialectName(field, context.settings().dialect));
  });
  const groups = [anyOf, oneOf].filter((keys) => keys.every(isMissing));
  const operands = Object.keys(args).filter((name) => !args[name]?.optional && isMissing(name));
  return [...groups.flatMap((keys) => keys.slice(0, 1)), ...operands, ...needed];
}

function isMissing(command: Command, missing: readonly string[], { host }: RunContext): CliError {
  const { args = {}, flags = {}, oneOf = [], anyOf = [] } = command;
  const ways = missing.map((key) => [oneOf, anyOf].find((keys) => keys.includes(key)) ?? [key]);
  const names = ways.map((keys) => keys.map((key) => inputName(command, key)).join(' or '));
  const operands = missing.flatMap((key) => (args[key] ? [args[key].choices?.[0] ?? key.toUpperCase()] : []));
  const options = missing.flatMap((key) => {
    const flag = flags[key];
    if (!flag || flag.type === 'boolean') return [];
    const value = flag.type === 'time' ? 'TIME' : (flag.choices?.[0] ?? flag.value.toUpperCase());
    return [flagName(key), value];
  });
  return new CliError('usage', sentence`Missing: ${names.join(', ')}.`, {
    hint: sentence`Write: ${typedLine(host.argv, options, operands)}; see: proctor-cli ${command.name} --help`,
  });
}

export function inputName(command: Command, key: string): string {
  return command.args?.[key] ? key : flagName(key);
}

/** The values of an argument, each once; `-` stands for the lines of stdin. Undefined if there are none. */
async function withStdin(given: readonly string[], context: RunContext): Promise<string[] | undefined> {
  if (given.length === 0) return undefined;
  if (!given.includes('-')) return [...new Set(given)];
  if (context.host.stdin.isTTY) context.say('Reading from the terminal, one per line; press Ctrl-D to end.');
  const lines = (await context.read('-')).split(/\r?\n/).map((line) => line.trim());
  const values = [...given.filter((value) => value !== '-'), ...lines.filter((line) => line !== '')];
  if (values.length === 0) throw new CliError('nothing_selected', 'No IDs on stdin.', { hint: 'Give one per line.' });
  return [...new Set(values)];
}

type TypedValues = Readonly<Record<string, unknown>>;

const completesIds: ReadonlySet<Argument['complete']> = new Set(['exams', 'sessions', 'runs']);
/** Placeholders of flags that take an ID or a length of time. */
const alwaysShown: ReadonlySet<string> = new Set(['id', 'duration', 'amount']);

export function recordedCommand({ command, raw }: Invocation, values: TypedValues, operands?: readonly string[]): string {
  const { flags = {} } = command;
  const options = Object.entries(flags).flatMap(([key, flag]) => {
    return [values[key] ?? []].flat().map((value) => option(key, flag, value));
  });
  if (raw.typed.length > 0) options.push('--field KEY=VALUE');
  if (raw.text.length > 0) options.push('--raw-field KEY=VALUE');
  if (raw.body !== undefined) options.push('--body FILE');
  return typedCommand(command.name, operands ?? operandsOf(command, values), ...options);
}

function operandsOf({ args = {} }: Command, values: TypedValues): string[] {
  return Object.entries(args).flatMap(([name, { complete }]) => {
    const given = [values[name] ?? []].flat().map(String);
    if (completesIds.has(complete)) return given.map((id) => idValue(id) ?? name.toUpperCase());
    // Folders and files may be named after a student: folders are not recorded, nor a file whose name has an address.
    const inFolder = (path: string) => (/^-|@/.test(basename(path)) ? name.toUpperCase() : basename(path));
    if (complete === 'files') return given.map(inFolder);
    return given.length > 0 ? [name.toUpperCase()] : [];
  });
}

function option(key: string, flag: Flag, value: unknown): string {
  const name = flagName(key);
  if (flag.type === 'boolean') return value === false ? name.replace('--', '--no-') : name;
  if (flag.type === 'time') return `${name} ${formatTime(value as number, 'iso-utc')}`;
  // A choice of the program, such as an encoding, says nothing of a person.
  const isOwn = [flag.choices ?? [], Array.isArray(flag.complete) ? flag.complete : []].flat().includes(String(value));
  const shown = isOwn || flag.plain || alwaysShown.has(flag.value) ? idValue(String(value)) : undefined;
  return shown === undefined ? `${name} ${flag.value.toUpperCase()}` : typedOption(name, shown);
}

/** An address that was typed in place of an ID is not recorded. */
function idValue(value: string): string | undefined {
  return value.includes('@') ? undefined : value;
}

/** The typed line with additional words: options before a `--`, arguments at the end. */
export function typedLine(argv: readonly string[], options: readonly string[], operands: readonly string[]): string {
  const end = argv.indexOf('--');
  const typed = argv.toSpliced(end < 0 ? argv.length : end, 0, ...options);
  const mark = end < 0 && operands.some((operand) => operand.startsWith('-')) ? ['--'] : [];
  return ['proctor-cli', ...typed, ...mark, ...operands].map(shellQuoted).join(' ');
}
