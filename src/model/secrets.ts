/**
 * Secrets that must never be shown: those that this process knows, wherever they appear, and values under
 * tell-tale keys. Both are masked before any text is cut, and again right before output.
 */
import { lettersAndDigits } from '../text/letters.ts';
import { isJsonObject, type Json, parseJson, stringifyJson } from './json.ts';

export const mask = '********';

/** A token as `auth status` shows it: enough to recognise it, too little to use it. */
export function maskedToken(token: string): string {
  return token.length < 12 ? mask : `${mask}${token.slice(-4)}`;
}

/** Names of secrets, in the languages in which rosters have their headers. */
const tellTale =
  /token|secret|passw|passphrase|pwd|kennwort|motdepasse|contrasena|wachtwoord|senha$|haslo|credential|cookie|^pin(code)?$|pincode|^otp$/;
/** Names of secrets in JSON, headers and queries. In a roster, a "Person key" is an ID, and "auth" a way to log in. */
const tellTaleInData = /key$|^auth|authori[sz]ation$/;
/** Keys that only sound like it: names, times and counts of secrets, and words that end in "key". */
const harmless =
  /^auth(or(?!i[sz]ation)|method|type|provider)|(^|public|primary|foreign|sort|partition|idempotency|hot|don|mon|tur|hoc|joc|whis)key$|(next|page|continuation)token$|(token|secret|password|cookie)s?(type|source|count|length|policy|(expire[sd]?|expiry|changed|created|updated|set|issued)(at|in|on)?)$/;

/** What was found out about keys: the records of a list all have the same ones. */
const judged = new Map<string, boolean>();
const judgedAtMost = 1000;

/** Whether the value of a JSON key, of an HTTP header or of a query's field is a secret. */
export function isSecretKey(key: string): boolean {
  const known = judged.get(key);
  if (known !== undefined) return known;
  const letters = lettersOf(key);
  const secret = (tellTale.test(letters) || tellTaleInData.test(letters)) && (letters === 'key' || !harmless.test(letters));
  if (judged.size >= judgedAtMost) judged.clear();
  judged.set(key, secret);
  return secret;
}

/** Whether a column of a roster holds secrets, by its header. */
export function isSecretHeader(header: string): boolean {
  const letters = lettersOf(header);
  return tellTale.test(letters) && !harmless.test(letters);
}

/** Letters and digits alone, without case and accents. */
function lettersOf(name: string): string {
  return lettersAndDigits(name.normalize('NFD').toLowerCase()).replaceAll('ł', 'l');
}

const masked = /^(\S+ )?\*{8}.{0,4}$/;

function isHeld(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return false;
  return typeof value !== 'string' || !masked.test(value);
}

/**
 * A copy of a value in which the values of secret keys are masked, at any depth; the value itself
 * where there is nothing to mask. `text` is applied to all other strings.
 */
export function maskSecretKeys<T>(value: T, text: (string: string) => string = (string) => string): T {
  if (typeof value === 'string') return text(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => maskSecretKeys(item, text));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const item: unknown = (value as Record<string, unknown>)[key];
    const shown = isSecretKey(key) && isHeld(item) ? mask : maskSecretKeys(item, text);
    if (shown === item) continue;
    copy = copy ?? { ...(value as Record<string, unknown>) };
    copy[key] = shown;
  }
  return (copy as T | undefined) ?? value;
}

/** Text of a service, such as a body: the values of secret keys masked, where it is JSON in JSON, else in what looks like it. */
export function maskSecretPairs(text: string): string {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null) {
      const shown = maskSecretKeys(value as Json);
      return shown === value ? text : stringifyJson(shown);
    }
  } catch {
    // Cut short or never JSON: what can be recognised in it is masked.
  }
  return maskSecretWords(maskQuotedPairs(text));
}

const quotedKey = /"((?:[^"\\]|\\.){1,200})"\s*:\s*/gs;
const plainKey = /([\p{L}\p{N}_.[\]-]{1,100})["']?\s*(?:=|:(?!\/\/)|%3D)\s*/giu;
const plainValue = /"[^"]*"?|'[^']*'?|(?:(?:bearer|basic|token|\w+token)\s+)?[^\s"'&;,<>]+|/iy;

/** JSON that is not whole: behind each secret key its value is masked, to its end or to that of the text. */
function maskQuotedPairs(text: string): string {
  return maskBehind(text, quotedKey, (start) => endOfValue(text, start), `"${mask}"`);
}

/** Text in which what follows a secret word is masked: `token=…` in an address, `Password: …` in a sentence. */
export function maskSecretWords(text: string): string {
  const end = (start: number) => {
    plainValue.lastIndex = start;
    return start + (plainValue.exec(text)?.[0].length ?? 0);
  };
  return maskBehind(text, plainKey, end, mask);
}

/** The text with what stands behind each secret key masked. `end`: where the value ends that begins at an offset. */
function maskBehind(text: string, keys: RegExp, end: (start: number) => number, shown: string): string {
  let made = '';
  let from = 0;
  for (const match of text.matchAll(keys)) {
    const start = match.index + match[0].length;
    if (match.index < from || !isSecretKey(unquoted(match[1] ?? ''))) continue;
    const stop = end(start);
    if (stop === start || masked.test(text.slice(start, stop).replace(/^"|"$/g, ''))) continue;
    made += text.slice(from, start) + shown;
    from = stop;
  }
  return made + text.slice(from);
}

function unquoted(key: string): string {
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return key;
  }
}

/** Where a JSON value ends that begins here; at the end of the text, where it is cut short. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') {
        inString = false;
        if (depth === 0) return at + 1;
      }
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth <= 1) return depth === 1 ? at + 1 : at;
      depth -= 1;
    } else if (character === ',' && depth === 0) return at;
  }
  return text.length;
}

/** A header as it may be shown. */
export function shownHeader(name: string, value: string): string {
  if (isSecretKey(name) && !masked.test(value)) return `${name}: ${mask}`;
  return `${name}: ${maskSecretPairs(value).replace(/\/\/[^/@\s]*@/g, '//')}`;
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
    return this.#withoutBeginning(this.masked(maskSecretPairs(text)));
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
