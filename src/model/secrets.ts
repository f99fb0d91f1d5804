/** Secrets that this process knows and that must never be shown, wherever they appear, in any spelling of this program. */
import type { Json } from './json.ts';
import { mask, maskSecretKeys } from './secret-keys.ts';
import { maskSecretPairs } from './secret-pairs.ts';

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
  #spellings: readonly string[] = [];
  #pattern: RegExp | undefined;

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
    for (const whole of written === undefined ? [] : [written, decoded(written)]) {
      this.know(whole);
      this.know(whole.slice(whole.indexOf(':') + 1));
    }
  }

  #add(value: string, least: number): void {
    if (value.length < least || this.#values.has(value)) return;
    this.#values.add(value);
    this.#spellings = [...new Set([...this.#values].flatMap(spellings))].sort((one, other) => other.length - one.length);
    this.#pattern = new RegExp(this.#spellings.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
  }

  /** The text without any of the secrets. */
  masked(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, mask);
  }

  /** Whether one of them may stand in a string of this JSON text, written as it is or with escapes. */
  mayStandIn(json: string): boolean {
    return this.#pattern !== undefined && (json.includes('\\') || json.search(this.#pattern) >= 0);
  }

  /** A value of JSON in which none of them stands; itself, where there is none. */
  maskedIn<T extends Json | undefined>(value: T): T {
    if (this.#pattern === undefined) return value;
    return maskSecretKeys(value, (text) => this.masked(text), never);
  }

  /** Text of the service, which may have been cut: also without the secrets that its names tell of. */
  maskedWords(text: string): string {
    const shown = maskSecretPairs(text, (words) => this.masked(words));
    const [whole = shown, sign = ''] = shown.endsWith('…') ? [shown.slice(0, -1), '…'] : [];
    // The beginning of a secret, if the text was cut within a secret.
    for (const spelling of this.#spellings) {
      for (let length = Math.min(spelling.length - 1, whole.length); length >= shortest.inUse; length -= 1) {
        if (whole.endsWith(spelling.slice(0, length))) return whole.slice(0, -length) + mask + sign;
      }
    }
    return shown;
  }
}

const never = () => false;

/** As it is; in JSON; in an address, as various programs write it; in base64. */
function spellings(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    percent.replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
    encodeURI(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    ...inBase64(secret),
  ];
}

/** By itself, and within a longer text: the characters that do not depend on what stands before or behind. */
function inBase64(secret: string): string[] {
  const whole = [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('base64url')];
  const within = [0, 1, 2].map((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
  const all = [...within, ...within.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
  return [...whole, ...all.filter((text) => text.length >= shortest.known)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
