/** Workbooks of any structure that the standard allows, made by chance, some with one defect. */
import fc from 'fast-check';
import { textRow, zipOf } from './workbook.ts';

const forms = [
  ['http://schemas.openxmlformats.org/spreadsheetml/2006/main', 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'],
  ['http://purl.oclc.org/ooxml/spreadsheetml/main', 'http://purl.oclc.org/ooxml/officeDocument/relationships'],
] as const;
const packaging = 'http://schemas.openxmlformats.org/package/2006/relationships';

const words = fc.constantFrom('Ann', 'Ben <&> Co', '0012045', '12.5', 'Zoë', 'a  b', '=x', '2031-02-03');
const day = fc.integer({ min: 1, max: 28 });
/** What a cell shows, and how it is written: `value` with the format `code`, or `id`. */
const cell = fc.oneof(
  fc.record({ kind: fc.constantFrom('inline', 'shared', 'rich', 'str'), shown: words }),
  fc.record({ kind: fc.constant('number'), shown: fc.integer({ min: 0, max: 999_999_999_999_999 }).map(String) }),
  fc.record({ kind: fc.constant('truth'), shown: fc.constantFrom('true', 'false') }),
  fc.record({
    kind: fc.constant('digits'),
    shown: fc.integer({ min: 0, max: 99_999_999 }).map((number) => String(number).padStart(8, '0')),
  }),
  fc.record({ kind: fc.constant('share'), shown: fc.integer({ min: 0, max: 300 }).map((number) => `${number}%`) }),
  fc.record({ kind: fc.constantFrom('percent'), shown: fc.integer({ min: 0, max: 300 }).map((number) => `${number}%`) }),
  fc.record({
    kind: fc.constantFrom('time 22', 'time 27', 'time 31', 'time 50', 'time 200', 'time 201', 'iso'),
    shown: fc.tuple(day, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 })).map(([d, h, m]) => {
      const two = (number: number) => String(number).padStart(2, '0');
      return `2031-02-${two(d)}T${two(h)}:${two(m)}:00`;
    }),
  }),
);
export type Cell = { kind: (typeof cell extends fc.Arbitrary<infer T extends { kind: string }> ? T : never)['kind']; shown: string };

const defects = ['check sum', 'row', 'reference', 'twice', 'type', 'string', 'format', 'parts'] as const;
export const anyWorkbook = fc.record({
  rows: fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
  form: fc.constantFrom(...forms),
  since1904: fc.boolean(),
  references: fc.constantFrom('upper', 'lower', 'none', 'backwards'),
  prefix: fc.constantFrom('', 'x'),
  workbook: fc.constantFrom('xl/workbook.xml', 'xl/workbook2.xml', 'book.xml', 'XL/WorkBook.xml'),
  rowsBackwards: fc.boolean(),
  defect: fc.option(fc.constantFrom(...defects), { freq: 3 }),
});
export type Book = Omit<typeof anyWorkbook extends fc.Arbitrary<infer T> ? T : never, 'rows'> & { rows: readonly (readonly Cell[])[] };

