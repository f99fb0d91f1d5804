/** The fields of a roster: who a student is, by address or number, the name, the times. */
import { isUtf8 } from 'node:buffer';
import { CliError } from '../errors.ts';
import { ruleOf } from '../model/fields.ts';
import { InvalidValue, orNone } from '../model/invalid-value.ts';
import { parseJson } from '../model/json.ts';
import { maskIn } from '../model/listing.ts';
import { nearest } from '../model/nearest.ts';
import { normalForm } from '../text/fold.ts';
import { quote, quoteAll, sentence } from '../text/sentence.ts';
import { isAnyName, nameParts, rosterFieldOf, type StudentField, studentFields, wholeNames } from './aliases.ts';
import type { Columns, TableFields, Texts } from './columns.ts';
import { isAddress } from './table.ts';

/** A field that a column of a roster has; with --map, any other field of the API. */
export type RosterField = 'exam' | StudentField | (string & {});

/** `nameKey`, `numberKey`: dialect.sessionNameKey and sessionNumberKey, as `sessions export` heads its columns. `namesExams`: lines may name their exams. */
export type RosterOptions = { nameKey: string; numberKey: string; namesExams: boolean };

/** A heading or a sum in the column of the numbers is none. */
const isNumber = (text: string) => !/\s/.test(text) && /\d/.test(text);

export function rosterFields({ nameKey, numberKey, namesExams }: RosterOptions): TableFields<RosterField> {
  const hasNumbers = numberKey !== '';
  const ofStudents = studentFields.filter((field) => hasNumbers || field !== 'number');
  const own = new Map([
    [nameKey, 'name'],
    [numberKey, 'number'],
  ]);
  const names = namesExams ? ['exam', ...ofStudents] : ofStudents;
  return {
    what: 'a roster',
    rows: 'students',
    names,
    named: (header) => names.find((name) => name === (rosterFieldOf(header) ?? own.get(header))),
    mapped: (field) => mappedField(field, names, numberKey),
    identity: {
      called: hasNumbers ? 'address or number' : 'address',
      isIn: ({ email = '', number = '' }) => isAddress(email) || isNumber(number),
    },
    settle: keepOneName,
    meant: withWholeName,
    judge({ header }) {
      const unused = hasNumbers ? [] : header.filter((name) => rosterFieldOf(name) === 'number');
      return unused.length === 0 ? [] : [sentence`${quoteAll(unused)} is not used. ${howToUseNumbers}`];
    },
  };
}

function mappedField(field: string, names: readonly string[], numberKey: string): RosterField | undefined {
  refuseUnsendable(field);
  if (numberKey !== '' && ['number', numberKey].includes(field)) return 'number';
  if (field === 'number') throw new CliError('usage', '--map: no field of a student holds the number.', { hint: howToUseNumbers });
  const isOther = field !== 'exam' && nearest(field, names) === undefined && /^[A-Za-z_][\w.-]*$/.test(field);
  return isOther ? field : undefined;
}

const howToUseNumbers = sentence`To find students by their numbers, look which field has them (proctor-cli sessions get ID -o json), then name it: proctor-cli config set dialect.sessionNumberKey FIELD`;

/** "Name" beside "Vorname" is the part that is missing. Both parts go before a whole name. */
function keepOneName(found: Map<RosterField, number[]>, header: readonly string[], mapped: Columns<RosterField>): void {
  const has = (field: string) => found.has(field) || mapped.has(field);
  const [first, last] = [has('first_name'), has('last_name')];
  const either = (found.get('name') ?? []).filter((index) => isAnyName(header[index] ?? ''));
  if (first !== last && either.length > 0) found.set(first ? 'last_name' : 'first_name', either);
  const isMapped = wholeNames.some((field) => mapped.has(field));
  const isWhole = wholeNames.some(has) && !(has('first_name') && has('last_name'));
  if (isMapped || isWhole) for (const field of nameParts) found.delete(field);
  if (isMapped || !isWhole) for (const field of wholeNames) found.delete(field);
}

