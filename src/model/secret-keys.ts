/**
 * Names of secrets: which keys of JSON, headers, fields of queries and columns of rosters tell of one by their
 * name. What stands under such a key is never shown, whatever it is.
 */
import { lettersAndDigits } from '../text/fold.ts';
import { isExactNumber } from './json.ts';

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
  const secret = hasSecretWord(letters) || isKey || (authorising.test(letters) && !otherAuth.test(letters));
  judged.set(key, secret);
  return secret;
}

/** Whether a column of a roster holds secrets, by its header. */
export function isSecretHeader(header: string): boolean {
  return hasSecretWord(lettersOf(header));
}

function hasSecretWord(letters: string): boolean {
  return secretWord.test(letters) && !aboutSecrets.test(letters);
}

/** Of a name without end, its end. */
function lettersOf(name: string): string {
  return lettersAndDigits(name.slice(-200));
}

/** Whether this is the token's own header as a planned request shows it: of it, the word before the mask stays. */
export function isMaskedToken(header: string, value: unknown): boolean {
  return header === 'authorization' && typeof value === 'string' && /^\S+ \*{8}$/.test(value);
}

/** Whether something stands there that is no mask already, behind which the last letters may show. */
function isHeld(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && !/^\*{8}.{0,4}$/.test(value);
  return value !== null && value !== undefined && typeof value !== 'boolean';
}

/** A copy of a value in which the values of secret keys are masked, at any depth; itself, where nothing changes. `text`: of all other strings. */
export function maskSecretKeys<T>(value: T, text: (string: string) => string = (string) => string, isSecret = isSecretKey): T {
  if (typeof value === 'string') return text(value) as T;
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => maskSecretKeys(item, text, isSecret));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  const shown = Object.entries(value).map(([key, item]): [string, unknown] => {
    const isHidden = isSecret(key) && isHeld(item) && !isMaskedToken(key, item);
    return [key, isHidden ? mask : maskSecretKeys(item, text, isSecret)];
  });
  return shown.every(([key, item]) => item === (value as Record<string, unknown>)[key]) ? value : (Object.fromEntries(shown) as T);
}
