/**
 * The text of a workbook's cells: shared strings, numbers, percentages. A cell formatted as a date becomes the
 * local time that Excel shows, without a zone: the rules for times decide which instant it is.
 */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import type { Archive } from './archive.ts';
import { longestRecord } from './text-lines.ts';
import { readPart, tooMuch, unreadable } from './workbook-xml.ts';

/** Largest unpacked size of the shared strings, which are held in memory. Bytes. */
const mostText = 256 << 20;
const mostStrings = 10_000_000;

export type Styles = { strings: readonly string[]; formats: readonly (CellFormat | undefined)[]; since1904: boolean };

/** The texts that cells refer to by number, without hints on pronunciation. */
export async function sharedStrings(archive: Archive, name: string): Promise<string[]> {
  const file = archive.entry('xl/sharedStrings.xml');
  if (!file) return [];
  if (file.size > mostText) {
    throw new CliError('invalid_input', sentence`${name} contains more than ${mostText >> 20} MB of text.`, {
      hint: 'Save the sheet as CSV.',
    });
  }
  const strings: string[] = [];
  let text = '';
  let taking = false;
  let spoken = 0;
  await readPart(file, {
    open(tag) {
      if (tag === 'si') text = '';
      else if (tag === 'rPh') spoken += 1;
      else if (tag === 't') taking = spoken === 0;
    },
    text(part) {
      if (taking) text += part;
      if (text.length > longestRecord) throw unreadable(file.name, tooMuch);
    },
    close(tag) {
      if (tag === 't') taking = false;
      else if (tag === 'rPh') spoken -= 1;
      else if (tag === 'si') strings.push(unescaped(text));
      if (strings.length > mostStrings) throw unreadable(file.name, `it contains more than ${mostStrings} texts`);
    },
  });
  return strings;
}

/** Excel writes characters that XML cannot contain as _x000D_. */
function unescaped(text: string): string {
  return text.includes('_x') ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))) : text;
}

type CellFormat = 'day' | 'time' | 'length' | 'percent';

/** For each cell style, whether it shows a day, or also a time of day, or a length of time; undefined for plain numbers. */
export async function cellFormats(archive: Archive): Promise<(CellFormat | undefined)[]> {
  const file = archive.entry('xl/styles.xml');
  if (!file) return [];
  const custom = new Map<number, CellFormat | undefined>();
  const formats: (CellFormat | undefined)[] = [];
  let inCells = false;
  await readPart(file, {
    open(tag, attributes) {
      const id = Number(attributes.numFmtId);
      if (tag === 'numFmt') custom.set(id, cellFormat(attributes.formatCode ?? ''));
      else if (tag === 'cellXfs') inCells = true;
      else if (tag === 'xf' && inCells) formats.push(custom.has(id) ? custom.get(id) : builtIn(id));
    },
    close(tag) {
      if (tag === 'cellXfs') inCells = false;
    },
  });
  return formats;
}

/** The built-in formats (ECMA-376 part 1, 18.8.30). */
function builtIn(id: number): CellFormat | undefined {
  if (id === 9 || id === 10) return 'percent';
  if (id === 46) return 'length';
  if ((id >= 18 && id <= 22) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return 'time';
  return (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'day' : undefined;
}

function cellFormat(code: string): CellFormat | undefined {
  // No bracket inside brackets, which would take quadratic time.
  const letters = code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\][]*\]/gi, '');
  if (letters.includes('%')) return 'percent';
  if (/\[[hms]+\]/i.test(letters)) return 'length';
  if (/[hs]/i.test(letters)) return 'time';
  return /[dmy]/i.test(letters) ? 'day' : undefined;
}

/** The text of a cell; undefined if it refers to a missing one. */
export function cellText(type: string, value: string, style: number, { strings, formats, since1904 }: Styles): string | undefined {
  if (type === 's') return value === '' ? '' : strings[Number(value)];
  if (type === 'b') return value === '1' ? 'true' : 'false';
  if (type !== 'n') return unescaped(value);
  const format = formats[style];
  const number = Number(value);
  if (value === '' || !Number.isFinite(number)) return value;
  // As Excel shows it: 0.25 is 25%, and 1/3 is rounded to as many digits as a share can have.
  if (format === 'percent') return `${Number((number * 100).toFixed(3))}%`;
  // A time without a day is a length of time: Excel writes 15 minutes as 00:15, on the day before its first.
  if (number >= 0 && (format === 'length' || (format === 'time' && number < 1))) return lengthOfTime(number);
  return format === 'day' || format === 'time' ? localTime(number + (since1904 ? 1462 : 0), format) : String(number);
}

/** `1h30m`, to the second. */
function lengthOfTime(days: number): string {
  const seconds = Math.round(days * 86_400);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const text = parts.flatMap(([value, unit]) => (value === 0 ? [] : [`${value}${unit}`])).join('');
  return text === '' ? '0m' : text;
}

/** A day number of Excel (whole days since the end of 1899) as ISO 8601 without a zone. */
function localTime(days: number, format: 'day' | 'time'): string {
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(days);
  return date.toISOString().slice(0, format === 'day' && Number.isInteger(days) ? 10 : 19);
}
