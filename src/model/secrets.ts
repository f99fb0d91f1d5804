/**
 * Secrets are never shown: neither what stands under a name that tells of one, nor a value that this process
 * knows, in any spelling. Linear in time.
 */
import { lettersAndDigits } from '../text/fold.ts';
import { orNone } from './invalid-value.ts';
import { isExactNumber, type Json, parseJson, stringifyJson } from './json.ts';
import { shellQuoted } from './shell-quote.ts';

export const mask = '********';

/** Words for secrets, in the languages of rosters, without accents and marks. */
const secretWord = new RegExp(
  [
    'token|secret(?!ar[iy]|aire)|passw|passphrase|passcode|pwd|^pw$|credential|cookie|^pin$|pincode|^otp$|(api|access|private)key',
    'kennwort|motdepasse|contrasena|wachtwoord|senha$|haslo|losenord|passord|adgangskode|salasana|jelszo|sifre|парол|ハスワート|密码',
  ].join('|'),
);
/** Names with such a word that name no secret: the token of a page; type, source, number and times of a secret. */
const aboutSecrets =
  /^(next|prev|previous)?(page|pagination|continuation|sync)token$|^nexttoken$|(token|secret|password|cookie)s?(type|source|count|length|policy|(expire[sd]?|expiry|changed|created|updated|set|issued)(at|in|on)?)$/;
/** Names of secrets, but not in a roster, where a "Person key" is an ID, and "auth" a way to log in. */
const secretKey = /key$|(api|access|private|secret|signing|encryption|session|service|licen[cs]e)key/;
/** Other kinds of keys, and words that end in "key". */
const otherKey = /(public|primary|foreign|sort|partition|idempotency|hot|don|mon|tur|hoc|joc|whis)key$/;
const authorising = /^(x|proxy)?auth|authori[sz]ation$/;
/** Authors and authorities; how and when somebody logs in. */
const otherAuth =
  /^auth(or(?!i[sz]ation)|enticated(at|on|by|via)|(entication|ori[sz]ation)?(method|type|provider|mode|level|source|status|required|time)$)/;

const judgedWords = new Map<string, boolean>();

/** A key of JSON, a header of HTTP or a field of a query. */
export function isSecretKey(key: string): boolean {
  const known = judgedWords.get(key);
  if (known !== undefined) return known;
  const letters = headLetters(key);
  const isKey = secretKey.test(letters) && !otherKey.test(letters);
  const isAuth = authorising.test(letters) && !otherAuth.test(letters);
  const isSecret = isKey || isAuth || isSecretHeader(key);
  judgedWords.set(key, isSecret);
  return isSecret;
}

/** Whether the header of a roster's column names a secret. */
export function isSecretHeader(header: string): boolean {
  const letters = headLetters(header);
  return secretWord.test(letters) && !aboutSecrets.test(letters);
}

function headLetters(name: string): string {
  return lettersAndDigits(name.slice(-200));
}

/** Masked already: the last letters may show, and in the token's own header the word before it. */
const [isMask, isMaskedToken] = [/^\*{8}.{0,4}$/, /^\S+ \*{8}$/];

export function isHidden(key: string, value: unknown): boolean {
  if (typeof value === 'boolean' || (value ?? '') === '' || !isSecretKey(key)) return false;
  if (typeof value !== 'string') return true;
  return !isMask.test(value) && !(key === 'authorization' && isMaskedToken.test(value));
}

/** Masks the values of secret keys at any depth; returns the same object if nothing changes. `text` maps other strings. */
export function maskSecretKeys<T>(value: T, text: (string: string) => string = (string) => string, hides = isHidden): T {
  if (typeof value === 'string') return text(value) as T;
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) {
    const masked = value.map((item) => maskSecretKeys(item, text, hides));
    return masked.every((item, at) => item === value[at]) ? value : (masked as T);
  }
  const before: [string, unknown][] = Object.entries(value);
  const after = before.map(([key, item]) => (hides(key, item) ? mask : maskSecretKeys(item, text, hides)));
  if (before.every(([, item], at) => item === after[at])) return value;
  return Object.fromEntries(before.map(([key], at) => [key, after[at]])) as T;
}

/** Enough to recognise a token, too little to use it. */
export function maskedToken(token: string): string {
  return token.length < 12 ? mask : `${mask}${token.slice(-4)}`;
}

/** Shorter secrets would also match ordinary words. */
const shortest = { inUse: 4, known: 8, cut: 6 };
/** A token may have thousands of characters: V8 makes a pattern of them late, or none. */
const longestInPattern = 200;
const longestPart = 1 << 16;
/** The place before the dots that end a text that was cut. */
const ellipsis = /(?<![….])(?=…|\.{3})/;

export class Secrets {
  /** Output shows them; messages do not. */
  revealed = false;
  #spellings: readonly string[] = [];
  #long: readonly string[] = [];
  #pattern: RegExp | undefined;

