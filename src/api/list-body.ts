/**
 * The body of a list: read as JSON as a whole, or item by item where it is an array beyond the limit. The list is a bare
 * array, or stands in one of the fields that the dialect names.
 */
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { closesArray, JsonArrayScan } from '../model/json-array.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { decode } from './answer.ts';
import { type Dialect, defaultDialect, listNames, words } from './dialect.ts';
import type { Resource } from './operations.ts';

/** The largest item of an array beyond the limit. Bytes. */
const largestItem = 16_000_000;
/** How much of such an array is split at a time, so that few items are in memory. Bytes. */
const portion = 64 << 10;

/** The body is not a list. The message continues "the service answered with …". */
export class NotAList extends Error {
  override readonly name = 'NotAList';
  readonly hint: Sentence | undefined;

  constructor(what: string, hint?: Sentence) {
    super(what);
    this.hint = hint;
  }
}

/** Some items, and the text that they were parsed from. */
export type Batch = { items: Json[]; text: string };

/** The items of a bare array while it arrives. Throws `NotAList`, or `SyntaxError` for anything but a whole, well-formed array. */
export async function* arrayItems(parts: AsyncIterable<Buffer>): AsyncGenerator<Batch> {
  const scan = new JsonArrayScan();
  let state: 'before' | 'inside' | 'after' = 'before';
  let rest: Buffer[] = [];
  let restLength = 0;
  let any = false;
  for await (const part of parts) {
    for (let offset = 0; offset < part.length; offset += portion) {
      let chunk = part.subarray(offset, offset + portion);
      if (state === 'before') {
        const text = chunk
          .toString('latin1')
          .replace(/^\u00ef\u00bb\u00bf/, '')
          .trimStart();
        if (text === '') continue;
        if (!text.startsWith('[')) throw new NotAList('more than 64 MB that is not an array', smallerPages);
        chunk = chunk.subarray(chunk.indexOf('[') + 1);
        state = 'inside';
      }
      if (state === 'after') {
        if (chunk.toString('latin1').trim() !== '') throw new SyntaxError('text after the array');
        continue;
      }
      let end = -1;
      let at = scan.next(chunk, 0);
      for (; at < chunk.length && !closesArray(chunk, at); at = scan.next(chunk, at + 1)) end = at;
      const closed = at < chunk.length;
      if (closed) end = at;
      if (end < 0) {
        rest.push(chunk);
        restLength += chunk.length;
        if (restLength > largestItem) throw new NotAList('an item of more than 16 MB');
        continue;
      }
      const text = decode(Buffer.concat([...rest, chunk.subarray(0, end)]));
      rest = [chunk.subarray(end + 1)];
      restLength = chunk.length - end - 1;
      const items = parseJson(`[${text}]`) as Json[];
      if (items.length === 0 && (any || !closed)) throw new SyntaxError('a stray comma');
      any ||= items.length > 0;
      if (closed) {
        state = 'after';
        if (chunk.toString('latin1', end + 1).trim() !== '') throw new SyntaxError('text after the array');
      }
      yield { items, text };
    }
  }
  if (state !== 'after') throw new SyntaxError('Unexpected end of JSON input');
}

const smallerPages = sentence`Ask for smaller pages, if the service has them, such as: proctor-cli config set dialect.listQuery per_page=1000`;

/** A list in a body. `envelopes`: the objects that hold it, from the outermost. */
export type Listed = { items: Json[]; envelopes: JsonObject[] };

/** Undefined where there is no array. Throws `NotAList` where several fields may hold the list. */
export function listIn(body: Json | undefined, resource: Resource, dialect: Pick<Dialect, 'wrapperKeys'>): Listed | undefined {
  if (Array.isArray(body)) return { items: body, envelopes: [] };
  const found = listNames(resource, dialect)
    .map((name) => ({ name, ...placeOf(body, name) }))
    .filter((place): place is Listed & { name: string } => Array.isArray(place.items));
  const [first] = words(dialect.wrapperKeys);
  const declared = dialect.wrapperKeys === defaultDialect.wrapperKeys ? undefined : found.find(({ name }) => name === first);
  const filled = found.filter(({ items }) => items.length > 0);
  if (!declared && filled.length > 1) {
    const names = filled.map(({ name }) => `"${name}"`).join(' and ');
    throw new NotAList(
      `${filled.length} lists, under ${names}`,
      sentence`Name the field of the list: proctor-cli ${typedCommand('config set dialect.wrapperKeys', [`NAME,${dialect.wrapperKeys}`])}`,
    );
  }
  return declared ?? filled[0] ?? found[0];
}

/** As `listIn`, but undefined where several fields may hold the list. */
export function listedIn(body: Json | undefined, resource: Resource, dialect: Pick<Dialect, 'wrapperKeys'>): Listed | undefined {
  try {
    return listIn(body, resource, dialect);
  } catch (error) {
    if (error instanceof NotAList) return undefined;
    throw error;
  }
}

/** The value at a path, and the objects on the way to it. A field whose name is the whole path comes first. */
function placeOf(body: Json | undefined, path: string): { items: Json | undefined; envelopes: JsonObject[] } {
  const envelopes: JsonObject[] = [];
  let items = body;
  const keys = isJsonObject(body) && Object.hasOwn(body, path) ? [path] : path.split('.');
  for (const key of keys) {
    if (!isJsonObject(items)) return { items: undefined, envelopes };
    envelopes.push(items);
    items = Object.hasOwn(items, key) ? items[key] : undefined;
  }
  return { items, envelopes };
}

/** What a body without an array is instead. Null or nothing may be a failure: it must not look like an exam without students. */
export function noListIn(body: Json | undefined, resource: Resource, dialect: Dialect): NotAList {
  if (body === undefined) return new NotAList('an empty body', whatIsEmpty);
  const name = listNames(resource, dialect).find((each) => placeOf(body, each).items === null);
  if (body === null || name !== undefined)
    return new NotAList(name === undefined ? 'null instead of a list' : `null in "${name}"`, whatIsEmpty);
  if (!isJsonObject(body)) return new NotAList('a single value');
  const [own, ...others] = arraysIn(body);
  const keys = [...words(dialect.wrapperKeys), own].join(',');
  return new NotAList(
    `an object without a list (fields: ${Object.keys(body).slice(0, 8).join(', ')})`,
    own === undefined || others.length > 0 || own.includes(',')
      ? undefined
      : sentence`If the list is in "${own}", set: proctor-cli ${typedCommand('config set dialect.wrapperKeys', [keys])}`,
  );
}

const whatIsEmpty = sentence`An empty list is [] or the status 204. Ask the operator of the service what this answer means.`;

/** The names of the fields that hold an array; where there is none, the paths of those one level below. */
function arraysIn(body: JsonObject): string[] {
  const names = (object: JsonObject) => Object.keys(object).filter((key) => Array.isArray(object[key]));
  const own = names(body);
  if (own.length > 0) return own;
  return Object.entries(body).flatMap(([key, inner]) => (isJsonObject(inner) ? names(inner).map((name) => `${key}.${name}`) : []));
}
