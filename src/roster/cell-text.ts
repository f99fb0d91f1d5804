/**
 * The text of a workbook's cell. A number with the format of a date becomes the local time that Excel shows, without a zone: the rules
 * for times decide which instant it is.
 */
type CellFormat = 'day' | 'time' | 'length' | 'percent';
export type Styles = { strings: readonly string[]; formats: readonly (CellFormat | undefined)[]; since1904: boolean };

/** Excel writes characters that XML cannot contain as _x000D_. */
export function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** What a number format shows; undefined for plain numbers. The built-in ones by number (ECMA-376 part 1, 18.8.30), others by their code. */
export function cellFormat(id: number, code = builtIn(id)): CellFormat | undefined {
  // No bracket inside brackets, which would take quadratic time.
  const letters = code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\][]*\]/gi, '');
  if (letters.includes('%')) return 'percent';
  if (/\[[hms]+\]/i.test(letters)) return 'length';
  return /[hs]/i.test(letters) ? 'time' : /[dmy]/i.test(letters) ? 'day' : undefined;
}

function builtIn(id: number): string {
  if (id === 9 || id === 10) return '0%';
  if (id === 46) return '[h]';
  if ((id >= 18 && id <= 22) || (id >= 32 && id <= 35) || id === 45 || id === 47) return 'h:mm';
  return (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'd' : '';
}

/** The text of a cell; undefined if it refers to a missing one. */
export function cellText(type: string, value: string, style: number, { strings, formats, since1904 }: Styles): string | undefined {
  if (value === '') return '';
  if (type === 's') return strings[Number(value)];
  if (type === 'b') return value === '1' ? 'true' : 'false';
  const number = Number(value);
  if (type !== 'n' || !Number.isFinite(number)) return unescaped(value);
  const format = formats[style];
  // As Excel shows it: 0.25 is 25%, and 1/3 is rounded to as many digits as a share can have.
  if (format === 'percent') return `${Number((number * 100).toFixed(3))}%`;
  // A time without a day is a length of time: Excel writes 15 minutes as 00:15, on the day before its first.
  if (number >= 0 && (format === 'length' || (format === 'time' && number < 1))) return lengthOfTime(number);
  // Days since the end of 1899, or since the beginning of 1904.
  const date = new Date(Math.round((number - 25_569 + (since1904 ? 1462 : 0)) * 86_400) * 1000);
  if ((format !== 'day' && format !== 'time') || Number.isNaN(date.getTime())) return String(number);
  return date.toISOString().slice(0, format === 'day' && Number.isInteger(number) ? 10 : 19);
}

/** `1h30m`, to the second. */
function lengthOfTime(days: number): string {
  const seconds = Math.round(days * 86_400);
  const parts = [`${Math.floor(seconds / 3600)}h`, `${Math.floor(seconds / 60) % 60}m`, `${seconds % 60}s`];
  return parts.filter((part) => !/^0/.test(part)).join('') || '0m';
}
