/**
 * Secrets that stand under their names in text of a service. In JSON that is whole, their values are masked. In any other
 * text, JSON that was cut short included, nothing is shown behind the first such name with "=" or ":", to the end: there
 * is no telling where a value ends. Takes time in proportion to the text.
 */
import { type Json, parseJson, stringifyJson } from './json.ts';
import { isMaskedToken, isSecretKey, mask, maskSecretKeys } from './secret-keys.ts';

/** The text without what its names tell of. `known`: a text without the secrets that are known by their value. */
export function maskSecretPairs(text: string, known: (text: string) => string = (same) => same): string {
  const json = maskedJson(text, known);
  if (json !== undefined) return json;
  // First as it is: a known secret may have in it what looks like an escaped letter.
  const first = known(text);
  const plain = unescaped(first);
  const shown = hiddenBehindNames(known(plain));
  return shown === plain ? first : shown;
}

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

/** Spellings of a character in JSON, and of one of ASCII in addresses. */
const escapes = /\\u([\da-f]{4})|%([2-7][\da-f])/gi;

function unescaped(text: string): string {
  return text.replace(escapes, (_, ofJson?: string, ofAddress?: string) =>
    String.fromCharCode(Number.parseInt(ofJson ?? ofAddress ?? '', 16)),
  );
}

const words = /[^\s"'`{}()<>=:,;&?/|]+/g;
const separator = /["'`\s]*[=:]\s*/y;

function hiddenBehindNames(text: string): string {
  for (const { 0: name, index } of text.matchAll(words)) {
    separator.lastIndex = index + name.length;
    if (!separator.test(text) || separator.lastIndex === text.length) continue;
    // Of a path such as user[pin], the last part may be the one that tells.
    const last =
      name
        .slice(-200)
        .split(/[.[\]]/)
        .findLast((part) => part !== '') ?? '';
    const at = separator.lastIndex;
    if (isSecretKey(name) || isSecretKey(last)) return text.slice(0, at) + mask;
  }
  return text;
}

/** A header as it may be shown. Of the token's own header, the word before it stays. */
export function shownHeader(name: string, value: string): string {
  if (isMaskedToken(name, value)) return `${name}: ${value}`;
  if (isSecretKey(name)) return `${name}: ${mask}`;
  return `${name}: ${maskSecretPairs(value.replace(/\/\/[^/@\s]{0,500}@/g, '//'))}`;
}
