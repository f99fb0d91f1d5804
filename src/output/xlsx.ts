/**
 * Excel workbooks: one sheet with typed cells, and a hidden one that says what it is from. A time is a date by the
 * clocks of the zone in force; what these cannot tell, and IDs and numbers of students, are text. No cell is a formula.
 */
import { crc32, deflateRawSync } from 'node:zlib';
import { CliError } from '../errors.ts';
import { lettersOf } from '../files/column-letters.ts';
import { booleanIn, textOfJson } from '../model/json.ts';
import { formatTime, instantOf, zoned } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { type Column, cellKind, type Row } from './cell.ts';
import { allColumns } from './layout.ts';
import type { Origin, Renderer, View } from './result.ts';

/** The places of styles in `styles`: numbers and truth values; texts, which stay as they are typed; times. */
const [plain, text, minutes, seconds] = [0, 1, 2, 3] as const;
/** The limits of Excel. */
const [mostRows, mostColumns, longestText] = [1 << 20, 1 << 14, 32_767];

type Cell = { style: number; type?: 'b' | 'inlineStr'; value: string };

export const xlsx: Renderer = async (answer, view) => {
  const rows = await Array.fromAsync(answer.rows);
  const columns = allColumns(answer, rows);
  if (rows.length >= mostRows || columns.length > mostColumns) throw tooLarge(`${rows.length} rows`);
  const head = columns.map(({ key }) => textCell(view.masked(key)));
  const body = rows.map((row) => columns.map((column) => cellOf(row, column, view)));
  view.save?.(zipped(workbook(sheetXml([head, ...body], columns.map(styleOf)), view.origin)));
};

function styleOf({ key, as }: Column): number {
  const kind = cellKind(as ?? 'field', { field: key });
  if (kind === 'time' || kind === 'day') return minutes;
  return kind === 'boolean' || kind === 'count' || kind === 'suspicion' ? plain : text;
}

function cellOf(row: Row, column: Column, { masked, origin }: View): Cell | undefined {
  const value = row[column.key];
  if (value === undefined || value === null || value === '') return undefined;
  const kind = cellKind(column.as ?? 'field', column.as ? row : { field: column.key });
  const instant = kind === 'time' || kind === 'day' ? instantOf(value) : undefined;
  const days = instant === undefined || origin.zone === undefined ? undefined : onTheClock(instant, origin.zone);
  if (instant !== undefined && days !== undefined) return { style: instant % 60_000 === 0 ? minutes : seconds, value: String(days) };
  const truth = kind === 'boolean' ? booleanIn(value) : value;
  if (typeof truth === 'boolean') return { style: plain, type: 'b', value: String(Number(truth)) };
  // Excel keeps 15 digits.
  const isNumber = (kind === 'count' || kind === 'suspicion') && typeof value === 'number' && Math.abs(value) < 1e15;
  if (isNumber) return { style: plain, value: String(value) };
  const isEpoch = instant !== undefined && typeof value === 'number';
  return textCell(masked(isEpoch ? String(formatTime(instant, 'iso-utc')) : textOfJson(value)));
}

function textCell(shown: string): Cell {
  if (shown.length > longestText) throw tooLarge(`a text of ${shown.length} characters`);
  return { style: text, type: 'inlineStr', value: `<is><t xml:space="preserve">${escaped(shown)}</t></is>` };
}

/** A time in days, as Excel counts them from March 1900 on. Undefined for a time that the clocks show twice, and for parts of a second. */
function onTheClock(instant: number, zone: string): number | undefined {
  const local = zoned(instant, zone).toPlainDateTime();
  const [first, second] = (['earlier', 'later'] as const).map((disambiguation) => local.toZonedDateTime(zone, { disambiguation }));
  if (!first || !second || !first.equals(second) || instant % 1000 !== 0 || local.year <= 1900) return undefined;
  return local.toZonedDateTime('UTC').epochMilliseconds / 86_400_000 + 25_569;
}

function tooLarge(what: string): CliError {
  return new CliError('output_failed', sentence`A workbook cannot hold ${what}.`, { hint: 'Write a .csv file, which has no such limit.' });
}

