/**
 * Splits a JSON list into items while it arrives: a bare array, or an object that wraps one. Memory holds one
 * chunk and one item, however long the list is. Anything but complete, well-formed JSON is an error, so a
 * truncated list never appears complete.
 */
import { isJsonObject, type Json, type JsonObject, parseJson, parseMeasured } from '../model/json.ts';
import { closesArray, JsonArrayScan } from '../model/json-array.ts';
import { type Instead, insteadOfList } from './empty-list.ts';

const quote = 0x22;
const backslash = 0x5c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The body is not a list. The message continues "the service answered with …". */
export class NotAList extends Error {
  override readonly name = 'NotAList';
  /** What came, which may be an empty list. */
  readonly instead: Instead;

  constructor(instead: Instead) {
    super(instead.what);
    this.instead = instead;
  }
}

/** A part of the list is beyond its limit. The message continues "the service answered with …". */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  readonly key: 'largestItem' | 'largestHead' | 'largestObject';

  constructor(key: TooLarge['key'], what: string) {
    super(what);
    this.key = key;
  }
}

/** Limits in bytes: for one item, and for the text before and after the items. */
export type ListLimits = { item: number; head: number };

export class JsonItems {
  /** The fields beside a wrapped list, once it has ended; undefined for a bare one. */
  siblings: JsonObject | undefined;
  /** The text of the items that `push` returned last. */
  text = '';
  readonly #names: ReadonlySet<string>;
  readonly #limits: ListLimits;
  readonly #opening: Opening;
  #state: 'head' | 'items' | 'tail' = 'head';
  #head = '';
  #tail: Buffer[] = [];
  #tailLength = 0;
  #rest: Buffer[] = [];
  #restLength = 0;
  readonly #scan = new JsonArrayScan();
  #any = false;

  /** `names`: the fields under which a wrapped list may stand. */
  constructor(names: Iterable<string>, limits: ListLimits) {
    this.#names = new Set(names);
    this.#limits = limits;
    this.#opening = new Opening(this.#names);
  }

  /** The items that this chunk completes. Throws `SyntaxError`, `NotAList` or `TooLarge`. */
  push(chunk: Buffer): Json[] {
    if (this.#state === 'tail') {
      this.#keepTail(chunk);
      return [];
    }
    return this.#state === 'items' ? this.#take(chunk, 0) : this.#findList(chunk);
  }

