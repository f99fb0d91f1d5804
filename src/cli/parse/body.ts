/**
 * The body of a write, made of field flags, `-F`, `-f` and `--body`: one source for each field,
 * values of the right type, and nothing that the operation cannot set.
 */
import { dialectKeys } from '../../api/dialect.ts';
import { refuseSuspicion } from '../../api/raw-request.ts';
import type { Command, Context, TimeFlag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { refusal, ruleOf } from '../../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, repeatedName, stringifyJson, typedJson } from '../../model/json.ts';
import { flagName, shellQuoted } from '../../model/shell-quote.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import type { RawBody } from './program.ts';

/** The source of each field of a body, with its checked value as it is sent. */
export type Fields = Map<string, Given>;
type Given = { value: Json; by: string };

/** The fields that a line sets. Throws if a value is invalid. */
export async function fieldsGiven(command: Command, flags: Record<string, unknown>, raw: RawBody, context: Context): Promise<Fields> {
  const given: Fields = new Map();
  if (!command.writes) return given;
  const give = (key: string, value: Json, by: string) => addField(given, [key, { value, by }]);
  for (const [key, flag] of Object.entries(command.flags ?? {})) {
    const value = flags[key];
    if (flag.field !== undefined && value !== undefined) give(fieldName(flag.field, context), value as Json, flagName(key));
  }
  for (const text of raw.typed) give(...(await pair(text, '-F', context)), '-F');
  for (const text of raw.text) {
    const [key, value] = split(text, '-f');
    give(key, value, '-f');
  }
  if (raw.body !== undefined) {
    for (const [key, value] of Object.entries(await bodyFile(raw.body, context))) give(key, value, '--body');
  }
  if (typeof command.writes === 'string') return given;
  refuseSuspicion(Object.fromEntries(given));
  for (const [key, { value, by }] of given) given.set(key, { value: checked(command.writes, key, value, by, context), by });
  return given;
}

/** Throws where the field is there already. */
export function addField(fields: Fields, [key, added]: [name: string, added: Given]): void {
  const before = fields.get(key);
  if (before)
    throw new CliError('usage', sentence`The field ${key} is given twice: by ${before.by} and by ${added.by}.`, { hint: 'Give it once.' });
  fields.set(key, added);
}

/** The field that one flag sets, with its value. Throws if it is invalid. */
export function fieldOf(command: Command, key: string, value: Json, context: Context): [name: string, given: Given] {
  const by = flagName(key);
  const name = fieldName(command.flags?.[key]?.field ?? key, context);
  const fits = typeof command.writes === 'object' ? checked(command.writes, name, value, by, context) : value;
  return [name, { value: fits, by }];
}

/** The body that is sent. Throws where fields contradict each other, or where there are none. */
export function bodyOf(command: Command, fields: Fields, context: Pick<Context, 'zone'>): JsonObject {
  const body: JsonObject = Object.fromEntries([...fields].map(([key, { value }]) => [key, value]));
  if (typeof command.writes !== 'object') return body;
  checkOrder(body, fields, context);
  if (fields.size === 0 && !command.writes.adds) {
    const [key = 'field'] = Object.entries(command.flags ?? {}).flatMap(([key, { field }]) => (field ? [key] : []));
    throw new CliError('usage', sentence`No fields to ${command.writes.writing === 'create' ? 'set' : 'change'} were given.`, {
      hint: sentence`Add a field, such as ${flagName(key)}; see: proctor-cli ${command.name} --help`,
    });
  }
  return body;
}

/** The dialect's name for a field that the specification does not name. */
export function fieldName(field: string, context: Context): string {
  const key = dialectKeys.find((each) => field === `dialect.${each}`);
  return key === undefined ? field : context.settings().dialect[key];
}

function split(text: string, flag: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) {
    throw new CliError('usage', sentence`${flag} takes key=value, but ${JSON.stringify(text)} has no ${at === 0 ? 'key' : '='}.`, {
      hint: sentence`For example: ${flag} ${at === 0 ? `name${shellQuoted(text)}` : `${shellQuoted(text)}=VALUE`}`,
    });
  }
  return [text.slice(0, at), text.slice(at + 1)];
}

