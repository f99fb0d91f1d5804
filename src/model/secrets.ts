/**
 * Secrets are never shown: those that stand under a name which tells of one, whatever they are; and the values that this process knows,
 * wherever they appear, in any spelling of this program. Takes time in proportion to the text.
 */
import { lettersAndDigits } from '../text/fold.ts';
import { orNone } from './invalid-value.ts';
import { isExactNumber, type Json, parseJson, stringifyJson } from './json.ts';

export const mask = '********';

/** A name with one of these in it tells of a secret, in the languages in which rosters have their headers. */
const secretWord =
  /token|secret(?!ar[iy]|aire)|passw|passphrase|pwd|kennwort|motdepasse|contrasena|wachtwoord|senha$|haslo|credential|cookie|^pin(code)?$|pincode|^otp$/;
/** Its only exceptions: tokens that name a page; the type, source, number and times of a secret. */
const aboutSecrets =
  /^(next|prev|previous)?(page|pagination|continuation|sync)token$|^nexttoken$|(token|secret|password|cookie)s?(type|source|count|length|policy|(expire[sd]?|expiry|changed|created|updated|set|issued)(at|in|on)?)$/;
/** In JSON, headers and queries, a key and what authorises are secrets, too. In a roster, a "Person key" is an ID, and "auth" a way to log in. */
const secretKey = /key$|(api|access|private|secret|signing|encryption|session|service|licen[cs]e)key/;
/** Keys of other kinds, and words that end in "key". */
const otherKey = /(public|primary|foreign|sort|partition|idempotency|hot|don|mon|tur|hoc|joc|whis)key$/;
const authorising = /^(x|proxy)?auth|authori[sz]ation$/;
/** Authors and authorities; how one logs in, and when one did. */
const otherAuth =
  /^auth(or(?!i[sz]ation)|enticated(at|on|by|via)|(entication|ori[sz]ation)?(method|type|provider|mode|level|source|status|required|time)$)/;

/** What was found out about keys: the records of a list all have the same ones. */
const judged = new Map<string, boolean>();

/** Whether the value of a JSON key, of an HTTP header or of a query's field is a secret. */
export function isSecretKey(key: string): boolean {
  const known = judged.get(key);
  if (known !== undefined) return known;
  const letters = lettersOf(key);
  const isKey = secretKey.test(letters) && !otherKey.test(letters);
  const secret = isSecretHeader(key) || isKey || (authorising.test(letters) && !otherAuth.test(letters));
  judged.set(key, secret);
  return secret;
}

/** Whether a column of a roster holds secrets, by its header. */
export function isSecretHeader(header: string): boolean {
  const letters = lettersOf(header);
  return secretWord.test(letters) && !aboutSecrets.test(letters);
}

/** Of a name without end, its end. */
function lettersOf(name: string): string {
  return lettersAndDigits(name.slice(-200));
}

/** Already a mask, behind which the last letters may show; of the token's own header, the word before it stays. */
const [isMask, isMaskedToken] = [/^\*{8}.{0,4}$/, /^\S+ \*{8}$/];

/** Whether the value under a key is to be hidden. */
export function isHidden(key: string, value: unknown): boolean {
  if (!isSecretKey(key) || value === undefined || value === null || value === '' || typeof value === 'boolean') return false;
  return typeof value !== 'string' || !(isMask.test(value) || (key === 'authorization' && isMaskedToken.test(value)));
}

/** A copy of a value in which the values of secret keys are masked, at any depth; itself, where nothing changes. `text`: of all other strings. */
export function maskSecretKeys<T>(value: T, text: (string: string) => string = (string) => string, hides = isHidden): T {
  if (typeof value === 'string') return text(value) as T;
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  const shown = Object.entries(value).map(([key, item]) => [key, hides(key, item) ? mask : maskSecretKeys(item, text, hides)] as const);
  if (shown.every(([key, item]) => item === (value as Record<string, unknown>)[key])) return value;
  return (Array.isArray(value) ? shown.map(([, item]) => item) : Object.fromEntries(shown)) as T;
}

/** A token as `auth status` shows it: enough to recognise it, too little to use it. */
export function maskedToken(token: string): string {
  return token.length < 12 ? mask : `${mask}${token.slice(-4)}`;
}

