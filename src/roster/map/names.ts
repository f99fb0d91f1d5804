/** Names as people are called: "Berg, Jan van der" is Jan van der Berg, and "King Jr., Martin Luther" Martin Luther King Jr. */

import { quote } from '../read/quote.ts';

const suffix = /^(jr|sr|ii|iii|iv|phd|md|mba|msc|bsc|ma|ba|esq|dds|llm|mag|dipl[.-]?ing)\.?$/i;

/** "Ma" and "Ba" are names; the degrees are written MA and BA. */
const isSuffix = (part: string) => suffix.test(part) && !/^[MB]a$/.test(part);

type Inverted = { last: string; first: string; after: string[] };

/** The parts of "Last, First" with its suffixes; undefined for a name that is not written so. */
function inverted(name: string): Inverted | undefined {
  const parts = name
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const after = parts.slice(1).filter(isSuffix);
  const [last, first, ...more] = parts.filter((part, index) => index === 0 || !isSuffix(part));
  if (last === undefined || first === undefined || more.length > 0) return undefined;
  const space = last.search(/\s\S*$/);
  const ending = last.slice(space + 1);
  return space > 0 && isSuffix(ending)
    ? { last: last.slice(0, space).trimEnd(), first, after: [ending, ...after] }
    : { last, first, after };
}

/** The name in the order in which it is spoken; unchanged where it is not written as "Last, First". */
export function spokenName(name: string): string {
  const found = inverted(name);
  return found ? [found.first, found.last, ...found.after].join(' ') : name;
}

/** The name in `"Lee, Ann" <ann@example.org>`; undefined where there is none. */
export function displayName(text: string): string | undefined {
  const name = /^([^<>]*)<[^<>]*>$/
    .exec(text.trim())?.[1]
    ?.trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  return name === '' ? undefined : name;
}

const spreadsheetError =
  /(^|\s)#(N\/A|NV|REF!|BEZUG!|NAME\?|VALUE!|WERT!|DIV\/0!|NULL!|NUM!|ZAHL!|SPILL!|CALC!|VALEUR!|NOM\?|VALOR!|VERW!|ND|N\/D)(\s|$)/i;

/** The longest names on record have some 750 letters. */
const longestName = 1000;

/** Why a text cannot be what a person is called; undefined for one that may be. */
export function nameFault(name: string): string | undefined {
  if (/\p{Cc}/u.test(name)) return 'the name contains a line break or another control character';
  if (name.length > longestName) return `the name has ${name.length} letters, more than ${longestName}; the column may hold something else`;
  if (spreadsheetError.test(name)) return 'the name contains an error of the spreadsheet, as of a lookup that found nothing';
  if (name.includes('\ufffd')) return 'letters of the name were lost when the file was saved; export it again';
  const meant = ungarbled(name);
  return meant === undefined
    ? undefined
    : `the name is garbled: it was ${quote(meant)} before UTF-8 was read as another encoding; export the file again`;
}

/** A question mark in place of a letter, as a spreadsheet leaves it where it saves in an encoding that lacks the letter: "Ay?e" of "Ayşe". */
export function hasLostLetter(name: string): boolean {
  return /\p{L}\?|\?\p{L}/u.test(name);
}

/** What a garbled name was made of beside plain letters: Latin letters with marks, and quotation marks; "MÍŠEK" would be none of it. */
const latin = /^[\p{ASCII}\u00a0-\u021b\u1e00-\u1eff\u2010-\u203a]*$/u;

/** The bytes of windows-1252 by their characters. */
let bytes: Map<string, number> | undefined;

/** The text of which UTF-8 was read as windows-1252, "Müller" of "MÃ¼ller"; undefined where it was not. */
function ungarbled(text: string): string | undefined {
  if (!/[\u00c2-\u00f4]\P{ASCII}/u.test(text)) return undefined;
  bytes ??= new Map(
    Array.from(new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)), (char, byte) => [char, byte]),
  );
  const found = Array.from(text, (char) => bytes?.get(char));
  if (found.includes(undefined)) return undefined;
  try {
    const meant = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(found as number[]));
    const isOfOtherScript = (word: string) => word.length > 1 && !latin.test(word) && !/[a-z]/i.test(word);
    return latin.test(meant) || meant.split(/\s+/).some(isOfOtherScript) ? meant : undefined;
  } catch {
    return undefined;
  }
}
