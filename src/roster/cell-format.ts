/** The text that a cell shows by the code of its format (ECMA-376 part 1, 18.8.30 and 18.8.31), which is read once for all of its cells. */

/** `marks`: for digits and parts of a date, in small letters. `pieces`: also the words between them. */
type Section = { pieces: readonly Piece[]; marks: string; isEmpty: boolean; hasLiterals: boolean };
type Piece = { text: string; isMark: boolean };

/** `sections`: for positive numbers, negative ones, zero. `text`: the one for texts. `shows`: in one of them, more than a number as it is. */
export type CellFormat = {
  kind: 'day' | 'time' | 'length' | 'minutes' | 'percent' | 'number';
  sections: readonly Section[];
  text: Section | undefined;
  shows: boolean;
  /** What stands behind a time, if it may be a time zone. */
  zone: string;
  /** What a long format has shown, of as many numbers and texts as it is read for. */
  known: Map<string | number, string | undefined> | undefined;
};

/** A text in quotes or behind "\", a space as wide as a letter, a filling, a length or a condition, other brackets, or one sign. */
const token = /"([^"]*)"|\\(.)|_.|\*.|(\[(?:h+|m+|s+|[<>=][^\][]*)\])|\[([^\][]*)\]|(general|am\/pm|a\/p|e[+-]|.)/gisu;
const isMark = /^(general|am\/pm|a\/p|e[+-]|[\d#?.,%/@abdeghmnqrswy])$/i;
/** Excel takes 255 characters; those for sums of money have some 80 pieces. */
const [longestCode, longCode, mostKnown] = [1000, 100, 5000];

export function formatOf(code: string): CellFormat {
  const codes: Piece[][] = [[]];
  for (const [, quoted, escaped, length, bracket, sign = ''] of (code.length > longestCode ? '[>0]"?"' : code).matchAll(token)) {
    // What stands in brackets is not shown, unless it is a currency.
    const word = quoted ?? escaped ?? /^\$([^-]+)/.exec(bracket ?? '')?.[1] ?? sign;
    const isOne = length !== undefined || isMark.test(sign);
    if (sign === ';') codes.push([]);
    else codes.at(-1)?.push({ text: isOne ? (length ?? sign) : word, isMark: isOne });
  }
  const sections = code === '' ? [] : codes.map(sectionOf);
  // The one for texts is the last: no number is shown by it.
  const text = sections.length > 3 || sections.at(-1)?.marks.includes('@') ? sections.pop() : undefined;
  const [pieces = []] = codes;
  const behind = pieces.slice(pieces.findLastIndex((piece) => piece.isMark) + 1).map(({ text }) => text);
  const zone = /Z|[A-Z]{2}|[+-]\d/.test(behind.join('')) ? behind.join('') : '';
  return {
    kind: formatKind(sections.map(({ marks }) => marks).join('')),
    sections,
    text,
    shows: sections.some(shows),
    zone,
    known: codes.flat().length > longCode ? new Map() : undefined,
  };
}

function sectionOf(pieces: Piece[]): Section {
  const textOf = (some: boolean) => pieces.map(({ text, isMark }) => (isMark === some ? text : '')).join('');
  const [marks, hasLiterals] = [textOf(true).toLowerCase(), textOf(false).trim() !== ''];
  const filled = pieces.filter(({ text }) => text !== '');
  return { pieces: filled, marks, isEmpty: filled.length === 0, hasLiterals };
}

/** With words or leading zeros. */
const shows = ({ marks, hasLiterals }: Section) => hasLiterals || /^(?:\[[^\]]*\])?[#?,]*0,*[#?0]/.test(marks);

/** Other texts in place of the marks. */
const replaced = ({ pieces }: Section, mark: (sign: string) => string) =>
  pieces.map(({ text, isMark }) => (isMark ? mark(text) : text)).join('');

function formatKind(marks: string): CellFormat['kind'] {
  if (marks.includes('%')) return 'percent';
  if (/\[[hms]/.test(marks)) return 'length';
  if (/^m+s/.test(marks)) return 'minutes';
  if (/[hs]/.test(marks)) return 'time';
  return /[abdgmnqrwy]|e(?![+-])/.test(marks.replaceAll('general', '')) ? 'day' : 'number';
}

/** Formats that have no code in the file: shares, days, times, a length. For some, the language says whether it is a day or a time. */
const builtIn = {
  '0%': [9, 10],
  d: [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58],
  h: [18, 19, 20, 21, 22, 32, 33, 34, 35, 55, 56],
  'mm:ss': [45, 47],
  '[h]': [46],
};
export const builtInFormats = Object.entries(builtIn).flatMap(([code, ids]) => ids.map((id) => [id, formatOf(code)] as const));
const general = formatOf('');

/** A date becomes the local time that Excel shows. Undefined where what it shows is not known. */
export function shownNumber(number: number, format = general, since1904 = false): string | undefined {
  // Excel keeps 15 digits; the others are lost.
  if (Math.abs(number) >= 1e15) return number.toExponential().toUpperCase();
  const { kind, zone } = format;
  if (kind === 'number') return remembered(format, number, () => inDigits(number, format));
  // 0.25 is 25%; 1/3 is rounded to as many digits as a share can have.
  if (kind === 'percent') return `${Number((number * 100).toFixed(3))}%`;
  // Days since the end of 1899, or since the beginning of 1904. Excel has a day more in the first months of 1900.
  const date = new Date(Math.round((number - 25_569 + (since1904 ? 1462 : 0)) * 86_400) * 1000);
  if (!(date.getTime() < Date.UTC(10_000, 0))) return String(number);
  // A time without a day may be a length: Excel writes 15 minutes as 00:15. Minutes and seconds alone hide the hours.
  if (number >= 0 && (kind === 'length' || (kind !== 'day' && number < 1))) {
    const seconds = Math.round(number * 86_400);
    const isLength = kind === 'length' || (kind === 'minutes' && seconds < 3600);
    return `${Math.floor(seconds / 3600)}${new Date(seconds * 1000).toISOString().slice(13, 19)}${isLength ? ' h' : zone}`;
  }
  if (number < (since1904 ? 0 : 61)) return String(number);
  return date.toISOString().slice(0, kind === 'day' && Number.isInteger(number) ? 10 : 19) + zone;
}

function remembered({ known }: Pick<CellFormat, 'known'>, value: string | number, show: () => string | undefined): string | undefined {
  if (!known) return show();
  if (!known.has(value) && known.size < mostKnown) known.set(value, show());
  return known.get(value);
}

/** A number with the words and leading zeros of its format, but neither rounded nor with separators. */
function inDigits(number: number, format: CellFormat): string | undefined {
  const { sections } = format;
  if (!format.shows && number !== 0 && !sections.some(({ isEmpty }) => isEmpty)) return String(number);
  if (sections.some(({ marks }) => marks.includes('['))) return undefined;
  const at = number === 0 ? 2 : Number(number < 0);
  const section = sections[at] ?? sections[0];
  if (section?.isEmpty) return number === 0 ? '' : undefined;
  if (!section || !shows(section)) return String(number);
  const { marks } = section;
  const sign = number < 0 && sections.length === 1 ? '-' : '';
  if (['general', ''].includes(marks)) return sign + replaced(section, () => String(Math.abs(number)));
  // Fractions, powers of ten, thousands.
  if (!/^[0#?][0#?,]*(?:\.[0#?]*)?$/.test(marks) || /,(?:\.|$)/.test(marks)) return undefined;
  const [before = '', behind] = marks.replaceAll(',', '').split('.');
  const [whole = '', part = ''] = Math.abs(number)
    .toFixed(Math.min(behind?.length ?? 0, 15))
    .split('.');
  // Half of a number that is shown as a whole one.
  if (behind === undefined && !Number.isInteger(number)) return undefined;
  const digits = whole
    .replace(/^0$/, '')
    .padStart(before.replace(/^[#?]+/, '').length, '0')
    .padStart(before.length);
  // Each place takes a digit, the first one all that are left.
  const first = digits.length - before.length + 1;
  const places = [digits.slice(0, first), ...digits.slice(first), ...(behind === undefined ? '' : `.${part}`)];
  return sign + replaced(section, (mark) => (mark === ',' ? '' : (places.shift() ?? '').trim())).trim();
}

/** A text, with the words around it. Undefined where the format shows other words. */
export function shownText(text: string, format = general): string | undefined {
  const { text: section } = format;
  if (!section || section.marks === 'general') return text;
  return section.marks.includes('@') ? remembered(format, text, () => replaced(section, () => text)) : undefined;
}
