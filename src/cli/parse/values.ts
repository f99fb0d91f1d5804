/**
 * From a parsed line to the values that a command's record types. Given values are checked first; only then are missing ones asked for, or
 * named in an error without a terminal.
 */
import type { Command, TimeFlag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { canAsk } from '../../host/host.ts';
import type { Json } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { countsFromStart, fromStart } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import type { RunContext } from '../run/context.ts';
import { addField, bodyOf, type Fields, fieldName, fieldOf, fieldsGiven, startFor } from './body.ts';
import type { Invocation, RawBody } from './program.ts';
import { typedLine } from './typed-line.ts';

type Values = Parameters<NonNullable<Command['run']>>[1];
type Given = Record<string, unknown>;

/** Arguments, flags and body. Throws `usage` or `invalid_input`. */
export async function valuesOf({ command, args, flags, raw }: Invocation, context: RunContext): Promise<Values> {
  refuseStdinTwice(command, args, raw);
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
  await toExamIds(command, values, context);
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
  if (missing.length > 0) {
    const { ask } = await import('../prompt/ask.ts');
    await ask({ command, values, fields, missing }, context);
  }
  return { ...values, body: bodyOf(command, fields, context), typedTimes } as Values;
}

/** An exam may be given by its name, but not to be deleted. What is a number is its ID, and is not looked up. */
async function toExamIds({ args, flags, effect }: Command, values: Record<string, unknown>, context: RunContext): Promise<void> {
  const keys = Object.entries({ ...args, ...flags }).flatMap(([key, taken]) =>
    'complete' in taken && taken.complete === 'exams' ? [key] : [],
  );
  const idOf = async (given: unknown) => {
    if (typeof given !== 'string' || /^\d+$/.test(given)) return given;
    const { examIdOf } = await import('../../features/exam-selection.ts');
    return examIdOf(await context.client(), given, context.zone());
  };
  for (const key of effect === 'destroy' ? [] : keys) {
    const given = values[key];
    values[key] = Array.isArray(given) ? await Promise.all(given.map(idOf)) : await idOf(given);
  }
}

/** Throws where `-` stands for the IDs and for the body. */
function refuseStdinTwice({ args = {} }: Command, given: Invocation['args'], raw: RawBody) {
  const read = Object.keys(args).find((name) => args[name]?.variadic && given[name]?.includes('-'));
  if (read === undefined || raw.body !== '-') return;
  throw new CliError('usage', sentence`stdin cannot be read twice: for ${read} and for --body.`, {
    hint: 'Give --body the name of a file.',
  });
}

/** Throws where two exclude each other, or a flag does not belong to the rest. */
function refuseWrongCompany(command: Command, values: Given) {
  const { flags = {}, oneOf = [] } = command;
  const [first, second] = oneOf.filter((key) => values[key] !== undefined).map((key) => nameOf(command, key));
  if (first !== undefined && second !== undefined)
    throw new CliError('usage', sentence`Give either ${first} or ${second}, not both.`, {
      hint: sentence`Leave out ${first} or ${second}; see: proctor-cli ${command.name} --help`,
    });
  for (const [key, { unless }] of Object.entries(flags)) {
    if (values[key] === undefined || !unless?.(values)) continue;
    throw new CliError('usage', sentence`${flagName(key)} does not belong to the rest of the line.`, {
      hint: sentence`Leave out ${flagName(key)}; see: proctor-cli ${command.name} --help`,
    });
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
