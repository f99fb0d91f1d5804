/** ZIP archives and Excel workbooks, made in memory for the tests that read them. */
import { crc32, deflateRawSync } from 'node:zlib';

export function zipOf(files: { [path: string]: string | Buffer }): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path);
    const raw = Buffer.from(content);
    const packed = deflateRawSync(raw);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    for (const [header, at] of [
      [local, 4],
      [entry, 6],
    ] as const) {
      header.writeUInt16LE(20, at);
      header.writeUInt16LE(0x800, at + 2);
      header.writeUInt16LE(8, at + 4);
      header.writeUInt32LE(crc32(raw), at + 10);
      header.writeUInt32LE(packed.length, at + 14);
      header.writeUInt32LE(raw.length, at + 18);
      header.writeUInt16LE(name.length, at + 22);
    }
    entry.writeUInt32LE(offset, 42);
    parts.push(local, name, packed);
    central.push(entry, name);
    offset += local.length + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(central.length / 2, 8);
  end.writeUInt16LE(central.length / 2, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relations = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const packaging = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';

export type WorkbookParts = {
  /** The inside of `<sheetData>`. */
  rows: string;
  /** What stands behind `<sheetData>`. */
  behind?: string;
  /** The inside of `<sst>`. */
  strings?: string;
  /** The inside of `<sheets>` and what stands before it. */
  sheets?: string;
  properties?: string;
  /** In place of the cell styles. */
  styles?: string;
};

/** A workbook with cell styles 0: plain, 1: a day, 2: day and time, 3: a number with red negatives. */
export function workbookOf({ rows, behind = '', strings, properties = '', sheets, styles }: WorkbookParts): Buffer {
  const first = sheets ?? '<sheet name="Students" sheetId="1" r:id="rId1"/>';
  return zipOf({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook ${main} ${relations}>${properties}<sheets>${first}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships ${packaging}><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml':
      styles ??
      `<styleSheet ${main}><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="165" formatCode="0.00;[Red]\\-0.00 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    ...(strings === undefined ? {} : { 'xl/sharedStrings.xml': `<sst ${main}>${strings}</sst>` }),
    'xl/worksheets/sheet1.xml': `<?xml version="1.0" encoding="UTF-8"?><worksheet ${main}><sheetData>${rows}</sheetData>${behind}</worksheet>`,
  });
}

/** A row of texts written into their cells. */
export function textRow(line: number, texts: readonly string[]): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<row r="${line}">${texts.map((text) => `<c t="inlineStr"><is><t>${escaped(text)}</t></is></c>`).join('')}</row>`;
}

/** What merges the cells of these ranges. */
export function merging(...ranges: string[]): string {
  return `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`;
}
