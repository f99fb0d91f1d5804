/**
 * Text of a service in which secrets stand under their names: JSON, also inside of strings and cut short, and what
 * only looks like pairs, such as queries, headers in a sentence, maps of other languages, and XML.
 */

import { patternOnUse } from '../text/pattern.ts';
import { type Json, parseJson, stringifyJson } from './json.ts';
import { isMasked, isMaskedToken, isSecretKey, mask, maskSecretKeys } from './secret-keys.ts';

/** The text with the values of secret keys masked: where it is JSON in its value, else in what looks like it. */
export function maskSecretPairs(text: string): string {
  const value = collectionIn(text);
  if (value !== undefined) {
    const shown = maskSecretKeys(value, maskSecretPairs);
    return shown === value ? text : stringifyJson(shown);
  }
  const plain = unescaped(text);
  const shown = maskSecretWords(maskElements(maskQuotedPairs(plain)));
  return shown === plain ? text : shown;
}

/** The object or array that a text is; undefined where it is cut short or something else. */
function collectionIn(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Spellings of a letter or digit that JSON, JavaScript, addresses and XML read as the letter itself. */
const escapes = /\\{1,8}u00([2-7][\da-f])|\\{1,8}x([2-7][\da-f])|%([2-7][\da-f])|&#x0{0,4}([2-7][\da-f]);|&#0{0,4}(\d{2,3});/gi;

/** The text with letters and digits as themselves; what separates and quotes stays escaped. */
export function unescaped(text: string): string {
  return text.replace(escapes, (spelling, ...codes: (string | undefined)[]) => {
    const [hexadecimal] = codes.slice(0, 4).filter((code) => code !== undefined);
    const letter = String.fromCharCode(hexadecimal === undefined ? Number(codes[4]) : Number.parseInt(hexadecimal, 16));
    return /[\w.~-]/.test(letter) ? letter : spelling;
  });
}

/** JSON that is not whole: behind each secret key its value is masked, to its end or to that of the text. */
function maskQuotedPairs(text: string): string {
  return maskBehind(text, quotedKey, (start) => endOfValue(text, start), `"${mask}"`);
}

const quotedKey = /"((?:[^"\\]|\\.){1,200})"\s*:\s*/gs;

/** XML: the content of elements with secret names, also where the text is cut within one. */
function maskElements(text: string): string {
  const isXml = /^\s*(<|&lt;)/.test(text);
  const end = (start: number, name: string) => {
    const [plain, escaped] = [text.indexOf(`</${name}`, start), text.indexOf(`&lt;/${name}`, start)];
    const found = [plain, escaped].filter((at) => at >= 0);
    return found.length > 0 ? Math.min(...found) : isXml ? text.length : start;
  };
  return maskBehind(text, element(), end, mask);
}

const element = patternOnUse(String.raw`(?:<|&lt;)([\p{L}_][\p{L}\p{N}_.:-]{0,99})(?:\s(?:(?!&gt;)[^<>]){0,500})?(?<!\/)(?:>|&gt;)`, 'gu');

/** Text in which what follows a secret word is masked: `token=…` in an address, `Password: …` in a sentence. */
export function maskSecretWords(text: string): string {
  return maskBehind(text, plainKey(), (start, key) => endOfWords(text, start, key), mask);
}

/** As it is; inside of JSON strings, of XML, of addresses. */
const quote = String.raw`(?:\\{0,8}["'\x60]|&(?:quot|apos|#0{0,4}3[49]|#x0{0,4}2[27]);|%2[27])`;
const plainKey = patternOnUse(
  String.raw`((?:[\p{L}\p{N}_.[\]-]|%5[BD]){1,100})${quote}?\s{0,100}(?:={1,3}>?|:(?!\/\/)=?|->|%3D|%3A(?!%2F%2F))\s{0,100}`,
  'giu',
);
const opening = new RegExp(quote, 'iy');
const letter = patternOnUse(String.raw`[\p{L}\p{N}]`, 'u');
/** Schemes of authorisation have a word before the secret, and Digest a list behind it. */
const plainValue = /(?:digest\s[^\r\n]+|(?:(?:bearer|basic|token|\w+token)\s+)?[^\s"'&;,<>]+)/iy;
const authorisation = /(?:digest\s[^\r\n]+|(?:[\w-]+[ \t]+)?[^\s"'&;,<>]+)/iy;

/** Where the value ends that begins here: a quoted one at its closing quote, a list or map at its bracket. */
function endOfWords(text: string, start: number, key: string): number {
  opening.lastIndex = start;
  const opened = opening.exec(text)?.[0];
  if (opened !== undefined) {
    for (let at = start + opened.length; ; at += 1) {
      at = text.indexOf(opened, at);
      if (at < 0) return text.length;
      // In an address, a quote is a letter like others: what it opens ends where no other one follows it.
      if (!isEscaped(text, at, opened) && !letter().test(text[at + opened.length] ?? '')) return at + opened.length;
    }
  }
  if (text[start] === '{' || text[start] === '[') return endOfValue(text, start);
  const value = /authori[sz]ation$/i.test(key) ? authorisation : plainValue;
  value.lastIndex = start;
  return start + (value.exec(text)?.[0].length ?? 0);
}

/** Whether a quote that was found stands inside of what such a quote has opened: with more backslashes than the opening one. */
function isEscaped(text: string, at: number, opened: string): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  // Each level of JSON doubles them: an odd number of its own kind escapes, an even one is of backslashes.
  return Math.floor((at - before) / (opened.lastIndexOf('\\') + 2)) % 2 === 1;
}

/** The text with what stands behind each secret key masked. `end`: where the value ends that begins at an offset. */
function maskBehind(text: string, keys: RegExp, end: (start: number, key: string) => number, shown: string): string {
  let made = '';
  let from = 0;
  for (const match of text.matchAll(keys)) {
    const start = match.index + match[0].length;
    const key = match[1] ?? '';
    if (match.index < from || !isSecretName(key)) continue;
    const stop = end(start, key);
    if (stop === start || isMasked(text.slice(start, stop).replace(/^"|"$/g, ''))) continue;
    made += text.slice(from, start) + shown;
    from = stop;
  }
  return made + text.slice(from);
}

/** A name as it is written, with escapes; of a path such as user[pin] its last part may be the one that tells. */
function isSecretName(written: string): boolean {
  const name = unquoted(written).replace(/%5[bd]/gi, '.');
  return isSecretKey(name) || isSecretKey(/[^.[\]:]+(?=[.[\]:]*$)/.exec(name)?.[0] ?? '');
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

/** A header as it may be shown. Of the token's own header, the word before it stays. */
export function shownHeader(name: string, value: string): string {
  if (isMaskedToken(name, value)) return `${name}: ${value}`;
  if (isSecretKey(name)) return `${name}: ${mask}`;
  return `${name}: ${maskSecretPairs(value).replace(/\/\/[^/@\s]*@/g, '//')}`;
}
