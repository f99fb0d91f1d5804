/**
 * From a checked invocation to the values that a command's record types. Given values are checked first; only
 * then are missing ones prompted for, or named in an error without a terminal.
 */
import type { Command, Flag, TimeFlag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { canAsk } from '../../host/host.ts';
import type { Json } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { countsFromStart, fromStart, onDay } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import type { RunContext } from '../run/context.ts';
import { addField, bodyOf, type Fields, fieldName, fieldOf, fieldsGiven } from './body.ts';
import { oneOf } from './one-of.ts';
import type { Invocation, RawBody } from './program.ts';
import { startFor } from './start-for.ts';
import { typedLine } from './typed-line.ts';

type Values = Parameters<NonNullable<Command['run']>>[1];

/** Arguments, flags and body. Throws `usage` or `invalid_input`. */
export async function valuesOf({ command, args, flags, raw }: Invocation, context: RunContext): Promise<Values> {
  const values: Record<string, unknown> = {};
  refuseStdinTwice(command, args, raw);
  for (const [name, argument] of Object.entries(command.args ?? {})) {
    const given = args[name];
    if (argument.choices && typeof given === 'string') oneOf(name, argument.choices)(given);
    if (given !== undefined && !(Array.isArray(given) && given.length === 0)) {
      values[name] = !Array.isArray(given) ? given : argument.joined ? given.join(' ') : await fromStdin(given, context);
    }
  }
  const typedTimes: Record<string, string> = {};
  const ends: [key: string, flag: TimeFlag, given: string][] = [];
  for (const [key, flag] of Object.entries(command.flags ?? {})) {
    const given = flags[key];
    if (flag.type !== 'time' || typeof given !== 'string') {
      values[key] = given;
      continue;
    }
    typedTimes[flag.field ?? key] = given;
    if (flag.after && countsFromStart(given)) ends.push([key, flag, given]);
    else values[key] = context.time(onDay(flag.clock, given), flag);
  }
  await toExamIds(command, values, context);
  const fields = await fieldsGiven(command, values, raw, context);
  for (const [key, flag, given] of ends) {
    const start = await startFor(flag, { command, values, fields }, context);
    values[key] = context.time(start === undefined ? given : fromStart(given, start, context.settings().timeZone ?? 'UTC'));
    addField(fields, fieldOf(command, key, values[key] as Json, context));
  }
  refuseBoth(command, values);
  refuseLonely(command, values);
  const missing = missingOf(command, values, fields, context);
  const mayAsk = canAsk(context.host, context.globals.noInput);
  if (missing.length > 0 && !mayAsk) {
    const ways = missing.map((key) => [command.oneOf, command.anyOf].find((keys) => keys?.includes(key)) ?? [key]);
    const names = ways.map((keys) => keys.map((key) => nameOf(command, key)).join(' or '));
    throw new CliError('usage', sentence`Missing: ${names.join(', ')}.`, {
      hint: sentence`Write: ${completed(command, missing, context)}; see: proctor-cli ${command.name} --help`,
    });
  }
  // An error that no answer can correct is raised before any prompt.
  if (!missing.some((key) => command.flags?.[key]?.field)) bodyOf(command, fields, context);
  if (missing.length > 0) {
    const { ask } = await import('../prompt/ask.ts');
    await ask({ command, values, fields, missing }, context);
  }
  const several = Object.keys(command.args ?? {}).some((name) => [args[name]].flat().includes('-') || isSeveral(values[name]));
  return { ...values, body: bodyOf(command, fields, context), several, typedTimes } as Values;
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

function isSeveral(value: unknown): boolean {
  return Array.isArray(value) && value.length > 1;
}

/** Throws where `-` stands for the IDs and for the body. */
function refuseStdinTwice({ args = {} }: Command, given: Invocation['args'], raw: RawBody) {
  const read = Object.keys(args).find((name) => args[name]?.variadic && given[name]?.includes('-'));
  if (read === undefined || raw.body !== '-') return;
  throw new CliError('usage', sentence`stdin cannot be read twice: for ${read} and for --body.`, {
    hint: 'Give --body the name of a file.',
  });
}

/** Throws where a flag is given without the one that it belongs to. One of several that can be given in its place is asked for. */
function refuseLonely(command: Command, values: Record<string, unknown>) {
  const { flags = {}, oneOf = [] } = command;
  const none = oneOf.every((key) => values[key] === undefined);
  for (const [key, flag] of Object.entries(flags)) {
    if (!('requires' in flag) || flag.requires === undefined) continue;
    if (values[key] === undefined || values[flag.requires] !== undefined) continue;
    if (none && oneOf.includes(flag.requires)) continue;
    const [lonely, needed] = [flagName(key), flagName(flag.requires)];
    throw new CliError('usage', sentence`${lonely} needs ${needed}, which is missing.`, {
      hint: sentence`See: proctor-cli ${command.name} --help`,
    });
  }
}

/** The keys of the arguments and flags without which the command cannot be. */
function missingOf(command: Command, values: Record<string, unknown>, fields: Fields, context: RunContext): string[] {
  const args = Object.entries(command.args ?? {}).filter(([name, { optional }]) => !optional && values[name] === undefined);
  const flags: [string, Flag][] = [];
  for (const [key, flag] of Object.entries(command.flags ?? {})) {
    if (values[key] !== undefined) continue;
    const unless = 'requiredUnless' in flag ? flag.requiredUnless : undefined;
    if (('required' in flag && flag.required) || (unless && !unless(values))) flags.push([key, flag]);
  }
  const given = Object.entries(command.flags ?? {}).filter(([key]) => values[key] !== undefined);
  const needs = (command.needs ?? []).filter((key) => !fields.has(fieldName(command.flags?.[key]?.field ?? key, context)));
  const { oneOf = [] } = command;
  const meant = oneOf.find((key) => given.some(([, flag]) => 'requires' in flag && flag.requires === key)) ?? oneOf[0];
  const none = oneOf.every((key) => values[key] === undefined);
  const { anyOf = [] } = command;
  const any = anyOf.every((key) => values[key] === undefined) ? anyOf.slice(0, 1) : [];
  return [...any, ...(none && meant !== undefined ? [meant] : []), ...[...args, ...flags].map(([key]) => key), ...needs];
}

function refuseBoth(command: Command, values: Record<string, unknown>) {
  const [first, second] = (command.oneOf ?? []).filter((key) => values[key] !== undefined).map((key) => nameOf(command, key));
  if (first === undefined || second === undefined) return;
  throw new CliError('usage', sentence`Give either ${first} or ${second}, not both.`, {
    hint: sentence`Leave out ${first} or ${second}; see: proctor-cli ${command.name} --help`,
  });
}

/** The line that was typed, with a placeholder for each thing that it lacks. */
function completed({ args = {}, flags = {} }: Command, missing: readonly string[], { host }: RunContext): string {
  const operands = missing.flatMap((key) => (args[key] ? [args[key].choices?.[0] ?? key.toUpperCase()] : []));
  const options = missing.flatMap((key) => {
    const flag = flags[key];
    if (!flag || flag.type === 'boolean') return [];
    const choices = flag.type === 'text' ? flag.choices : undefined;
    return [flagName(key), choices?.[0] ?? (flag.type === 'time' ? 'TIME' : flag.value.toUpperCase())];
  });
  return typedLine(host.argv, options, operands);
}

/** The name of an argument or a flag in messages. */
function nameOf(command: Command, key: string): string {
  return command.args?.[key] ? key : flagName(key);
}

/** The values of a variadic argument, where `-` stands for the lines of stdin; each once. */
async function fromStdin(given: readonly string[], context: RunContext): Promise<string[]> {
  const values = given.includes('-') ? given.flatMap((value) => (value === '-' ? [] : [value])) : [...given];
  if (given.includes('-')) {
    if (context.host.stdin.isTTY) context.say('Reading from the terminal, one per line; press Ctrl-D to end.');
    const lines = (await context.read('-')).split(/\r?\n/).map((line) => line.trim());
    values.push(...lines.filter((line) => line !== ''));
    if (values.length === 0) throw new CliError('nothing_selected', 'No IDs on stdin.', { hint: 'Give one per line.' });
  }
  return [...new Set(values)];
}
