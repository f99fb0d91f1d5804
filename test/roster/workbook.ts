/** ZIP archives and Excel workbooks, made in memory for the tests that read them. */
import { crc32, deflateRawSync } from 'node:zlib';

/** Numbers of so many bytes. */
const bytes = (...numbers: [value: number, size: 2 | 4][]) =>
  Buffer.concat(
    numbers.map(([value, size]) => {
      const buffer = Buffer.alloc(size);
      buffer.writeUIntLE(value, 0, size);
      return buffer;
    }),
  );

export function zipOf(files: { [path: string]: string | Buffer }): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const [name, raw] = [Buffer.from(path), Buffer.from(content)];
    const packed = deflateRawSync(raw);
    const sizes = bytes([crc32(raw), 4], [packed.length, 4], [raw.length, 4], [name.length, 2], [0, 2]);
    // The version, names in UTF-8, packed, without a time.
    const common = Buffer.concat([bytes([20, 2], [0x800, 2], [8, 2], [0, 4]), sizes]);
    const part = Buffer.concat([bytes([0x04034b50, 4]), common, name, packed]);
    central.push(bytes([0x02014b50, 4], [20, 2]), common, Buffer.alloc(10), bytes([offset, 4]), name);
    offset += part.length;
    parts.push(part);
  }
  const directory = Buffer.concat(central);
  const end = bytes([0x06054b50, 4], [0, 4], [parts.length, 2], [parts.length, 2], [directory.length, 4], [offset, 4], [0, 2]);
  return Buffer.concat([...parts, directory, end]);
}

export const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaging = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';

const own = `xmlns="${main}"`;
const roots = { workbook: `${own} xmlns:r="${relations}"`, worksheet: own, sst: own, styleSheet: own, Relationships: packaging };

/** What a relation of a workbook is, by the name of its part. */
const kindOf = (target: string) => /sharedStrings|styles/.exec(target)?.[0] ?? 'worksheet';

/** An archive of a workbook, whose parts and relations need neither namespaces nor types. */
export function packageOf(parts: { [path: string]: string | Buffer }): Buffer {
  const whole = Object.entries(parts).map(([path, part]) => {
    if (typeof part !== 'string') return [path, part] as const;
    const named = part.replace(
      /<(workbook|worksheet|sst|styleSheet|Relationships)(?=[ />])(?![^>]*xmlns)/,
      (tag, root: keyof typeof roots) => `${tag} ${roots[root]}`,
    );
    const typed = named.replace(
      /<Relationship (?![^>]*Type=)[^>]*Target="([^"]*)"/g,
      (tag, target) => `${tag} Type="${relations}/${kindOf(target)}"`,
    );
    return [path, typed] as const;
  });
  const root = `<Relationships ${packaging}><Relationship Id="r" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
  return zipOf({ '_rels/.rels': root, ...Object.fromEntries(whole) });
}

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
  const others = ['styles.xml', 'sharedStrings.xml'].map((target) => `<Relationship Id="${target}" Target="${target}"/>`);
  return packageOf({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook>${properties}<sheets>${first}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>${others.join('')}</Relationships>`,
    'xl/styles.xml':
      styles ??
      `<styleSheet><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="165" formatCode="0.00;[Red]\\-0.00 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    ...(strings === undefined ? {} : { 'xl/sharedStrings.xml': `<sst>${strings}</sst>` }),
    'xl/worksheets/sheet1.xml': `<?xml version="1.0" encoding="UTF-8"?><worksheet><sheetData>${rows}</sheetData>${behind}</worksheet>`,
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