/** "Last, First" is turned only where the heading or a known export says so. */
function withWholeName(texts: Texts<RosterField>): Texts<RosterField> {
  const { last_name_first: turned, first_name, infix, last_name, second_last_name, ...line } = texts;
  const parts = [first_name, infix, last_name, second_last_name].filter(Boolean).join(' ');
  const name = line.name ?? (turned === undefined ? parts : spokenName(turned));
  return name === '' ? line : { ...line, name };
}

/** Refuses a field that no request can set. The import sets `open_time` afterwards. */
export function refuseUnsendable(field: string): void {
  if (['id', 'exam_id'].includes(field)) {
    const what = sentence`${field} is not sent: the service gives IDs, and --exam or --map exam=HEADER says which exam.`;
    throw new CliError('usage', what, { hint: sentence`Leave out ${field}.` });
  }
  const rule = ruleOf('session', field);
  if (rule && rule.setBy.length === 0)
    throw new CliError('unsupported', sentence`${rule.reason}. Nothing was sent.`, { hint: sentence`${rule.instead}` });
}

function spokenName(name: string): string {
  const [last, first, ...more] = name.split(',').map((part) => part.trim());
  return last && first && more.length === 0 ? `${first} ${last}` : name;
}

/** `#N/A`, `#WERT!`, `#NAME?`, which each language and version has some more of, and those of LibreOffice. */
const spreadsheetError = /(^|\s)(#(N\/A|NV|ND|N\/D|GETTING_DATA|[\p{L}\d/_]+[!?])|Err:5\d\d)(\s|$)/iu;

export function nameFault(name: string): string | undefined {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'the name contains a line break or another control character';
  if (spreadsheetError.test(name)) return 'the name contains an error of the spreadsheet';
  if (/^[[{]/.test(name) && orNone(() => parseJson(name)) !== undefined) return 'the name is an object or a list of JSON';
  return name.toWellFormed().includes('\ufffd') ? 'letters of the name were lost when the file was saved; export it again' : undefined;
}

/**
 * What a spreadsheet has made of a student's number: a power of ten, a fraction, groups of thousands, a date, a time, the
 * signs of a column that is too narrow, a formula, an apostrophe, a share or an amount. Hidden characters.
 */
const [changedNumber, changedToTime] = [
  /^(?:\d+(?:[.,]\d+E[+-]?|E[+-])\d+|\d+[.,]0*|\d{1,3}(?:[.'’\s]\d{3}){1,99}|#+)$|^['‘’=]|[%\p{Sc}\p{C}\p{DI}]/iu,
  /^(?:\d{4}-\d\d-\d\d(?:[T ].*)?|\d\d?([./])\d\d?\1(?:\d\d){1,2}|\d+(?::\d\d){1,2}(?: h)?)$/,
];

/** Throws `InvalidValue`. */
export function numberOf(text: string): string {
  // A line with other separators than the header is one cell. JSON has lists and objects.
  if (/[@,;|\t{}[\]]/.test(text))
    throw new InvalidValue(sentence`${quote(text)} is no number of a student: it has an address or several cells.`);
  // A login name is one, too.
  if (!/[\p{L}\p{N}]/u.test(text))
    throw new InvalidValue(sentence`${quote(text)} is no number of a student: it has no letter and no digit.`);
  const plain = normalForm(text, 'NFKC');
  if (plain !== normalForm(text, 'NFC')) throw new InvalidValue(sentence`${quote(text)} has signs of another width: it may be ${plain}.`);
  if (![changedNumber, changedToTime, spreadsheetError].some((changed) => changed.test(text))) return text;
  const hint = sentence`Give the column the format "Text", enter the numbers again, and save the file.`;
  throw new InvalidValue(sentence`${quote(text)} is no number of a student, but what a spreadsheet has made of one.`, hint);
}

/** Judges whether a spreadsheet may have taken the zeros from a number: those that begin with 0 are all longer. */
export function zerosLacking(numbers: readonly string[]): (number: string) => boolean {
  const least = numbers.filter((one) => /^0\d+$/.test(one)).reduce((length, one) => Math.min(length || one.length, one.length), 0);
  return (number) => number.length < least && /^[1-9]\d*$/.test(number);
}

export const asText = 'In a spreadsheet, the column needs the format "Text".';

let otherSets: readonly ReadonlyMap<string, number>[] | undefined;

/** The bytes of letters in the sets by which programs read UTF-8 that they do not recognise. */
function setsOtherThanUtf8() {
  otherSets ??= ['1252', '1250', '1251', '1254', '1257'].map((name) => {
    const letters = new TextDecoder(`windows-${name}`).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    return new Map(Array.from(letters, (letter, byte) => [letter, byte]));
  });
  return otherSets;
}

/** RÓŻYCKI has bytes of UTF-8 as well, by chance: of a Cyrillic letter among Latin ones. */
const mixesScripts = (word: string) =>
  /\p{Script=Latin}/u.test(word) && /[^\p{Script=Latin}\p{Script=Common}]/u.test(normalForm(word, 'NFC'));

function wasUtf8(name: string, set: ReadonlyMap<string, number>): boolean {
  const bytes = Buffer.from(Array.from(name, (letter) => set.get(letter) ?? 0xff));
  return isUtf8(bytes) && !bytes.toString().split(/\s/).some(mixesScripts);
}

/** UTF-8 that was read as something else, lost letters, escapes, or a formula: `JÃ¼rgen`, `J√ºrgen`, `J?rgen`, `O&#039;Neil`, `J=C3=BCrgen`. */
export function looksDamaged(name: string): boolean {
  if (/\\|\p{L}(?:\?+|[¿¡¼½¾„”‚‰¨])\p{L}/u.test(name)) return true;
  if (/&(?:#\d+|#x[\da-f]+|[a-z]+);|[=%][\da-f]{2}|\+A[\w/]{2}-|^=/i.test(name)) return true;
  // Readings by another set of characters have signs of mathematics, or lines.
  if (/(?![\p{ASCII}\p{Emoji}])[\p{Sm}\p{So}]/u.test(name)) return true;
  return /\P{ASCII}/u.test(name) && setsOtherThanUtf8().some((set) => wasUtf8(name, set));
}

export const mendEncoding = sentence`Export the file again as UTF-8, or read it in its own encoding, with --encoding.`;

/** A part of an address between dots, before the @ or in the domain. */
const word = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{}~-]+$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/** Why no mail would arrive (RFC 5321, letters of RFC 6531). */
export function addressFault(text: string): string | undefined {
  const [local = '', domain, ...more] = text.split('@');
  const [words, labels] = [local.split('.'), (domain ?? '').split('.')];
  if (domain === undefined) return 'it contains no @';
  const addresses = text.split(/[\s,;|<>()]+/).filter((part) => /.@./.test(part));
  if (addresses.length > 1) return 'the cell contains several addresses';
  if (more.length > 0) return 'it contains more than one @';
  if (/\s/.test(text)) return 'it contains a space';
  if (normalForm(text, 'NFKC') !== normalForm(text, 'NFC')) return 'it contains letters of another width or form';
  if (/^[#']/.test(local) || !words.every((one) => word.test(one))) return 'what stands before the @ is invalid';
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(text) > 254) return 'it is too long';
  if (labels.length < 2) return 'the domain contains no dot';
  const isValid = labels.every((one) => label.test(one)) && !/\.\d+$/.test(domain);
  if (!isValid) return 'the domain is invalid';
  if (/\p{DI}/u.test(text)) return 'it contains a character that is not shown';
  // A masked address in a list could stand for any other.
  return maskIn({ email: text }) === undefined ? undefined : 'a part of it is hidden';
}

/** Throws `InvalidValue`. */
export function validAddress(text: string): string {
  const fault = addressFault(text);
  if (fault === undefined) return text;
  throw new InvalidValue(sentence`${quote(text)} is not an e-mail address: ${fault}.`);
}
