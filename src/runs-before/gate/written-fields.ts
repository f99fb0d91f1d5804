/**
 * The fields that a write carries, whatever wraps them: at any depth of the body, in the query, and in any
 * spelling of their names. A service may take each of them.
 */
import { booleanIn } from '../../model/boolean.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import { lettersAndDigits } from '../../text/letters.ts';

/** What the judgements read: their fields are never looked into, whatever they hold. */
const judged = new Set(
  ['start_time', 'end_time', 'open_time', 'close_time', 'allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'].map(
    plainName,
  ),
);

export class Fields {
  readonly #values = new Map<string, Json[]>();

  constructor(body: Json | undefined, query: string) {
    if (body !== undefined) this.#take(body);
    for (const [name, value] of new URLSearchParams(query)) this.#add(name, value);
  }

  has(name: string): boolean {
    return this.#values.has(plainName(name));
  }

  /** Each value that the write has for the field; none where it lacks it. */
  of(name: string): readonly Json[] {
    return this.#values.get(plainName(name)) ?? [];
  }

  #take(value: Json) {
    if (Array.isArray(value)) for (const item of value) this.#take(item);
    else if (isJsonObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        const inner = typeof item === 'object' && item !== null && !judged.has(plainName(name));
        if (inner) this.#take(item as Json);
        else this.#add(name, item);
      }
    }
  }

  #add(name: string, value: Json) {
    const plain = plainName(name);
    this.#values.set(plain, [...(this.#values.get(plain) ?? []), value]);
  }
}

/** `exam[End-Time]` is end_time, too. */
function plainName(name: string): string {
  const inner = name
    .split('[')
    .findLast((part) => /[^\]]/.test(part))
    ?.replace(/\].*$/s, '');
  return lettersAndDigits((inner ?? name).normalize('NFKC').toLowerCase());
}

/** A time as a service may read it: also digits in a text. Milliseconds; undefined for what names no instant. */
export function instantIn(value: Json | undefined): number | undefined {
  const digits = typeof value === 'string' && /^\d{9,14}$/.test(value.trim());
  return instantOf(digits ? Number(value) : value);
}

export function isYes(value: Json): boolean {
  return booleanIn(value) === true;
}

export function isNo(value: Json | undefined): boolean {
  return booleanIn(value) === false;
}
