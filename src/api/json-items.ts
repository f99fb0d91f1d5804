/**
 * Takes a JSON list apart while it arrives: a bare array, or an object that wraps one. Memory holds
 * one chunk and one item, however long the list is; what is not whole and well-formed JSON to its
 * last byte is an error, so a list that was cut never looks complete.
 */
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** A wrapper larger than this is no list. Bytes. */
const largestHead = 16 << 20;

/** The body is not a list. The message continues "the service answered with …". */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

export class JsonItems {
  /** The fields beside a wrapped list, once it has ended; undefined for a bare one. */
  siblings: JsonObject | undefined;
  readonly #names: ReadonlySet<string>;
  #state: 'head' | 'items' | 'tail' = 'head';
  #head = '';
  #tail: Buffer[] = [];
  #rest: Buffer[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  #any = false;

  /** `names`: the fields under which a wrapped list may stand. */
  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
  }

  /** The items that became whole with this chunk. Throws `SyntaxError` or `NotAList`. */
  push(chunk: Buffer): Json[] {
    if (this.#state === 'tail') {
      this.#tail.push(chunk);
      return [];
    }
    if (this.#state === 'items') return this.#scan(chunk, 0);
    this.#rest.push(chunk);
    return this.#findList(Buffer.concat(this.#rest));
  }

  /** Ends the list. Throws `SyntaxError` if it was cut short, `NotAList` if there was none. */
  end(): void {
    if (this.#state === 'head') {
      const text = decode(Buffer.concat(this.#rest));
      if (text.trim() === '') throw new NotAList('an empty body');
      const value = parseJson(text);
      throw new NotAList(
        isJsonObject(value) ? `an object without a list in it (fields: ${Object.keys(value).slice(0, 8).join(', ')})` : 'a single value',
      );
    }
    if (this.#state === 'items') throw new SyntaxError('Unexpected end of JSON input');
    const whole = parseJson(`${this.#head}[]${decode(Buffer.concat(this.#tail))}`);
    if (isJsonObject(whole)) this.siblings = whole;
  }

  /** Looks for the beginning of the list in all that has arrived so far. */
  #findList(bytes: Buffer): Json[] {
    let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    while (at < bytes.length && isSpace(bytes[at])) at += 1;
    if (at === bytes.length) return [];
    const start = bytes[at] === openArray ? at : bytes[at] === openObject ? this.#wrappedListIn(bytes, at) : undefined;
    if (start === undefined) {
      if (bytes.length > largestHead) throw new NotAList('a large object without a list in it');
      this.#rest = [bytes];
      return [];
    }
    this.#head = decode(bytes.subarray(at, start));
    this.#rest = [];
    this.#state = 'items';
    return this.#scan(bytes, start + 1);
  }

  /** Offset of the bracket that opens an array under one of the names, at the top of an object. */
  #wrappedListIn(bytes: Buffer, from: number): number | undefined {
    let depth = 0;
    let stringStart = -1;
    let key = '';
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (stringStart >= 0) {
        if (byte === backslash) at += 1;
        else if (byte === quote) {
          if (depth === 1) key = bytes.toString('utf8', stringStart + 1, at);
          stringStart = -1;
        }
      } else if (byte === quote) stringStart = at;
      else if (byte === openObject) depth += 1;
      else if (byte === closeObject || byte === closeArray) depth -= 1;
      else if (byte === openArray) {
        if (depth === 1 && this.#names.has(key)) return at;
        depth += 1;
      }
    }
    return undefined;
  }

  /** Goes through the bytes of the list; whole items are parsed many at a time. */
  #scan(chunk: Buffer, from: number): Json[] {
    let lastComma = -1;
    let at = from;
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let closed = false;
    for (; at < chunk.length; at += 1) {
      let byte = chunk[at];
      if (inString) {
        if (escaped) {
          escaped = false;
          continue;
        }
        // Most of a list is inside of strings: this loop decides how fast it is read.
        while (byte !== quote && byte !== backslash && ++at < chunk.length) byte = chunk[at];
        if (byte === quote) inString = false;
        else if (byte === backslash) escaped = true;
      } else if (byte === quote) inString = true;
      else if (byte === comma) {
        if (depth === 0) lastComma = at;
      } else if (byte === openObject || byte === openArray) depth += 1;
      else if (byte === closeObject) depth -= 1;
      else if (byte === closeArray) {
        if (depth === 0) {
          closed = true;
          break;
        }
        depth -= 1;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    const end = closed ? at : lastComma;
    if (end < 0) {
      this.#rest.push(chunk.subarray(from));
      return [];
    }
    const text = decode(Buffer.concat([...this.#rest, chunk.subarray(from, end)]));
    this.#rest = closed ? [] : [chunk.subarray(end + 1)];
    if (closed) {
      this.#state = 'tail';
      this.#tail = [chunk.subarray(at + 1)];
    }
    const items = parseJson(`[${text}]`) as Json[];
    if (items.length === 0 && (this.#any || !closed)) throw new SyntaxError('there is nothing beside a comma');
    this.#any = true;
    return items;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SyntaxError('the text is not UTF-8');
  }
}