const codes = { 200: 'yyyy\\-mm\\-dd\\ hh:mm', 201: '[$-409]d/m/yy\\ h:mm\\ AM/PM;@', 202: '00000000', 203: '0&quot;%&quot;' };
const ids = [0, 9, 22, 27, 31, 50, 200, 201, 202, 203];
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** `header`: of its columns. */
export function workbookFile(
  { rows, form: [own, linked], since1904, references, prefix, workbook, rowsBackwards, defect }: Book,
  header: readonly string[] = ['email', 'name', 'status'],
): Buffer {
  const strings: string[] = [];
  const styled = (id: number, value: number) => `s="${ids.indexOf(id)}"><v>${value}</v>`;
  const inside = ({ kind, shown }: Cell): string => {
    const t = `<t xml:space="preserve">${escaped(shown)}</t>`;
    if (kind === 'inline') return `t="inlineStr"><is>${t}</is>`;
    if (kind === 'rich')
      return `t="inlineStr"><is><r><t xml:space="preserve">${escaped(shown.slice(0, 2))}</t></r><r><t xml:space="preserve">${escaped(shown.slice(2))}</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is>`;
    if (kind === 'shared') return `t="s"><v>${strings.push(`<si>${t}</si>`) - 1}</v>`;
    if (kind === 'str') return `t="str"><v>${escaped(shown)}</v>`;
    if (kind === 'truth') return `t="b"><v>${Number(shown === 'true')}</v>`;
    if (kind === 'iso') return `t="d"><v>${shown}</v>`;
    if (kind === 'digits') return styled(202, Number(shown));
    if (kind === 'percent') return styled(203, Number.parseInt(shown, 10));
    if (kind === 'share') return styled(9, Number.parseInt(shown, 10) / 100);
    if (kind.startsWith('time'))
      return styled(Number(kind.slice(5)), Date.parse(`${shown}Z`) / 86_400_000 + 25_569 - (since1904 ? 1462 : 0));
    return `><v>${shown}</v>`;
  };
  const lines = rows.map((row, at) => {
    const line = at + 2;
    const cells = row.map((one, column) => {
      const place = `${references === 'lower' ? 'abc'[column] : 'ABC'[column]}${line}`;
      return `<c ${references === 'none' ? '' : `r="${place}" `}${inside(one)}</c>`;
    });
    return `<row r="${line}">${(references === 'backwards' ? cells.reverse() : cells).join('')}</row>`;
  });
  const bad = {
    row: '<row r="2"/><row r="2"/>',
    reference: '<row r="90"><c r="A91"/></row>',
    twice: '<row r="90"><c r="A90"><v>1</v></c><c r="A90"/></row>',
    type: '<row r="90"><c t="n"><v>x</v></c></row>',
    string: '<row r="90"><c t="s"><v>99</v></c></row>',
    format: '<row r="90"><c s="77"><v>1</v></c></row>',
  };
  const more = defect !== null && defect in bad ? bad[defect as keyof typeof bad] : '';
  const data = textRow(1, header) + (rowsBackwards ? lines.reverse() : lines).join('') + more;
  const prefixed = (xml: string) =>
    prefix === '' ? xml : xml.replace(/<(\/?)(?=[a-z])/gi, `<$1${prefix}:`).replace('xmlns=', `xmlns:${prefix}=`);
  const root = (tag: string, content: string) => prefixed(`<${tag} xmlns="${own}" xmlns:r="${linked}">${content}</${tag}>`);
  const folder = workbook.slice(0, workbook.lastIndexOf('/') + 1);
  const related = (list: readonly (readonly [string, string])[]) =>
    `<Relationships xmlns="${packaging}">${list.map(([kind, target]) => `<Relationship Id="${kind}" Type="${linked}/${kind}" Target="${target}"/>`).join('')}</Relationships>`;
  const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const file = zipOf({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${workbook}" ContentType="${types}.sheet.main+xml"/></Types>`,
    '_rels/.rels': related([['officeDocument', workbook]]),
    [workbook]: root(
      'workbook',
      `${since1904 ? '<workbookPr date1904="1"/>' : ''}<sheets><sheet name="A" sheetId="1" r:id="worksheet"/></sheets><extLst><ext><y:workbookPr xmlns:y="urn:y" date1904="${since1904 ? 0 : 1}"/></ext></extLst>`,
    ),
    [`${folder}_rels/${workbook.slice(folder.length)}.rels`]: related([
      ['worksheet', '/data/a.xml'],
      ['styles', '/data/b.xml'],
      ['sharedStrings', '/data/c.xml'],
    ]),
    ...(defect === 'parts' ? { 'DATA/a.xml': '<worksheet/>' } : {}),
    'data/a.xml': root('worksheet', `<sheetData>${data}</sheetData>`),
    'data/b.xml': root(
      'styleSheet',
      `<numFmts>${Object.entries(codes)
        .map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`)
        .join(
          '',
        )}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`,
    ),
    'data/c.xml': root('sst', strings.join('')),
  });
  const central = file.indexOf('data/a.xml', file.indexOf(Buffer.from('PK\u0001\u0002'))) - 46;
  if (defect === 'check sum') file.writeUInt32LE((file.readUInt32LE(central + 16) ^ 1) >>> 0, central + 16);
  return file;
}
