/**
 * Rosters in JSON: an array of objects, or an object on each line (NDJSON). Taken apart as they
 * arrive; a key that stands in any item is a column, so both are read once for their keys first.
 */
import { CliError } from '../../../errors.ts';
import { isJsonObject, type Json, type JsonObject, jsonErrorPosition, parseJson, TooDeep, textOfJson } from '../../../model/json.ts';
import { type Sentence, sentence } from '../../../text/sentence.ts';
import { type Line, linesOf, longestRecord, tooLong } from './lines.ts';
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
  const scanner = new ArrayScanner(name);
  for await (const chunk of text) yield scanner.push(chunk);
  scanner.end();
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

function parsed({ line, text }: Line, column: number, name: string, hint: Sentence): Item {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    const at = jsonErrorPosition(text) ?? { line: 1, column: 1 };
    const place = `line ${line + at.line - 1}, column ${at.line === 1 ? at.column + column - 1 : at.column}`;
    const what = error instanceof TooDeep ? error.message : 'invalid JSON';
    throw new CliError('invalid_input', sentence`${name}, ${place}: ${what}.`, { hint, cause: error });
  }
  if (isJsonObject(value)) return { line, value };
  throw new CliError('invalid_input', sentence`${name}, line ${line}, column ${column}: not an object.`, {
    hint: 'Each student must be an object, such as {"email":"a@example.org"}.',
  });
}

const arrayHint = sentence`Give an array of objects, such as [{"email":"a@example.org"}].`;

/** Finds the items of an array in a text that comes in chunks. */
class ArrayScanner {
  readonly #name: string;
  #state: 'before' | 'first' | 'between' | 'inside' | 'next' | 'after' = 'before';
  #line = 1;
  #column = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #item = '';
  #start = { line: 1, column: 1 };

  constructor(name: string) {
    this.#name = name;
  }

  push(chunk: string): Item[] {
    const items: Item[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charAt(at);
      if (character === '\n') {
        this.#line += 1;
        this.#column = 0;
      } else this.#column += 1;
      if (this.#state === 'inside') {
        if (!this.#endsItem(character)) continue;
        this.#item += chunk.slice(from, at);
        items.push(parsed({ line: this.#start.line, text: this.#item }, this.#start.column, this.#name, arrayHint));
        this.#item = '';
        this.#state = 'between';
      }
      if (/\s/.test(character)) continue;
      if (this.#state === 'before' && character === '[') this.#state = 'first';
      else if ((this.#state === 'first' || this.#state === 'between') && character === ']') this.#state = 'after';
      else if (this.#state === 'between' && character === ',') this.#state = 'next';
      else if (this.#state === 'first' || (this.#state === 'next' && character !== ']' && character !== ',')) {
        from = at;
        this.#start = { line: this.#line, column: this.#column };
        this.#state = 'inside';
        this.#endsItem(character);
      } else throw this.#broken();
    }
    if (this.#state === 'inside') this.#item += chunk.slice(from);
    if (this.#item.length > longestRecord) throw tooLong(this.#name, this.#start.line);
    return items;
  }

  end(): void {
    if (this.#state !== 'after') throw this.#broken();
  }

  /** Takes one character of an item; whether the item ended before it. */
  #endsItem(character: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = false;
    } else if (character === '"') this.#inString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (this.#depth === 0 && (character === ',' || character === ']')) return true;
    else if (character === '}' || character === ']') this.#depth -= 1;
    return false;
  }

  #broken(): CliError {
    const place = `line ${this.#line}, column ${Math.max(1, this.#column)}`;
    return new CliError('invalid_input', sentence`${this.#name}, ${place}: the array is incomplete.`, { hint: arrayHint });
  }
}