  /** Ends the list; no item is left. Throws `SyntaxError` if it was cut short, `NotAList` if there was none. */
  end(): Json[] {
    if (this.#state === 'head') {
      const text = decode(Buffer.concat(this.#rest)).replace(/^\uFEFF/, '');
      throw new NotAList(insteadOfList(text.trim() === '' ? undefined : parseJson(text), this.#names));
    }
    if (this.#state === 'items') throw new SyntaxError('Unexpected end of JSON input');
    const whole = parseJson(`${this.#head}[]${decode(Buffer.concat(this.#tail))}`);
    if (isJsonObject(whole)) this.siblings = whole;
    return [];
  }

  /** Searches the latest chunk for the start of the list. */
  #findList(chunk: Buffer): Json[] {
    const start = this.#opening.find(chunk);
    this.#rest.push(start === undefined ? chunk : chunk.subarray(0, start));
    this.#restLength += start ?? chunk.length;
    if (this.#restLength > this.#limits.head) {
      throw new TooLarge('largestHead', `more than ${megabytes(this.#limits.head)} without a list`);
    }
    if (start === undefined) return [];
    this.#head = decode(Buffer.concat(this.#rest)).replace(/^\uFEFF/, '');
    this.#rest = [];
    this.#restLength = 0;
    this.#state = 'items';
    return this.#take(chunk, start + 1);
  }

  #keepTail(chunk: Buffer) {
    this.#tail.push(chunk);
    this.#tailLength += chunk.length;
    if (this.#tailLength > this.#limits.head) {
      throw new TooLarge('largestHead', `more than ${megabytes(this.#limits.head)} after its list`);
    }
  }

  /** Scans the bytes of the list; complete items are parsed in groups. */
  #take(chunk: Buffer, from: number): Json[] {
    let lastComma = -1;
    let at = this.#scan.next(chunk, from);
    while (at < chunk.length && !closesArray(chunk, at)) {
      lastComma = at;
      at = this.#scan.next(chunk, at + 1);
    }
    const closed = at < chunk.length;
    const end = closed ? at : lastComma;
    if (end < 0) {
      this.#rest.push(chunk.subarray(from));
      this.#restLength += chunk.length - from;
      if (this.#restLength > this.#limits.item) throw new TooLarge('largestItem', `an item of more than ${megabytes(this.#limits.item)}`);
      return [];
    }
    const text = decode(Buffer.concat([...this.#rest, chunk.subarray(from, end)]));
    this.#rest = closed ? [] : [chunk.subarray(end + 1)];
    this.#restLength = closed ? 0 : chunk.length - end - 1;
    if (closed) {
      this.#state = 'tail';
      this.#keepTail(chunk.subarray(at + 1));
    }
    const items = parseMeasured(`[${text}]`, this.#scan.exponent) as Json[];
    this.text = text;
    if (items.length === 0 && (this.#any || !closed)) throw new SyntaxError('a stray comma');
    this.#any = true;
    return items;
  }
}

/** Wrappers may be nested: `data.exams`. */
export const deepestWrapper = 3;

/** Finds the bracket that opens an array: at the top, or in one of the named fields, which may be paths. Reads each byte once. */
class Opening {
  readonly #names: ReadonlySet<string>;
  #bytes = 0;
  #form: 'unknown' | 'object' | 'other' = 'unknown';
  #depth = 0;
  /** How many of the brackets that are open belong to arrays. */
  #arrays: boolean[] = [];
  #inString = false;
  #escaped = false;
  #keys: string[] = [];
  #string: Buffer[] = [];

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  /** Its offset in this chunk; undefined if it has not arrived yet. */
  find(chunk: Buffer): number | undefined {
    let stringStart = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#form === 'unknown') {
        const mark = this.#bytes + at < 3 && byte === byteOrderMark[this.#bytes + at];
        if (mark || isSpace(byte)) continue;
        if (byte === openArray) return at;
        this.#form = byte === openObject ? 'object' : 'other';
      }
      if (this.#form === 'other') return undefined;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) {
          this.#inString = false;
          if (this.#depth <= deepestWrapper)
            this.#keys[this.#depth - 1] = Buffer.concat([...this.#string, chunk.subarray(stringStart, at)]).toString();
          this.#string = [];
        }
      } else if (byte === quote) {
        this.#inString = true;
        stringStart = at + 1;
      } else if (byte === openObject) this.#open(false);
      else if (byte === closeObject || byte === closeArray) this.#close();
      else if (byte === openArray) {
        if (this.#isNamed()) return at;
        this.#open(true);
      }
    }
    this.#bytes += chunk.length;
    if (this.#inString && this.#depth <= deepestWrapper) this.#string.push(chunk.subarray(stringStart));
    return undefined;
  }

  #open(array: boolean) {
    if (this.#depth < deepestWrapper) this.#arrays[this.#depth] = array;
    this.#depth += 1;
  }

  #close() {
    this.#depth -= 1;
    if (this.#depth < deepestWrapper) this.#arrays.length = Math.max(0, this.#depth);
  }

  /** Whether the current path is one of the names and contains objects only. */
  #isNamed(): boolean {
    const depth = this.#depth;
    if (depth > deepestWrapper || this.#arrays.includes(true)) return false;
    return this.#names.has(this.#keys.slice(0, depth).join('.'));
  }
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${bytes} bytes` : `${bytes / 1e6} MB`;
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The message of the error for bytes that are no text. */
export const notUtf8 = 'the text is not UTF-8';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of bytes. Throws `SyntaxError` for what is no UTF-8. */
export function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SyntaxError(notUtf8);
  }
}
