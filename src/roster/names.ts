/** Names and addresses of people: "Berg, Jan van der" is Jan van der Berg where the last name comes first. */
import { isUtf8 } from 'node:buffer';
import { InvalidValue } from '../model/invalid-value.ts';
import { sentence } from '../text/sentence.ts';
import { quote } from './table.ts';
import { bytesOfCharacters } from './text.ts';

/** The name in the order in which it is spoken; unchanged where it is not written as "Last, First". */
export function spokenName(name: string): string {
  const [last, first, ...more] = name.split(',').map((part) => part.trim());
  return last && first && more.length === 0 ? `${first} ${last}` : name;
}

/** The name and the address in `"Lee, Ann" <ann@example.org>`; the text itself as the address where it is not written so. */
export function addressWithName(text: string): { email: string; name?: string } {
  const [, before = '', address = ''] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? [];
  if (address === '') return { email: text };
  const name = before.trim().replaceAll(/^"|"$/g, '');
  return name === '' ? { email: address.trim() } : { email: address.trim(), name };
}

const spreadsheetError =
  /(^|\s)#(N\/A|NV|REF!|BEZUG!|NAME\?|VALUE!|WERT!|DIV\/0!|NULL!|NUM!|ZAHL!|SPILL!|CALC!|VALEUR!|NOM\?|VALOR!|VERW!|ND|N\/D)(\s|$)/i;

/** Why a text cannot be what a person is called; undefined for one that may be. */
export function nameFault(name: string): string | undefined {
  if (/\p{Cc}/u.test(name)) return 'the name contains a line break or another control character';
  if (spreadsheetError.test(name)) return 'the name contains an error of the spreadsheet, as of a lookup that found nothing';
  if (name.includes('\ufffd')) return 'letters of the name were lost when the file was saved; export it again';
  const meant = ungarbled(name);
  return meant === undefined
    ? undefined
    : `the name is garbled: it was ${quote(meant)} before UTF-8 was read as another encoding; export the file again`;
}

/** What a garbled name was made of: Latin letters with marks, and quotation marks; "MÍŠEK" would be none of it. */
const latin = /^[\p{ASCII}\u00a0-\u021b\u1e00-\u1eff\u2010-\u203a]*$/u;

let bytes: ReadonlyMap<string, number> | undefined;

/** The text of which UTF-8 was read as windows-1252, "Müller" of "MÃ¼ller"; undefined where it was not. */
function ungarbled(text: string): string | undefined {
  bytes ??= bytesOfCharacters('windows-1252');
  const found = Buffer.from(Array.from(text, (char) => bytes?.get(char) ?? 0));
  const meant = found.toString();
  return /\P{ASCII}/u.test(text) && isUtf8(found) && !found.includes(0) && latin.test(meant) ? meant : undefined;
}

/** The parts between the dots of what stands before the @, and of the domain. */
const word = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Why a text is no address; undefined for one to which mail systems deliver (RFC 5321, with the letters of RFC 6531), not all that the
 * grammar permits. A domain has a dot: "ann@gmail" is a slip far more often than a host of one's own.
 */
export function addressFault(text: string): string | undefined {
  const [local = '', domain, ...more] = text.split('@');
  const [words, labels] = [local.split('.'), (domain ?? '').split('.')];
  if (domain === undefined) return 'it contains no @';
  if (text.split(/[\s,;|<>()]+/).filter((part) => /.@./.test(part)).length > 1) return 'the cell contains several addresses';
  if (more.length > 0) return 'it contains more than one @';
  if (/\s/.test(text)) return 'it contains a space';
  if (local.startsWith('#') || !words.every((one) => word.test(one))) return 'what stands before the @ is invalid';
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(text) > 254) return 'it is too long';
  if (labels.length < 2) return 'the domain contains no dot';
  return /\.\d+$/.test(domain) || !labels.every((one) => label.test(one)) ? 'the domain is invalid' : undefined;
}

/** Throws `InvalidValue` for a text that is no address. */
export function addressIn(text: string): string {
  const fault = addressFault(text);
  if (fault === undefined) return text;
  throw new InvalidValue(sentence`${quote(text)} is not an e-mail address: ${fault}.`);
}