  /** A secret that requests carry. */
  use(given: string, least: number = shortest.inUse): void {
    // A variable may end with a line break, which is not sent.
    const value = given.trim();
    if (value.length < least || this.#spellings.includes(value)) return;
    // Names of headers and codings are shown in small letters, and hexadecimal tokens are the same in capitals.
    const cases = value.length < shortest.known ? [value] : [value, value.toLowerCase(), value.toUpperCase()];
    const all = new Set([...this.#spellings, ...cases.flatMap(spellingsOf)]);
    this.#spellings = [...all].sort((one, other) => other.length - one.length);
    const at = this.#spellings.findIndex(({ length }) => length <= longestInPattern);
    this.#long = this.#spellings.slice(0, at < 0 ? undefined : at);
    const escaped = this.#spellings.slice(this.#long.length).map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    this.#pattern = at < 0 ? undefined : new RegExp(escaped.join('|'), 'g');
  }

  /** One of another profile, or of a proxy. */
  know(value: string | undefined): void {
    this.use(value ?? '', shortest.known);
  }

  /** The users and passwords of addresses in a text, and what their queries name so: short ones where they stand alone are words. */
  knowAddress(text = ''): void {
    for (const word of text.split(/\s+/)) {
      if (!/[@?]/.test(word)) continue;
      const address = word.replace(/^["']|["']$/g, '');
      const [, written = ''] = /^(?:[a-z][a-z\d+.-]*:)?\/\/([^/?#]*)@/i.exec(address) ?? [];
      for (const whole of [written, decodedText(written)]) {
        this.use(whole, whole.includes(':') ? shortest.inUse : shortest.known);
        this.know(whole.slice(whole.indexOf(':') + 1));
      }
      const [, query = ''] = /^[a-z][a-z\d+.-]*:[^?#]*\?([^#]*)/i.exec(address) ?? [];
      for (const [key, value] of new URLSearchParams(query)) {
        if (!isSecretKey(key)) continue;
        this.use(`${key}=${value}`);
        this.know(value);
      }
    }
  }

  /** A word that spells a secret with escapes is masked as a whole, and so is the beginning of one before a cut. */
  masked(text: string): string {
    if (this.#spellings.length === 0) return text;
    const shown = this.#withoutCuts(this.#without(text));
    if (!/[%\\&]/.test(shown)) return shown;
    const spells = (part: string) => readings(part).some((text) => this.#withoutCuts(this.#without(text)) !== text);
    return inWords(shown, (word) => (this.#partsOf(word).some(spells) ? mask : word));
  }

  /** A long word is read in parts, as each reading takes much more memory; a secret that two of them share is whole in the first. */
  #partsOf(word: string): string[] {
    const most = 12 * (this.#spellings[0]?.length ?? 0);
    return Array.from({ length: Math.ceil(word.length / longestPart) }, (_, at) =>
      word.slice(at * longestPart, (at + 1) * longestPart + most),
    );
  }

  #without(text: string): string {
    const left = this.#long.reduce((shown, spelling) => shown.replaceAll(spelling, mask), text);
    return this.#pattern ? left.replace(this.#pattern, mask) : left;
  }

  #withoutCuts(text: string): string {
    // All output passes here: the pattern alone takes twenty times as long.
    if (!text.includes('…') && !text.includes('...')) return text;
    const parts = text.split(ellipsis);
    const last = parts.pop() ?? '';
    return [...parts.map((part) => this.#withoutBeginning(part)), last].join('');
  }

  /** A text without the beginning of a secret at its end. */
  #withoutBeginning(text: string): string {
    const places = this.#spellings.map((spelling) => beginningIn(text, spelling)).filter((at) => at >= 0);
    return places.length === 0 ? text : text.slice(0, Math.min(...places)) + mask;
  }

  maskedIn<T extends Json | undefined>(value: T): T {
    const known = (text: string) => this.masked(text);
    return maskSecretKeys(value, known, () => false);
  }

  /** Text of the service, which may be cut: without what its names tell of, too. */
  maskedWords(text: string): string {
    // The text may have been cut without a sign.
    return this.masked(`${maskSecretPairs(text, (words) => this.masked(words))}…`).replace(/…$/, '');
  }
}

/** Where a text ends with the beginning of a secret; -1 where it does not. */
function beginningIn(text: string, secret: string): number {
  const least = secret.slice(0, Math.min(shortest.cut, Math.ceil(secret.length / 2)));
  let at = text.indexOf(least, Math.max(0, text.length - secret.length + 1));
  while (at >= 0 && !secret.startsWith(text.slice(at))) at = text.indexOf(least, at + 1);
  return at;
}

/** How a secret is spelled in addresses, forms, JSON, CSV, commands, HTML, hexadecimal and base64. */
function spellingsOf(secret: string): string[] {
  // Within a longer text, its first and last characters depend on what stands before and behind: they are left out.
  const inBase64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
  const alone = Buffer.from(secret).toString('base64');
  const encoded = [alone, ...inBase64.filter((text) => text.length >= shortest.known)];
  const ofAddresses = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''));
  const inHtml = secret.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const inAddress = encodeURIComponent(secret.toWellFormed());
  const [inForm, inJson, inCsv] = [secret.replaceAll(' ', '+'), JSON.stringify(secret).slice(1, -1), secret.replaceAll('"', '""')];
  const inShell = shellQuoted(secret).replace(/^['"]|['"]$/g, '');
  const inHex = Buffer.from(secret).toString('hex');
  return [secret, inAddress, inForm, inJson, inCsv, inShell, inHtml, inHex, inHex.toUpperCase(), ...encoded, ...ofAddresses];
}

const namedInHtml = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", plus: '+', sol: '/', equals: '=', lowbar: '_', period: '.' };
const [numberInHtml, nameInHtml] = [/&#(x[\da-f]{1,6}|\d{1,7});?/gi, new RegExp(`&(${Object.keys(namedInHtml).join('|')});`, 'g')];

/** The beginning of an escape before a cut. */
const cutEscape = /(?:%u?|\\(?:x|u\{?)?|&(?:#x?)?)[\da-f]{0,6}(?=…|\.{3})/gi;

function letterOf(code: number): string {
  return String.fromCodePoint(Math.min(code, 0x10ffff));
}

/** What a word has besides escapes: a pattern of both would need memory for each escape. */
const unescaped = /[^\s"\\]*/y;

/** A text with other words. An escaped quotation mark does not end one. */
function inWords(text: string, shown: (word: string) => string): string {
  let [made, begin, at] = ['', 0, 0];
  while (at < text.length) {
    unescaped.lastIndex = at;
    unescaped.test(text);
    at = unescaped.lastIndex;
    if (text[at] === '\\' && /\S/.test(text[at + 1] ?? ' ')) at += 2;
    else {
      const word = text.slice(begin, at);
      made += (/[%\\&]/.test(word) ? shown(word) : word) + text.slice(at, at + 1);
      at += 1;
      begin = at;
    }
  }
  return made + shown(text.slice(begin));
}

/** The text without its outermost escapes, without those below them, and so on. */
function readings(text: string, times = 5): string[] {
  const plain = decodedText(text);
  return plain === text || times === 1 ? [plain] : [plain, ...readings(plain, times - 1)];
}

/** A text without its outermost escapes: those of programs, JSON, HTML and addresses. */
function decodedText(text: string): string {
  const ofHtml = text
    .replace(cutEscape, '')
    .replace(numberInHtml, (_, code: string) => letterOf(Number(code.replace(/^x/i, '0x'))))
    .replace(nameInHtml, (_, name: keyof typeof namedInHtml) => namedInHtml[name]);
  const letter = (_: string, itself?: string, ...codes: string[]) => itself ?? letterOf(Number(`0x${codes.find(Boolean)}`));
  const ofJson = ofHtml.replace(/\\(?:(["\\/])|u([\da-f]{4})|x([\da-f]{2})|u\{([\da-f]{1,6})\})|%u([\da-f]{4})/gi, letter);
  return ofJson.replace(/(?:%[\da-f]{2}){1,1000}/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

/**
 * Text without what its names tell of: in whole JSON, the values of secret keys; in other text all behind the
 * first such name with "=" or ":", as nothing tells where a value ends. `known`: without known values.
 */
export function maskSecretPairs(text: string, known: (text: string) => string = (same) => same): string {
  const json = orNone(() => (/^\s*[[{]/.test(text) ? parseJson(text) : undefined));
  if (json !== undefined) {
    const shown = maskSecretKeys(json, (string) => maskSecretPairs(string, known));
    return known(shown === json ? text : stringifyJson(shown));
  }
  const first = known(text);
  const plain = readings(first).at(-1) ?? first;
  const shown = hiddenBehindNames(plain);
  return shown === plain ? first : shown;
}

const wordPattern = /[^\s"'`{}()<>=:,;&?/|]+/g;
const separator = /["'`\s]*[=:]\s*/y;

function hiddenBehindNames(text: string): string {
  for (const { 0: name, index } of text.matchAll(wordPattern)) {
    separator.lastIndex = index + name.length;
    if (!separator.test(text) || separator.lastIndex === text.length) continue;
    const at = separator.lastIndex;
    // The last part of user[pin] says what it is.
    const part = name.split(/[.[\]]/).findLast(Boolean) ?? '';
    if (isSecretKey(name) || isSecretKey(part)) return text.slice(0, at) + mask;
  }
  return text;
}

export function shownHeader(name: string, value: string): string {
  if (isSecretKey(name)) return `${name}: ${isHidden(name, value) ? mask : value}`;
  return `${name}: ${maskSecretPairs(value.replace(/\/\/[^/@\s]{0,500}@/g, '//'))}`;
}
