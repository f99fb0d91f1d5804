/**
 * The body of a write, made of field flags, `-F`, `-f` and `--body`: one source for each field,
 * values of the right type, and nothing that the operation cannot set.
 */
import { dialectKeys } from '../../api/dialect.ts';
import type { Command, Context, TimeFlag } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { refusal, ruleOf } from '../../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, typedJson } from '../../model/json.ts';
import { flagName } from '../../model/shell-quote.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import type { RawBody } from './program.ts';

/** The source of each field of a body, with its checked value as it is sent. */
export type Fields = Map<string, Given>;
type Given = { value: Json; by: string };
type Named = [name: string, given: Given];

/** The fields that a line sets. Throws if a value is invalid. */
export async function fieldsGiven(command: Command, flags: Record<string, unknown>, raw: RawBody, context: Context): Promise<Fields> {
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
  for (const text of raw.text) {
    const [key, value] = split(text, '-f');
    given.push([key, { value, by: '-f' }]);
  }
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
export function addField(fields: Fields, [key, added]: Named): void {
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
export function fieldName(field: string, context: Context): string {
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
  const name = file === '-' ? 'stdin' : file;
  let value: Json;
  try {
    value = parseJson((await context.read(file)).replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('invalid_input', sentence`The body is not JSON (${name}, ${(error as Error).message}).`, { hint: likeABody });
  }
  if (isJsonObject(value)) return value;
  throw new CliError('invalid_input', sentence`The body in ${name} is not a JSON object.`, { hint: likeABody });
}

const likeABody = sentence`Give a JSON object, such as {"email":"a@example.org"}.`;

/** The value as it is sent, if the operation can set the field. */
function checked(writes: Command['writes'], key: string, { value, by }: Given, context: Context): Given {
  if (typeof writes !== 'object') return { value, by };
  const { resource, writing, adds } = writes;
  const forbidden = adds && !refusal(resource, 'update', key) ? undefined : refusal(resource, writing, key);
  if (forbidden)
    throw new CliError('unsupported', sentence`${forbidden.reason}. Nothing was sent.`, { hint: sentence`${forbidden.instead ?? ''}` });
  const type = value === null ? undefined : ruleOf(resource, key)?.type;
  if (type === 'boolean' && typeof value !== 'boolean')
    throw new CliError('invalid_input', sentence`${by}: ${key} must be true or false.`, {
      hint: sentence`Use -F ${key}=true, without quotes, or the flag.`,
    });
  if (type === 'text' && typeof value !== 'string')
    throw new CliError('invalid_input', sentence`${by}: ${key} must be text.`, { hint: sentence`Use -f ${key}=… to send it as text.` });
  if (type !== 'time') return { value, by };
  const format = context.settings().dialect.timeFormat;
  if (by.startsWith('--') && by !== '--body') return { value: formatTime(value as number, format), by };
  return { value: typeof value === 'string' ? formatTime(context.time(value), format) : value, by };
}

/** Refuses an end before its start, if both are given. */
function checkOrder(body: JsonObject, given: Fields, context: Pick<Context, 'zone'>) {
  const pairs = [
    ['start_time', 'end_time'],
    ['open_time', 'close_time'],
  ] as const;
  for (const [first, last] of pairs) {
    const [from, to] = [instantOf(body[first]), instantOf(body[last])];
    if (from === undefined || to === undefined || from < to) continue;
    const [start, end] = ([first, last] as const).map((field) => {
      const by = given.get(field)?.by ?? '';
      return `${by.startsWith('--') && by !== '--body' ? by : field} (${showTime(body[field], context.zone())})`;
    });
    throw new CliError('invalid_input', sentence`${end} is not after ${start}.`, {
      hint: sentence`Correct ${given.get(last)?.by ?? last}; nothing was sent.`,
    });
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
