/**
 * Secrets that this process knows and that must never be shown, wherever they appear, in any spelling of this program; and secrets that
 * stand under their names in text of a service. Takes time in proportion to the text.
 */
import { type Json, parseJson, stringifyJson } from './json.ts';
import { isMaskedToken, isSecretKey, mask, maskSecretKeys } from './secret-keys.ts';

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
    if (value.length < least || this.#spellings.includes(value)) return;
    this.#spellings = [...new Set([...this.#spellings, ...spellings(value)])].sort((one, other) => other.length - one.length);
    this.#pattern = new RegExp(this.#spellings.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
  }

  /** The text without any of the secrets. */
  masked(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, mask);
  }

  /** A value of JSON in which none of them stands; itself, where there is none. */
  maskedIn<T extends Json | undefined>(value: T): T {
    return this.#pattern === undefined
      ? value
      : maskSecretKeys(
          value,
          (text) => this.masked(text),
          () => false,
        );
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
  const within = [0, 1, 2].map((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
  const all = [Buffer.from(secret).toString('base64'), ...within.filter((text) => text.length >= shortest.known)];
  return all.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Text without what its names tell of. In JSON that is whole, the values of secret keys are masked. In any other text, JSON that was cut
 * short included, nothing is shown behind the first such name with "=" or ":", to the end: there is no telling where a value ends.
 * `known`: a text without the secrets that are known by their value.
 */
export function maskSecretPairs(text: string, known: (text: string) => string = (same) => same): string {
  const json = maskedJson(text, known);
  if (json !== undefined) return json;
  // First as it is: a known secret may have in it what looks like an escaped letter.
  const first = known(text);
  const plain = first.replace(escapes, (_, ofJson, ofAddress) => String.fromCharCode(Number.parseInt(ofJson ?? ofAddress, 16)));
  const shown = hiddenBehindNames(known(plain));
  return shown === plain ? first : shown;
}

/** Spellings of a character in JSON, and of one of ASCII in addresses. */
const escapes = /\\u([\da-f]{4})|%([2-7][\da-f])/gi;

/** Undefined where the text is no whole object or array, or nested too deep to be walked through. */
function maskedJson(text: string, known: (text: string) => string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: Json = parseJson(text);
    const shown = maskSecretKeys(value, (string) => maskSecretPairs(string, known));
    return known(shown === value && !text.includes('\\') ? text : stringifyJson(shown));
  } catch {
    return undefined;
  }
}

const words = /[^\s"'`{}()<>=:,;&?/|]+/g;
const separator = /["'`\s]*[=:]\s*/y;

function hiddenBehindNames(text: string): string {
  for (const { 0: name, index } of text.matchAll(words)) {
    separator.lastIndex = index + name.length;
    if (!separator.test(text) || separator.lastIndex === text.length) continue;
    // Of a path such as user[pin], the last part may be the one that tells.
    const parts = name.slice(-200).split(/[.[\]]/);
    const at = separator.lastIndex;
    if (isSecretKey(name) || isSecretKey(parts.findLast((part) => part !== '') ?? '')) return text.slice(0, at) + mask;
  }
  return text;
}

/** A header as it may be shown. Of the token's own header, the word before it stays. */
export function shownHeader(name: string, value: string): string {
  if (isMaskedToken(name, value)) return `${name}: ${value}`;
  if (isSecretKey(name)) return `${name}: ${mask}`;
  return `${name}: ${maskSecretPairs(value.replace(/\/\/[^/@\s]{0,500}@/g, '//'))}`;
}
