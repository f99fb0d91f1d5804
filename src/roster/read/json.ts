/**
 * Rosters in JSON: an array of objects, or an object on each line (NDJSON). Taken apart as they
 * arrive; a key that stands in any item is a column, so both are read once for their keys first.
 */
import { CliError } from '../../errors.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonErrorPosition,
  type Position,
  parseJson,
  positionAt,
  TooDeep,
  textOfJson,
} from '../../model/json.ts';
import { closesArray, JsonArrayScan } from '../../model/json-array.ts';
import { repeatedField, shownPath } from '../../model/json-fields.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { linesOf, longestRecord, type TextLine, tooLong } from './lines.ts';
import type { Record } from './table.ts';

type Item = { line: number; value: JsonObject };

/** More keys than this are not columns: the file is a dictionary. */
const mostColumns = 1000;

export async function* ndjsonItems(text: AsyncIterable<string>, name: string): AsyncGenerator<Item[]> {
  for await (const lines of linesOf(text, name)) {
    yield lines
      .filter((line) => line.text.trim() !== '')
      .map((line) => parsed(line, 1, name, sentence`NDJSON has one complete object per line.`));
  }
}

export async function* jsonItems(text: AsyncIterable<string>, name: string): AsyncGenerator<Item[]> {
  const items = new RosterItems(name);
  for await (const chunk of text) yield items.push(chunk);
  items.end();
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

function parsed({ line, text }: TextLine, column: number, name: string, hint: Sentence): Item {
  const placeIn = (at: Position) => `line ${line + at.line - 1}, column ${at.line === 1 ? at.column + column - 1 : at.column}`;
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    const place = placeIn(jsonErrorPosition(text) ?? { line: 1, column: 1 });
    const what = error instanceof TooDeep ? error.message : 'invalid JSON';
    throw new CliError('invalid_input', sentence`${name}, ${place}: ${what}.`, { hint, cause: error });
  }
  if (isJsonObject(value)) {
    const repeated = repeatedField(text);
    if (!repeated) return { line, value };
    const place = placeIn(positionAt(text, repeated.offset));
    throw new CliError('invalid_input', sentence`${name}, ${place}: ${shownPath(repeated.path)} stands twice in its object.`, {
      hint: 'Leave only the one that is meant.',
    });
  }
  throw new CliError('invalid_input', sentence`${name}, line ${line}, column ${column}: not an object.`, {
    hint: 'Each student must be an object, such as {"email":"a@example.org"}.',
  });
}

const arrayHint = sentence`Give an array of objects, such as [{"email":"a@example.org"}].`;

/** The items of an array in a text that comes in chunks, each with its place. */
class RosterItems {
  readonly #name: string;
  readonly #scan = new JsonArrayScan();
  #state: 'before' | 'first' | 'item' | 'after' = 'before';
  /** Of the next character; both from 1. */
  #line = 1;
  #column = 1;
  /** The beginning of an item that is not whole yet. */
  #rest = '';
  /** The first bytes of a character that a chunk has cut. */
  #half = '';

  constructor(name: string) {
    this.#name = name;
  }

  push(chunk: string): Item[] {
    const text = this.#half + chunk;
    this.#half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    const bytes = Buffer.from(this.#half === '' ? text : text.slice(0, -1));
    const items: Item[] = [];
    let from = this.#state === 'before' ? this.#opened(bytes) : 0;
    while (this.#state === 'first' || this.#state === 'item') {
      const at = this.#separator(bytes, from);
      const piece = bytes.toString('utf8', from, at);
      if (at === bytes.length) {
        this.#rest += piece;
        if (this.#rest.length > longestRecord) throw tooLong(this.#name, this.#placeOfItem(this.#rest).line);
        return items;
      }
      const closes = closesArray(bytes, at);
      const item = this.#whole(this.#rest + piece, closes);
      if (item) items.push(item);
      this.#rest = '';
      this.#column += 1;
      this.#state = closes ? 'after' : 'item';
      from = at + 1;
    }
    this.#pass(bytes.toString('utf8', from));
    return items;
  }

  end(): void {
    if (this.#state === 'after') return;
    this.#advance(this.#rest);
    throw this.#broken(-1);
  }

  /** Offset behind the bracket that opens the array; the length of the chunk where it has not come. */
  #opened(bytes: Buffer): number {
    const bracket = bytes.indexOf('[');
    this.#pass(bytes.toString('utf8', 0, bracket < 0 ? bytes.length : bracket));
    if (bracket < 0) return bytes.length;
    this.#column += 1;
    this.#state = 'first';
    return bracket + 1;
  }

  #separator(bytes: Buffer, from: number): number {
    try {
      return this.#scan.next(bytes, from);
    } catch (error) {
      // The parser knows the line and the column of what is too deep.
      if (error instanceof TooDeep) this.#whole(this.#rest + bytes.toString('utf8', from, error.offset + 1), false);
      throw error;
    }
  }

  /** What stands between two separators; only an array without items has nothing there. */
  #whole(text: string, closes: boolean): Item | undefined {
    const start = this.#placeOfItem(text);
    const item = text.trimStart();
    if (item === '') {
      this.#advance(text);
      if (closes && this.#state === 'first') return undefined;
      throw this.#broken(0);
    }
    const found = parsed({ line: start.line, text: item }, start.column, this.#name, arrayHint);
    this.#advance(text);
    return found;
  }

  /** What may stand before and behind the array: nothing but space. */
  #pass(text: string) {
    const at = text.search(/\S/);
    this.#advance(at < 0 ? text : text.slice(0, at));
    if (at >= 0) throw this.#broken(0);
  }

  #placeOfItem(text: string): Position {
    const start = text.search(/\S/);
    return this.#behind(start < 0 ? text : text.slice(0, start));
  }

  #behind(text: string): Position {
    const { line, column } = positionAt(text, text.length);
    return { line: this.#line + line - 1, column: line === 1 ? this.#column + column - 1 : column };
  }

  #advance(text: string) {
    ({ line: this.#line, column: this.#column } = this.#behind(text));
  }

  #broken(shift: 0 | -1): CliError {
    const place = `line ${this.#line}, column ${Math.max(1, this.#column + shift)}`;
    return new CliError('invalid_input', sentence`${this.#name}, ${place}: the array is incomplete.`, { hint: arrayHint });
  }
}