async function pair(text: string, flag: string, context: Context): Promise<[key: string, value: Json]> {
  const [key, value] = split(text, flag);
  if (value.startsWith('@')) return [key, await context.read(value.slice(1))];
  return [key, typedJson(value)];
}

async function bodyFile(file: string, context: Context): Promise<JsonObject> {
  const name = file === '-' ? 'stdin' : file;
  const text = (await context.read(file)).replace(/^\uFEFF/, '');
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new CliError('invalid_input', sentence`The body is not JSON (${name}, ${(error as Error).message}).`, {
      hint: 'Give a JSON object, such as {"email":"a@example.org"}.',
      cause: error,
    });
  }
  const repeated = repeatedName(text)?.name;
  if (repeated !== undefined)
    throw new CliError('invalid_input', sentence`${JSON.stringify(repeated)} occurs twice in an object of the body in ${name}.`, {
      hint: 'Remove the one that you do not mean. Nothing was sent.',
    });
  if (!isJsonObject(value))
    throw new CliError('invalid_input', sentence`The body in ${name} is not a JSON object.`, {
      hint: 'Give an object, such as {"email":"a@example.org"}.',
    });
  return value;
}

function checked(writes: Exclude<NonNullable<Command['writes']>, string>, key: string, value: Json, by: string, context: Context): Json {
  const isPatched = writes.adds && !refusal(writes.resource, 'update', key);
  const forbidden = isPatched ? undefined : refusal(writes.resource, writes.writing, key);
  if (forbidden)
    throw new CliError('unsupported', sentence`${forbidden.reason}. Nothing was sent.`, { hint: sentence`${forbidden.instead ?? ''}` });
  const rule = ruleOf(writes.resource, key);
  if (!rule || value === null) return value;
  if (rule.type === 'boolean' && typeof value !== 'boolean') {
    throw new CliError('invalid_input', sentence`${key} must be true or false, but ${by} gives ${stringifyJson(value)}.`, {
      hint: sentence`Use -F ${key}=true, without quotes, or the flag.`,
    });
  }
  if (rule.type === 'text' && typeof value !== 'string') {
    throw new CliError('invalid_input', sentence`${key} must be text, but ${by} gives ${stringifyJson(value)}.`, {
      hint: sentence`Use -f ${key}=… to send it as text.`,
    });
  }
  if (rule.type !== 'time') return value;
  const format = context.settings().dialect.timeFormat;
  if (by.startsWith('--') && by !== '--body') return formatTime(value as number, format);
  if (typeof value !== 'string') return value;
  return formatTime(context.time(value), format);
}

/** Refuses an end before its start, if both are given. */
function checkOrder(body: JsonObject, given: Fields, context: Pick<Context, 'zone'>) {
  for (const [first, last] of [
    ['start_time', 'end_time'],
    ['open_time', 'close_time'],
  ] as const) {
    const from = instantOf(body[first]);
    const to = instantOf(body[last]);
    if (from === undefined || to === undefined || from < to) continue;
    const nameOf = (field: string) => {
      const by = given.get(field)?.by ?? field;
      return by.startsWith('--') && by !== '--body' ? by : field;
    };
    const shown = (time: unknown) => showTime(time, context.zone());
    throw new CliError(
      'invalid_input',
      sentence`${nameOf(last)} (${shown(body[last])}) is not after ${nameOf(first)} (${shown(body[first])}).`,
      {
        hint: sentence`Correct ${given.get(last)?.by ?? last}; nothing was sent.`,
      },
    );
  }
}

type Line = { command: Command; values: Readonly<Record<string, unknown>>; fields: Fields };

/** The start that an end belongs to: as typed or, in an update, as the service has it. Milliseconds since 1970; undefined where it is not known. */
export async function startFor({ after = '' }: TimeFlag, { command, values, fields }: Line, context: Context) {
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