/** Shorter secrets would also match ordinary words. */
const shortest = { inUse: 4, known: 8 };

export class Secrets {
  /** The output of a command was requested with its secrets; messages stay without them. */
  revealed = false;
  #spellings: readonly string[] = [];
  #pattern: RegExp | undefined;

  constructor(inUse: readonly string[] = []) {
    for (const value of inUse) this.use(value);
  }

  /** A secret that requests carry. */
  use(value: string, least: number = shortest.inUse): void {
    if (value.length < least || this.#spellings.includes(value)) return;
    this.#spellings = [...new Set([...this.#spellings, ...spellings(value)])].sort((one, other) => other.length - one.length);
    this.#pattern = new RegExp(this.#spellings.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
  }

  /** One that is only known: of another profile, of a proxy. */
  know(value: string | undefined): void {
    this.use(value ?? '', shortest.known);
  }

  knowAddress(address: string | undefined): void {
    const [, written = ''] = /^(?:[a-z][a-z\d+.-]*:)?\/\/([^/?#]*)@/i.exec(address ?? '') ?? [];
    for (const whole of [written, decoded(written)]) {
      this.know(whole);
      this.know(whole.slice(whole.indexOf(':') + 1));
    }
  }

  /** The text without any of the secrets. A word that spells one with escapes is masked as a whole. */
  masked(text: string): string {
    const pattern = this.#pattern;
    if (pattern === undefined) return text;
    const shown = text.replace(pattern, mask);
    if (!/[%\\]/.test(shown)) return shown;
    return shown.replace(wordWithEscapes, (word) => {
      const plain = [decoded(word), decoded(decoded(word))];
      return plain.some((text) => text.search(pattern) >= 0) ? mask : word;
    });
  }

  /** A value of JSON in which none of them stands; itself, where there is none. */
  maskedIn<T extends Json | undefined>(value: T): T {
    const known = (text: string) => this.masked(text);
    return maskSecretKeys(value, known, () => false);
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

/** As it is; in an address or a form; in JSON; in HTML; in base64, within a longer text too. Other escapes are decoded before they are compared. */
function spellings(secret: string): string[] {
  // The characters that do not depend on what stands before or behind.
  const inBase64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
  const encoded = [Buffer.from(secret).toString('base64'), ...inBase64.filter((text) => text.length >= shortest.known)];
  const ofAddresses = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''));
  const inHtml = secret.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const inAddress = encodeURIComponent(secret.toWellFormed());
  return [secret, inAddress, secret.replaceAll(' ', '+'), JSON.stringify(secret).slice(1, -1), inHtml, ...encoded, ...ofAddresses];
}

/** From its beginning on, so that none is read twice; an escaped quotation mark does not end it. */
const wordWithEscapes = /(?<![^\s"])(?:\\\S|[^\s"\\])+/g;

/** Without its outermost escapes, those of JSON and of addresses. */
function decoded(text: string): string {
  return text
    .replace(/\\(?:u([\da-f]{4})|(["\\/]))/gi, (_, code?: string, itself?: string) => itself ?? String.fromCharCode(Number(`0x${code}`)))
    .replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

/**
 * Text without what its names tell of. In JSON that is whole, the values of secret keys are masked. In any other text, JSON that was cut
 * short included, nothing is shown behind the first such name with "=" or ":", to the end: there is no telling where a value ends.
 * `known`: a text without the secrets that are known by their value.
 */
export function maskSecretPairs(text: string, known: (text: string) => string = (same) => same): string {
  // Undefined where the text is no whole object or array, or nested too deep to be walked through.
  const json = orNone(() => (/^\s*[[{]/.test(text) ? parseJson(text) : undefined));
  if (json !== undefined) {
    const shown = maskSecretKeys(json, (string) => maskSecretPairs(string, known));
    return known(shown === json ? text : stringifyJson(shown));
  }
  const first = known(text);
  const plain = decoded(decoded(first));
  const shown = hiddenBehindNames(plain);
  return shown === plain ? first : shown;
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
  if (isSecretKey(name)) return `${name}: ${isHidden(name, value) ? mask : value}`;
  return `${name}: ${maskSecretPairs(value.replace(/\/\/[^/@\s]{0,500}@/g, '//'))}`;
}