/** XML has no control characters and no halves of pairs: Excel writes their codes, and those of what looks like a code. */
function escaped(shown: string): string {
  const signs = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  const inCode = (sign: string) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  return shown
    .replace(/_(?=x[\dA-Fa-f]{4}_)|[^\t\n\P{Cc}]|\p{Cs}|[\ufffe\uffff]/gu, inCode)
    .replace(/[&<>]/g, (sign) => signs[sign as keyof typeof signs]);
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** `styles`: of each column, for what is added to it. The first row stays in sight. */
function sheetXml(rows: readonly (readonly (Cell | undefined)[])[], styles: readonly number[] = []): string {
  const lines = rows.map((cells, at) => {
    const line = at + 1;
    const xml = cells.map((cell, place) => (cell ? cellXml(cell, `${lettersOf(place + 1)}${line}`) : ''));
    return `<row r="${line}">${xml.join('')}</row>`;
  });
  const columns = styles.map((style, at) => `<col min="${at + 1}" max="${at + 1}" width="24" style="${style}" customWidth="1"/>`);
  const frozen = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const views = `<sheetViews><sheetView workbookViewId="0">${frozen}</sheetView></sheetViews>`;
  const cols = columns.length > 0 ? `<cols>${columns.join('')}</cols>` : '';
  return `${declaration}<worksheet xmlns="${main}">${views}${cols}<sheetData>${lines.join('')}</sheetData></worksheet>`;
}

function cellXml({ style, type, value }: Cell, place: string): string {
  return `<c r="${place}" s="${style}"${type ? ` t="${type}"` : ''}>${type === 'inlineStr' ? value : `<v>${value}</v>`}</c>`;
}

const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4">${[0, 49, 164, 165].map((id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`;

function workbook(data: string, { service, profile, zone = '', when }: Origin): Record<string, string> {
  const about = Object.entries({ service, profile, zone, when: new Date(when).toISOString() });
  const override = (part: string, type: string) => `<Override PartName="/xl/${part}.xml" ContentType="${types}.${type}+xml"/>`;
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relations}/${type}" Target="${target}.xml"/>`;
  const related = (...all: readonly string[]) =>
    `${declaration}<Relationships xmlns="${packages}/relationships">${all.join('')}</Relationships>`;
  const own = [
    override('workbook', 'sheet.main'),
    override('styles', 'styles'),
    override('worksheets/data', 'worksheet'),
    override('worksheets/about', 'worksheet'),
  ];
  const rels = 'application/vnd.openxmlformats-package.relationships+xml';
  return {
    '[Content_Types].xml': `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="${rels}"/>${own.join('')}</Types>`,
    '_rels/.rels': related(relation(1, 'officeDocument', 'xl/workbook')),
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="data" sheetId="1" r:id="rId1"/><sheet name="about" sheetId="2" state="hidden" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': related(
      relation(1, 'worksheet', 'worksheets/data'),
      relation(2, 'worksheet', 'worksheets/about'),
      relation(3, 'styles', 'styles'),
    ),
    'xl/styles.xml': styles,
    'xl/worksheets/data.xml': data,
    'xl/worksheets/about.xml': sheetXml(about.map((line) => line.map(textCell))),
  };
}

/** ZIP has no year before 1980. */
const firstDay = (1 << 5) | 1;
const [local, central, end] = [0x04034b50, 0x02014b50, 0x06054b50];
/** Version 2.0, names in UTF-8, deflated. */
const [version, flags, deflated] = [20, 1 << 11, 8];

/** Packs texts into a ZIP archive (APPNOTE 6.3), all of them compressed, and the same for the same texts. */
export function zipped(parts: Readonly<Record<string, string>>): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(parts)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const packed = deflateRawSync(content);
    const about = [version, flags, deflated, 0, firstDay];
    const sizes = [crc32(content), packed.length, content.length];
    const header = Buffer.concat([long(local), short(...about), long(...sizes), short(name.length, 0), name]);
    files.push(header, packed);
    const more = [short(name.length, 0, 0, 0, 0), long(0, offset), name];
    directory.push(long(central), short(version, ...about), long(...sizes), ...more);
    offset += header.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const count = Object.keys(parts).length;
  return Buffer.concat([...files, list, long(end), short(0, 0, count, count), long(list.length, offset), short(0)]);
}

function short(...values: readonly number[]): Buffer {
  return Buffer.from(Uint16Array.from(values).buffer);
}

function long(...values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
