/** The fields of a body: from field flags, `-F`, `-f` and `--body`, each checked and as it is sent. */
import { dialectName } from '../../api/dialect.ts';
import { readRecord } from '../../api/reading.ts';
import type { Command, Context, Flag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { refuseSuspicion } from '../../features/crud/typed-path.ts';
import { ruleAgainst, ruleOf } from '../../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, typedJson } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { fromStart } from '../../model/typed-time.ts';
import { sentence } from '../../text/sentence.ts';
import type { RawBody } from './program.ts';

/** `by`: the flag that gave the value. */
export type GivenFields = Map<string, Sourced>;
type Sourced = { value: Json; by: string };
type Named = [name: string, given: Sourced];

export type ParsedInput = { command: Command; values: Record<string, unknown>; fields: GivenFields };

/** The fields that a line sets, and in `values` the ends that count from their starts. Throws if a value is invalid. */
export async function givenFields(command: Command, values: ParsedInput['values'], raw: RawBody, context: Context): Promise<GivenFields> {
  const fields: GivenFields = new Map();
  const { flags = {}, writes } = command;
  const ends: string[] = [];
  for (const [key, { type, field }] of Object.entries(flags)) {
    const value = values[key];
    if (field === undefined || value === undefined) continue;
    // A text counts from a start, which may be given by another flag.
    if (type === 'time' && typeof value === 'string') ends.push(key);
    else addField(fields, await namedField(command, key, value as Json, context));
  }
  const given = await rawFields(raw, context);
  if (typeof writes === 'object') refuseSuspicion(Object.fromEntries(given.map(([key, { value }]) => [key, value])));
  for (const [key, each] of given) addField(fields, [key, await checkedField(writes, key, each, context)]);
  for (const key of ends) {
    const start = await startFor(flags[key], { command, values, fields }, context);
    const end = await timeFrom(start, values[key] as string, context);
    values[key] = end;
    addField(fields, await namedField(command, key, end, context));
  }
  return fields;
}

async function rawFields(raw: RawBody, context: Context): Promise<Named[]> {
  const given: Named[] = [];
  for (const text of raw.typed) {
    const [key, typed] = split(text, '-F');
    const value = typed.startsWith('@') ? await context.read(typed.slice(1)) : typedJson(typed);
    given.push([key, { value, by: '-F' }]);
  }
  for (const text of raw.text) {
    const [key, value] = split(text, '-f');
    given.push([key, { value, by: '-f' }]);
  }
  const inBody = raw.body === undefined ? {} : await bodyFile(raw.body, context);
  for (const [key, value] of Object.entries(inBody)) given.push([key, { value, by: '--body' }]);
  return given;
}

function addField(fields: GivenFields, [key, added]: Named) {
  const before = fields.get(key);
  if (before)
    throw new CliError('usage', sentence`The field ${key} is given twice: by ${before.by} and by ${added.by}.`, {
      hint: 'Give it once.',
    });
  fields.set(key, added);
}

/** A time as it was typed; `start`: of the end in question, milliseconds since 1970. */
export function timeFrom(start: number | undefined, text: string, context: Context): Promise<number> {
  const zone = context.settings().timeZone ?? 'UTC';
  return context.time(start === undefined ? text : fromStart(text, start, zone));
}

export async function namedField({ flags, writes }: Command, key: string, value: Json, context: Context): Promise<Named> {
  const { dialect } = context.settings();
  const flag = flags?.[key];
  const name = dialectName(flag?.field ?? key, dialect);
  const sent = flag?.type === 'time' ? formatTime(value as number, dialect.timeFormat) : value;
  return [name, await checkedField(writes, name, { value: sent, by: flagName(key) }, context)];
}

/** Throws where fields contradict each other, or where there are none. */
export function requestBody({ name, flags = {}, writes }: Command, fields: GivenFields, context: Pick<Context, 'zone'>): JsonObject {
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
async function checkedField(writes: Command['writes'], key: string, { value, by }: Sourced, context: Context): Promise<Sourced> {
  if (typeof writes !== 'object') return { value, by };
  const { resource, writing, adds } = writes;
  const forbidden = adds && !ruleAgainst(resource, 'update', key) ? undefined : ruleAgainst(resource, writing, key);
  if (forbidden) {
    const { reason, instead = '' } = forbidden;
    throw new CliError('unsupported', sentence`${reason}. Nothing was sent.`, { hint: sentence`${instead}` });
  }
  const type = value === null ? undefined : ruleOf(resource, key)?.type;
  const wrong = (words: string, write: string) =>
    new CliError('invalid_input', sentence`${by}: ${key} must be ${words}.`, { hint: sentence`Write: ${write}` });
  if (type === 'boolean' && typeof value !== 'boolean') throw wrong('true or false', `-F ${key}=true`);
  if ((type === 'text' || type === 'address') && typeof value !== 'string') throw wrong('text', `-f ${key}=…`);
  if (type !== 'time' || typeof value !== 'string') return { value, by };
  return { value: formatTime(await context.time(value), context.settings().dialect.timeFormat), by };
}

function checkOrder(body: JsonObject, given: GivenFields, context: Pick<Context, 'zone'>) {
  const ends = { start_time: 'end_time', open_time: 'close_time' };
  for (const [first, last] of Object.entries(ends)) {
    const [from, to] = [instantOf(body[first]), instantOf(body[last])];
    if (from === undefined || to === undefined || from < to) continue;
    const [start, end] = [first, last].map((field) => `${field} (${showTime(body[field], context.zone())})`);
    const hint = sentence`Nothing was sent. Correct ${given.get(last)?.by ?? last}: +2h counts from now, 2h from the start.`;
    throw new CliError('invalid_input', sentence`${end} is not after ${start}.`, { hint });
  }
}

/**
 * The start from which an end counts: as typed or, in an update, as the service has it. Milliseconds
 * since 1970; undefined where it is not known.
 */
export async function startFor(end: Flag | undefined, { command, values, fields }: ParsedInput, context: Context) {
  const { flags = {}, writes } = command;
  const field = end?.type === 'time' && end.after && flags[end.after]?.field;
  if (!field) return undefined;
  const name = dialectName(field, context.settings().dialect);
  const given = fields.get(name);
  if (given || typeof writes !== 'object' || writes.writing !== 'update') return instantOf(given?.value);
  const [id, ...more] = [values.id ?? values.ids].flat();
  // Several sessions each have their own start: an end cannot count from it.
  if (typeof id !== 'string' || more.length > 0) return undefined;
  const record = await readRecord(await context.client(), writes.resource, id);
  return instantOf(record[name]);
}
