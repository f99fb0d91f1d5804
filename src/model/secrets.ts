/**
 * Secrets that this process knows and that must never be shown, wherever they appear. They are masked before any
 * text is cut, and again right before output.
 */
import { isJsonObject, type Json } from './json.ts';
import { mask } from './secret-keys.ts';
import { maskSecretPairs, unescaped } from './secret-pairs.ts';

/** A token as `auth status` shows it: enough to recognise it, too little to use it. */
export function maskedToken(token: string): string {
  return token.length < 12 ? mask : `${mask}${token.slice(-4)}`;
}

/** Shorter secrets would also match ordinary words. */
const shortest = { inUse: 4, known: 8 };

/** The secrets of this process, and texts without them. */
export class Secrets {
  /** The output of a command was requested with its secrets; messages stay without them. */
  revealed = false;
  readonly #values = new Set<string>();
  #all: readonly string[] = [];
  #spellings: RegExp | undefined;

  constructor(inUse: readonly string[] = []) {
    for (const value of inUse) this.use(value);
  }

  /** A secret that requests carry. */
  use(value: string): void {
    this.#add(value, shortest.inUse);
  }

  /** One that is only known: of another profile, of a proxy. */
  know(value: string | undefined): void {
    if (value !== undefined) this.#add(value, shortest.known);
  }

  /** User and password of an address. */
  knowAddress(address: string | undefined): void {
    const [, written] = /^(?:[a-z][a-z\d+.-]*:)?\/\/([^/?#]*)@/i.exec(address ?? '') ?? [];
    if (written === undefined) return;
    const whole = decoded(written);
    this.know(written);
    this.know(whole);
    this.know(written.slice(written.indexOf(':') + 1));
    this.know(whole.slice(whole.indexOf(':') + 1));
  }

  #add(value: string, least: number): void {
    if (value.length < least || this.#values.has(value)) return;
    this.#values.add(value);
    this.#all = [...new Set([...this.#values].flatMap(spellings))].sort((one, other) => other.length - one.length);
    this.#spellings = new RegExp(this.#all.map(literally).join('|'), 'g');
  }

  /** The text without any of the secrets, in every encoding that this program uses. */
  masked(text: string): string {
    return this.#spellings === undefined ? text : text.replace(this.#spellings, mask);
  }

  /** Whether one of them may stand in a string of this JSON text, written as it is or with escapes. */
  mayStandIn(json: string): boolean {
    return this.#spellings !== undefined && (json.includes('\\') || json.search(this.#spellings) >= 0);
  }

  /** A value of JSON in which none of them stands; itself, where there is none. */
  maskedIn<T extends Json | undefined>(value: T): T {
    if (this.#spellings === undefined || value === undefined) return value;
    return this.#withoutValues(value as Json) as T;
  }

  #withoutValues(value: Json): Json {
    if (typeof value === 'string') return this.masked(value);
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#withoutValues(item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isJsonObject(value)) return value;
    let copy: Record<string, Json> | undefined;
    for (const key in value) {
      const item = value[key] as Json;
      const shown = typeof item === 'number' || typeof item === 'boolean' ? item : this.#withoutValues(item);
      if (shown === item) continue;
      copy = copy ?? { ...value };
      copy[key] = shown;
    }
    return copy ?? value;
  }

  /** Text of the service, for an error or a debug line, before it is cut. */
  maskedWords(text: string): string {
    // First as it is: a secret may have in it what looks like an escaped letter.
    const pairs = maskSecretPairs(this.masked(text));
    const plain = unescaped(pairs);
    const shown = this.masked(plain);
    return this.#withoutBeginning(shown === plain ? pairs : shown);
  }

  /** Removes the beginning of a secret at the end of a text that was cut. */
  #withoutBeginning(text: string): string {
    for (const spelling of this.#all) {
      for (let length = Math.min(spelling.length - 1, text.length); length >= shortest.inUse; length -= 1) {
        if (text.endsWith(spelling.slice(0, length))) return text.slice(0, -length) + mask;
      }
    }
    return text;
  }
}

/** As it is; inside of JSON, also twice; in an address; in CSV, YAML, HTML and a shell's quotes; in a Basic header. */
function spellings(secret: string): string[] {
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const percent = encodeURIComponent(secret);
  return [
    secret,
    json(secret),
    json(json(secret)),
    percent,
    percent.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    percent.replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
    encodeURI(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    secret.replaceAll('"', '""'),
    secret.replaceAll("'", "''"),
    secret.replace(/['\\]/g, (character) => `'\\${character}'`),
    secret.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ];
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
