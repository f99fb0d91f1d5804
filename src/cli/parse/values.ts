/**
 * From a parsed line to the values that a command's record types. Given values are checked first; only then are missing ones asked for, or
 * named in an error without a terminal. And back to words: as runs record a line (names of flags, IDs and times; no value of a person), and
 * as a person can paste it.
 */

import { basename } from 'node:path';
import { dialectKeys } from '../../api/dialect.ts';
import type { Argument, Command, Context, Flag, TimeFlag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { canAsk } from '../../host/host.ts';
import { refusal, ruleOf } from '../../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, typedJson } from '../../model/json.ts';
import { flagName, shellQuoted, typedCommand, typedOption } from '../../model/shell-quote.ts';
import { countsFromStart, formatTime, fromStart, instantOf, showTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { RunContext } from '../run/context.ts';
import type { Invocation, RawBody } from './program.ts';

type Given = Record<string, unknown>;

/** A line as far as it is read; the answers to questions are added to its values and fields. */
export type Line = {
  command: Command;
  values: Given;
  fields: Fields;
  /** Keys of the arguments and flags that are missing, in the order in which they are asked for. */
  missing: readonly string[];
  /** As they were typed, by the fields that they set. */
  typedTimes: Readonly<Record<string, string>>;
};

/** Arguments, flags and fields. Throws `usage` or `invalid_input`. */
export async function lineOf({ command, args, flags, raw }: Invocation, context: RunContext): Promise<Line> {
  const values: Given = { ...flags };
  for (const [name, given] of Object.entries(args)) values[name] = Array.isArray(given) ? await fromStdin(given, context) : given;
  const typedTimes: Record<string, string> = {};
  const ends: [key: string, flag: TimeFlag, given: string][] = [];
  for (const [key, flag] of Object.entries(command.flags ?? {})) {
    const given = flags[key];
    if (flag.type !== 'time' || typeof given !== 'string') continue;
    typedTimes[flag.field ?? key] = given;
    const isEnd = flag.after !== undefined && countsFromStart(given);
    if (isEnd) ends.push([key, flag, given]);
    values[key] = isEnd ? undefined : context.time(given, flag);
  }
  await refuseStrayOption(command, values, context);
  await toIds(command, values, context);
  const fields = await fieldsGiven(command, values, raw, context);
  for (const [key, flag, given] of ends) {
    const start = await startFor(flag, { command, values, fields }, context);
    values[key] = context.time(start === undefined ? given : fromStart(given, start, context.settings().timeZone ?? 'UTC'));
    addField(fields, fieldOf(command, key, values[key] as Json, context));
  }
  refuseWrongCompany(command, values);
  const missing = missingOf(command, values, fields, context);
  if (missing.length > 0 && !canAsk(context.host, context.globals.noInput)) throw isMissing(command, missing, context);
  // An error that no answer can correct is raised before any prompt.
  if (!missing.some((key) => command.flags?.[key]?.field)) bodyOf(command, fields, context);
  return { command, values, fields, missing, typedTimes };
}

/** Among the IDs, the value of an option that is missing: `25%` in place of `--by 25%`. Throws `usage`. */
async function refuseStrayOption({ args = {}, flags = {}, needs = [] }: Command, values: Given, { host }: RunContext): Promise<void> {
  const operands = Object.keys(args).flatMap((key) => (values[key] ?? []) as string[]);
  for (const key of needs) {
    const flag = flags[key];
    if (values[key] !== undefined || flag?.type !== 'text' || !flag.check) continue;
    const may = operands.map(async (given) => flag.check?.(given));
    const stray = operands[(await Promise.allSettled(may)).findIndex(({ status }) => status === 'fulfilled')];
    if (stray === undefined) continue;
    const others = host.argv.filter((word) => word !== stray);
    const hint = sentence`Write: ${typedLine(others, [flagName(key), stray], [])}`;
    throw new CliError('usage', sentence`${stray} is no ID, but a value of ${flagName(key)}.`, { hint });
  }
}

/**
 * An exam may be given by its name, but not to be deleted; what is a number is its ID, and is not looked up. Sessions are given by their IDs
 * alone: an address may have several. Throws `invalid_input`.
 */
export async function toIds({ args, flags, effect }: Command, values: Record<string, unknown>, context: RunContext): Promise<void> {
  const idOf = async (given: unknown) => {
    if (typeof given !== 'string' || /^\d+$/.test(given)) return given;
    const { examIdOf } = await import('../../features/exam-selection.ts');
    return examIdOf(await context.client(), given, context.zone());
  };
  for (const [key, taken] of Object.entries({ ...args, ...flags })) {
    const given = values[key];
    if (given === undefined || !('complete' in taken)) continue;
    if (taken.complete === 'sessions') refuseAddress([given].flat() as string[]);
    if (taken.complete !== 'exams' || effect === 'destroy') continue;
    values[key] = Array.isArray(given) ? await Promise.all(given.map(idOf)) : await idOf(given);
  }
}

function refuseAddress(ids: readonly string[]): void {
  const address = ids.find((each) => /[@\s]/.test(each));
  if (address === undefined) return;
  throw new CliError('invalid_input', sentence`${address} is not the ID of a session.`, {
    hint: sentence`Nothing was sent. Find the ID with: proctor-cli ${typedCommand('sessions find', [address])}`,
  });
}

/** Throws where two exclude each other, or a flag does not belong to the rest. */
function refuseWrongCompany(command: Command, values: Given) {
  const { flags = {}, oneOf = [] } = command;
  const [first, second] = oneOf.filter((key) => values[key] !== undefined).map((key) => nameOf(command, key));
  const refused = (message: Sentence, leaveOut: string) =>
    new CliError('usage', message, { hint: sentence`Leave out ${leaveOut}; see: proctor-cli ${command.name} --help` });
  if (first !== undefined && second !== undefined)
    throw refused(sentence`Give either ${first} or ${second}, not both.`, `${first} or ${second}`);
  for (const [key, { unless }] of Object.entries(flags)) {
    if (values[key] === undefined || !unless?.(values)) continue;
    throw refused(sentence`${flagName(key)} does not belong to the rest of the line.`, flagName(key));
  }
}

/** The keys of the arguments and flags without which the command cannot be. */
function missingOf({ args = {}, flags = {}, ...command }: Command, values: Given, fields: Fields, context: RunContext): string[] {
  const { needs = [], oneOf = [], anyOf = [] } = command;
  const isMissing = (key: string) => values[key] === undefined;
  const needed = needs.filter((key) => {
    const { field, unless } = flags[key] ?? {};
    return isMissing(key) && !unless?.(values) && !(field !== undefined && fields.has(fieldName(field, context)));
  });
  const groups = [anyOf, oneOf].filter((keys) => keys.every(isMissing));
  const operands = Object.keys(args).filter((name) => !args[name]?.optional && isMissing(name));
  return [...groups.flatMap((keys) => keys.slice(0, 1)), ...operands, ...needed];
}

/** The error names what is missing, and completes the typed line with a placeholder for each. */
function isMissing(command: Command, missing: readonly string[], { host }: RunContext): CliError {
  const { args = {}, flags = {}, oneOf = [], anyOf = [] } = command;
  const ways = missing.map((key) => [oneOf, anyOf].find((keys) => keys.includes(key)) ?? [key]);
  const names = ways.map((keys) => keys.map((key) => nameOf(command, key)).join(' or '));
  const operands = missing.flatMap((key) => (args[key] ? [args[key].choices?.[0] ?? key.toUpperCase()] : []));
  const options = missing.flatMap((key) => {
    const flag = flags[key];
    return !flag || flag.type === 'boolean'
      ? []
      : [flagName(key), flag.type === 'time' ? 'TIME' : (flag.choices?.[0] ?? flag.value.toUpperCase())];
  });
  return new CliError('usage', sentence`Missing: ${names.join(', ')}.`, {
    hint: sentence`Write: ${typedLine(host.argv, options, operands)}; see: proctor-cli ${command.name} --help`,
  });
}

/** The name of an argument or a flag in messages. */
function nameOf(command: Command, key: string): string {
  return command.args?.[key] ? key : flagName(key);
}

/** The values of a variadic argument, where `-` stands for the lines of stdin; each once. Undefined for none. */
async function fromStdin(given: readonly string[], context: RunContext): Promise<string[] | undefined> {
  if (given.length === 0) return undefined;
  if (!given.includes('-')) return [...new Set(given)];
  if (context.host.stdin.isTTY) context.say('Reading from the terminal, one per line; press Ctrl-D to end.');
  const lines = (await context.read('-')).split(/\r?\n/).map((line) => line.trim());
  const values = [...given.filter((value) => value !== '-'), ...lines.filter((line) => line !== '')];
  if (values.length === 0) throw new CliError('nothing_selected', 'No IDs on stdin.', { hint: 'Give one per line.' });
  return [...new Set(values)];
}

/** The source of each field of a body, with its checked value as it is sent. */
export type Fields = Map<string, Sourced>;
type Sourced = { value: Json; by: string };
type Named = [name: string, given: Sourced];

/** The fields that a line sets. Throws if a value is invalid. */
async function fieldsGiven(command: Command, flags: Record<string, unknown>, raw: RawBody, context: Context): Promise<Fields> {
  const fields: Fields = new Map();
  const { writes } = command;
  if (!writes) return fields;
  const given: Named[] = [];
  for (const [key, flag] of Object.entries(command.flags ?? {}))
    if (flag.field !== undefined && flags[key] !== undefined)
      given.push([fieldName(flag.field, context), { value: flags[key] as Json, by: flagName(key) }]);
  for (const text of raw.typed) {
    const [key, value] = split(text, '-F');
    given.push([key, { value: value.startsWith('@') ? await context.read(value.slice(1)) : typedJson(value), by: '-F' }]);
  }
  given.push(...raw.text.map((text) => split(text, '-f')).map(([key, value]): Named => [key, { value, by: '-f' }]));
  const inBody = raw.body === undefined ? {} : await bodyFile(raw.body, context);
  given.push(...Object.entries(inBody).map(([key, value]): Named => [key, { value, by: '--body' }]));
  if (typeof writes === 'object') {
    const { refuseSuspicion } = await import('../../api/raw-request.ts');
    refuseSuspicion(Object.fromEntries(given.map(([key, { value }]) => [key, value])));
  }
  for (const [key, each] of given) addField(fields, [key, checked(writes, key, each, context)]);
  return fields;
}

/** Throws where the field is there already. */
function addField(fields: Fields, [key, added]: Named): void {
  const before = fields.get(key);
  if (before)
    throw new CliError('usage', sentence`The field ${key} is given twice: by ${before.by} and by ${added.by}.`, { hint: 'Give it once.' });
  fields.set(key, added);
}

/** The field that one flag sets, with its value. Throws if it is invalid. */
export function fieldOf({ flags, writes }: Command, key: string, value: Json, context: Context): Named {
  const name = fieldName(flags?.[key]?.field ?? key, context);
  return [name, checked(writes, name, { value, by: flagName(key) }, context)];
}

/** The body that is sent. Throws where fields contradict each other, or where there are none. */
export function bodyOf({ name, flags = {}, writes }: Command, fields: Fields, context: Pick<Context, 'zone'>): JsonObject {
  const body: JsonObject = Object.fromEntries([...fields].map(([key, { value }]) => [key, value]));
  if (typeof writes !== 'object') return body;
  checkOrder(body, fields, context);
  if (fields.size === 0 && !writes.adds) {
    const key = Object.keys(flags).find((each) => flags[each]?.field) ?? 'field';
    throw new CliError('usage', sentence`No fields to ${writes.writing === 'create' ? 'set' : 'change'} were given.`, {
      hint: sentence`Add a field, such as ${flagName(key)}; see: proctor-cli ${name} --help`,
    });
  }
  return body;
}

/** The dialect's name for a field that the specification does not name. */
function fieldName(field: string, context: Context): string {
  const key = dialectKeys.find((each) => field === `dialect.${each}`);
  return key === undefined ? field : context.settings().dialect[key];
}

function split(text: string, flag: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CliError('usage', sentence`${flag} takes key=value, but the ${at === 0 ? 'key' : '='} is missing.`, {
    hint: sentence`For example: ${flag} name=VALUE`,
  });
}

async function bodyFile(file: string, context: Context): Promise<JsonObject> {
  const text = (await context.read(file)).replace(/^\uFEFF/, '');
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
    throw new Error('it is something else');
  } catch (error) {
    const where = sentence`${file === '-' ? 'stdin' : file}, ${(error as Error).message}`;
    throw new CliError('invalid_input', sentence`The body is not a JSON object (${where}).`, {
      hint: 'Give a JSON object, such as {"email":"a@example.org"}.',
    });
  }
}

/** The value as it is sent, if the operation can set the field. */
function checked(writes: Command['writes'], key: string, { value, by }: Sourced, context: Context): Sourced {
  if (typeof writes !== 'object') return { value, by };
  const { resource, writing, adds } = writes;
  const forbidden = adds && !refusal(resource, 'update', key) ? undefined : refusal(resource, writing, key);
  if (forbidden)
    throw new CliError('unsupported', sentence`${forbidden.reason}. Nothing was sent.`, { hint: sentence`${forbidden.instead ?? ''}` });
  const type = value === null ? undefined : ruleOf(resource, key)?.type;
  const [needs, words, write] = type === 'boolean' ? ['boolean', 'true or false', `-F ${key}=true`] : ['string', 'text', `-f ${key}=…`];
  if ((type === 'boolean' || type === 'text') && typeof value !== needs)
    throw new CliError('invalid_input', sentence`${by}: ${key} must be ${words}.`, { hint: sentence`Write: ${write}` });
  if (type !== 'time') return { value, by };
  const format = context.settings().dialect.timeFormat;
  if (by.startsWith('--') && by !== '--body') return { value: formatTime(value as number, format), by };
  return { value: typeof value === 'string' ? formatTime(context.time(value), format) : value, by };
}

/** Refuses an end before its start, if both are given. */
function checkOrder(body: JsonObject, given: Fields, context: Pick<Context, 'zone'>) {
  for (const [first = '', last = ''] of [
    ['start_time', 'end_time'],
    ['open_time', 'close_time'],
  ]) {
    const [from, to] = [instantOf(body[first]), instantOf(body[last])];
    if (from === undefined || to === undefined || from < to) continue;
    const [start, end] = [first, last].map((field) => `${field} (${showTime(body[field], context.zone())})`);
    throw new CliError('invalid_input', sentence`${end} is not after ${start}.`, {
      hint: sentence`Correct ${given.get(last)?.by ?? last}; nothing was sent.`,
    });
  }
}

/** The start that an end belongs to: as typed or, in an update, as the service has it. Milliseconds since 1970; undefined where it is not known. */
export async function startFor(
  { after = '' }: TimeFlag,
  { command, values, fields }: Pick<Line, 'command' | 'values' | 'fields'>,
  context: Context,
) {
  const field = command.flags?.[after]?.field;
  if (field === undefined) return undefined;
  const name = fieldName(field, context);
  const { writes } = command;
  if (fields.has(name) || typeof writes !== 'object' || writes.writing !== 'update') return instantOf(fields.get(name)?.value);
  const [id, ...more] = [values.id ?? values.ids].flat();
  // Several sessions have starts of their own.
  if (typeof id !== 'string' || more.length > 0) return undefined;
  const [client, { operations }] = await Promise.all([context.client(), import('../../api/operations.ts')]);
  return instantOf((await client.get(writes.resource === 'exam' ? operations.getExam : operations.getSession, { params: { id } }))[name]);
}

const completesIds: ReadonlySet<string | undefined> = new Set<Argument['complete']>(['exams', 'sessions', 'runs']);
/** Placeholders of flags that take an ID or a length of time. */
const plain: ReadonlySet<string> = new Set(['id', 'duration', 'amount']);

/** A command as runs record it. `operands`: in place of the values of its arguments. */
export function recordedCommand({ command, raw }: Invocation, values: Readonly<Given>, operands?: readonly string[]): string {
  const { flags = {} } = command;
  const options = Object.entries(flags).flatMap(([key, flag]) => [values[key] ?? []].flat().map((each) => option(key, flag, each)));
  if (raw.typed.length > 0) options.push('--field KEY=VALUE');
  if (raw.text.length > 0) options.push('--raw-field KEY=VALUE');
  if (raw.body !== undefined) options.push('--body FILE');
  return typedCommand(command.name, operands ?? operandsOf(command, values), ...options);
}

function operandsOf({ args = {} }: Command, values: Readonly<Given>): string[] {
  return Object.entries(args).flatMap(([name, { complete }]) => {
    const given = [values[name] ?? []].flat().map(String);
    if (completesIds.has(complete)) return given.map((id) => idIn(id) ?? name.toUpperCase());
    // A folder may be called after a student, and a file, too.
    if (complete === 'files') return given.map((path) => basename(path)).map((file) => (/^-|@/.test(file) ? name.toUpperCase() : file));
    return given.length > 0 ? [name.toUpperCase()] : [];
  });
}

function option(key: string, flag: Flag, value: unknown): string {
  const name = flagName(key);
  if (flag.type === 'boolean') return value === false ? name.replace('--', '--no-') : name;
  if (flag.type === 'time') return `${name} ${typeof value === 'number' ? formatTime(value, 'iso-utc') : shellQuoted(String(value))}`;
  const shown = plain.has(flag.value) ? idIn(String(value)) : undefined;
  return shown === undefined ? `${name} ${flag.value.toUpperCase()}` : typedOption(name, shown);
}

/** An address that was typed in place of an ID is not recorded. */
function idIn(value: string): string | undefined {
  return value.includes('@') ? undefined : value;
}

/** The typed line with additional words in their places. `argv`: as typed. Options are inserted before a `--`, arguments at the end. */
export function typedLine(argv: readonly string[], options: readonly string[], operands: readonly string[]): string {
  const end = argv.indexOf('--');
  const typed = end < 0 ? argv : argv.slice(0, end);
  const behind = end < 0 ? [] : argv.slice(end);
  const mark = end < 0 && operands.some((operand) => operand.startsWith('-')) ? ['--'] : [];
  return ['proctor-cli', ...typed, ...options, ...behind, ...mark, ...operands].map(shellQuoted).join(' ');
}
