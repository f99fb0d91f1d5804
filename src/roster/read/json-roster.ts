/**
 * Rosters in JSON: an array of objects, or an object on each line (NDJSON). Taken apart as they
 * arrive; a key that stands in any item is a column, so both are read once for their keys first.
 */
import { CliError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, repeatedName, textOfJson } from '../../model/json.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { closesArray, JsonArrayScan } from './json-array.ts';
import type { Record } from './source-table.ts';
import { linesOf, longestRecord, type Position, positionBehind, tooLong } from './text-lines.ts';

type Item = { line: number; value: JsonObject };

/** More keys than this are not columns: the file is a dictionary. */
const mostColumns = 1000;

export async function* ndjsonItems(text: AsyncIterable<string>, name: string): AsyncGenerator<Item[]> {
  for await (const lines of linesOf(text, name)) {
    yield lines
      .filter((line) => line.text.trim() !== '')
      .map(({ line, text }) => parsed(text, { line, column: 1 }, name, sentence`NDJSON has one complete object per line.`));
  }
}

/** The items of an array, of which nothing but space stands before the bracket. */
export async function* jsonItems(text: AsyncIterable<string>, name: string): AsyncGenerator<Item[]> {
  const scan = new JsonArrayScan();
  let part: 'before' | 'first item' | 'item' | 'behind' = 'before';
  /** Of the beginning of an item that is not whole yet. */
  let place: Position = { line: 1, column: 1 };
  let rest = '';
  for await (const chunk of text) {
    const items: Item[] = [];
    const bytes = Buffer.from(chunk);
    let from = part === 'before' ? bytes.indexOf('[') + 1 : 0;
    if (part === 'before') {
      place = positionBehind(place, from === 0 ? chunk : bytes.toString('utf8', 0, from));
      if (from > 0) part = 'first item';
    }
    while (part === 'first item' || part === 'item') {
      const at = scan.next(bytes, from);
      const text = rest + bytes.toString('utf8', from, at);
      const isWhole = at < bytes.length;
      if (!isWhole && text.length > longestRecord) throw tooLong(name, positionBehind(place, spaceBefore(text)).line);
      rest = isWhole ? '' : text;
      if (!isWhole) break;
      const closes = closesArray(bytes, at);
      if (text.trim() !== '') items.push(parsedItem(text, place, name));
      else if (!closes || part === 'item') throw incomplete(name, positionBehind(place, text));
      place = positionBehind(place, `${text},`);
      part = closes ? 'behind' : 'item';
      from = at + 1;
    }
    if (part === 'behind') {
      const more = bytes.toString('utf8', from);
      place = positionBehind(place, spaceBefore(more));
      if (more.trim() !== '') throw incomplete(name, place);
    }
    yield items;
  }
  if (part === 'behind') return;
  const { line, column } = positionBehind(place, rest);
  throw incomplete(name, { line, column: Math.max(1, column - 1) });
}

function parsedItem(text: string, place: Position, name: string): Item {
  return parsed(text.trimStart(), positionBehind(place, spaceBefore(text)), name, arrayHint);
}

const spaceBefore = (text: string) => text.slice(0, text.length - text.trimStart().length);

const arrayHint = sentence`Give an array of objects, such as [{"email":"a@example.org"}].`;

function incomplete(name: string, { line, column }: Position): CliError {
  return new CliError('invalid_input', sentence`${name}, line ${line}, column ${column}: the array is incomplete.`, { hint: arrayHint });
}

/** All keys, in the order in which they first stand. */
export async function keysOf(items: AsyncIterable<Item[]>, name: string): Promise<string[]> {
  const keys = new Set<string>();
  let length = 0;
  for await (const portion of items) {
    for (const { line, value } of portion) {
      for (const key in value) {
        if (!keys.has(key)) length += key.length;
        keys.add(key);
      }
      if (keys.size <= mostColumns && length <= longestRecord) continue;
      throw new CliError('invalid_input', sentence`${name}, line ${line}: more than ${mostColumns} different keys so far.`, {
        hint: 'Each student must be an object with the same keys, such as {"email":"a@example.org"}.',
      });
    }
  }
  return [...keys];
}

export async function* jsonRecords(items: AsyncIterable<Item[]>, keys: readonly string[]): AsyncGenerator<Record[]> {
  for await (const portion of items) {
    yield portion.map(({ line, value }) => ({ line, cells: keys.map((key) => (Object.hasOwn(value, key) ? cell(value[key]) : '')) }));
  }
}

function cell(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return textOfJson(value);
}

/** `column`, `line`: where it begins. */
function parsed(text: string, { line, column }: Position, name: string, hint: Sentence): Item {
  const refused = (what: string, hint: Sentence) =>
    new CliError('invalid_input', sentence`${name}, line ${line}, column ${column}: ${what}.`, { hint });
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    throw refused('invalid JSON, or nested too deep', hint);
  }
  if (!isJsonObject(value)) throw refused('not an object', sentence`Each student must be an object, such as {"email":"a@example.org"}.`);
  const repeated = repeatedName(text);
  if (repeated !== undefined) throw refused(`${JSON.stringify(repeated)} occurs twice in one object`, sentence`Keep only the right one.`);
  return { line, value };
}
