/**
 * The quick way through a list that is not streamed: a small array of objects is held back until it has arrived and
 * is parsed at once, with the result that `JsonItems` has. Everything else is left to `JsonItems`: lists with a
 * wrapper, long ones, broken ones.
 */
import { deepestJson, hasExponent, type Json, nestsAtMost, parseMeasured } from '../model/json.ts';
import type { HttpAnswer } from './http.ts';
import { decode, isSpace } from './json-items.ts';

/** A list that was parsed at once, and its text. */
export type SmallList = { items: readonly Json[]; text: string };

/** Undefined: it takes a closer look, which also has the words for what is wrong. Never throws. */
export function smallList(body: Buffer): SmallList | undefined {
  try {
    const text = decode(body);
    const items = parseMeasured(text, hasExponent(text));
    return Array.isArray(items) && items.every((item) => nestsAtMost(item, deepestJson)) ? { items, text } : undefined;
  } catch {
    return undefined;
  }
}

/** What has arrived of a body. `whole`: all of it, and not too much for `smallList`. */
type Arrived = { bytes: Buffer; whole: boolean };

const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * A body as one piece if it is an array of objects of at most `most` bytes, otherwise as it arrives. An object
 * that ends is progress, as an item is, and nothing else: bytes that trickle in do not stop the clock.
 */
export async function* heldBack({ body, progress }: Pick<HttpAnswer, 'body' | 'progress'>, most: number): AsyncGenerator<Arrived> {
  const held: Buffer[] = [];
  let length = 0;
  let holding = most > 0;
  try {
    for await (const bytes of body) {
      holding &&= length + bytes.length <= most && (length > 0 || beginsWithObjects(bytes));
      if (holding) {
        held.push(bytes);
        length += bytes.length;
        if (bytes.includes(closeObject)) progress();
        continue;
      }
      for (const before of held.splice(0)) yield { bytes: before, whole: false };
      yield { bytes, whole: false };
    }
  } catch (error) {
    for (const bytes of held) yield { bytes, whole: false };
    throw error;
  }
  if (held.length > 0) yield { bytes: held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held, length), whole: true };
}

/** `[{` or `[]`, with or without space. */
function beginsWithObjects(bytes: Buffer): boolean {
  const start = afterSpace(bytes, 0);
  if (bytes[start] !== openArray) return false;
  const next = bytes[afterSpace(bytes, start + 1)];
  return next === openObject || next === closeArray;
}

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at])) at += 1;
  return at;
}
