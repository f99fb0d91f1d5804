/** What a file may take is the same in all formats, and is counted as it will be used: what short rows lack, and a text in each cell that shows it. */
import { describe, expect, test } from 'vitest';
import { read, refusal } from './reading.ts';
import { merging, packageOf, textRow, workbookOf, zipOf } from './workbook.ts';

const cell = '<c t="str"><v>a@b.org</v></c>';
const shared = '<c t="s"><v>0</v></c>';
const rows = (count: number, inside: string) => `<row>${inside}</row>`.repeat(count);
const header = textRow(1, ['email', 'name']);
const wide = textRow(1, ['email']).replace('</row>', '<c r="XFD1" t="str"><v>x</v></c></row>');
const formats = `<styleSheet><numFmts>${Array.from({ length: 1001 }, (_, at) => `<numFmt numFmtId="${at + 200}" formatCode="0"/>`).join('')}</numFmts></styleSheet>`;
const longFormat = (sign: string, end: string) =>
  `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${sign.repeat(900)}${end}"/></numFmts><cellXfs><xf/><xf numFmtId="200"/></cellXfs></styleSheet>`;
const inLongFormat = (inside: (at: number) => string, type = 'n') =>
  `<row>${Array.from({ length: 9000 }, (_, at) => `<c s="1" t="${type}">${inside(at)}</c>`).join('')}</row>`;
const related = `<Relationships>${'<Relationship Id="x" Target="y.xml"/>'.repeat(20_000)}</Relationships>`;
const strings = `<si><t>${'x'.repeat(30_000)}</t></si>`;
const keys = (count: number) => Array.from({ length: count }, (_, at) => `{"${at}":1}`);
const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`${at}`, '']));

/** In place of the number of entries that the end of an archive says. */
function counting(book: Buffer, entries: number): Buffer {
  for (const place of [14, 12]) book.writeUInt16LE(entries, book.length - place);
  return book;
}

/** In place of what its directory says of the size of a part. */
function sized(book: Buffer, part: string, size: number): Buffer {
  const entry = book.indexOf(part, book.indexOf(Buffer.from('PK\u0001\u0002'))) - 46;
  book.writeUInt32LE(size, entry + 24);
  return book;
}

const [cells, characters] = [/more than \d+ cells/, /more than \d+ characters/];
const tooLarge = /it unpacks to more than \d+ MB/;

describe('Of 64 KB or less, and refused for what it would take or says', () => {
  test.each<[what: string, file: string | Buffer, why: string | RegExp]>([
    ['CSV with empty headers over short lines', `email${','.repeat(21_000)}\n${'a@b\n'.repeat(10_000)}`, cells],
    [
      'CSV with headers over short lines',
      `email,${keys(6000)
        .join(',')
        .replace(/[{}":]/g, '')}\n${'a@b\n'.repeat(5000)}`,
      cells,
    ],
    ['JSON with a new key in each object', `[${keys(5000).join(',')}]`, cells],
    ['JSON with many keys in one object', `[{${keys(5000).join(',').replace(/[{}]/g, '')}}${',{}'.repeat(5000)}]`, cells],
    ['NDJSON with a new key in each line', keys(5000).join('\n'), cells],
    ['a workbook with a header far to the right', workbookOf({ rows: wide + rows(1000, cell) }), cells],
    [
      'a workbook with cells far to the right',
      workbookOf({ rows: header + Array.from({ length: 1000 }, (_, at) => `<row><c r="XFD${at + 2}"><v>1</v></c></row>`).join('') }),
      cells,
    ],
    ['a workbook with a long text in many cells', workbookOf({ rows: header + rows(1000, cell + shared), strings }), characters],
    [
      'a workbook with a long text in merged cells',
      workbookOf({ rows: header + rows(1, cell + shared) + rows(1000, cell), strings, behind: merging('B2:B1000') }),
      characters,
    ],
    [
      'a workbook that merges the same cells again and again',
      workbookOf({ rows: header + rows(1000, cell), behind: merging('A2:A1000').repeat(3000) }),
      cells,
    ],
    ['a workbook with many short rows', workbookOf({ rows: header + rows(50_000, cell) }), cells],
    ['a workbook with many formulas without a value', workbookOf({ rows: header + rows(50_000, '<c><f/><v/></c>') }), cells],
    [
      'a workbook with a text longer than Excel takes',
      workbookOf({ rows: header + textRow(2, ['a@b.org', 'x'.repeat(32_768)]) }),
      'of more than 32767 characters',
    ],
    ['a workbook with thousands of formats', workbookOf({ rows: header + rows(1, cell), styles: formats }), 'more than 300 formats'],
    [
      'a workbook with a long format in many cells',
      workbookOf({ rows: header + inLongFormat((at) => `<v>${at}</v>`), styles: longFormat('#', '00') }),
      'a number format that cannot be read',
    ],
    [
      'a workbook with a long name of a sheet',
      workbookOf({ rows: header, sheets: `<sheet name="${'proctor-cli exams list '.repeat(150_000)}" r:id="rId1"/>` }),
      'a sheet has a name of more than 200 characters',
    ],
    ['two relations of one name', packageOf({ 'xl/workbook.xml': '<workbook/>', 'xl/_rels/workbook.xml.rels': related }), 'two relations'],
    ['a workbook with elements in each other', workbookOf({ rows: header + '<t>x'.repeat(1 << 19) }), 'more than 100 levels deep'],
    ['a workbook of empty elements', workbookOf({ rows: header + '<a/>'.repeat(8 << 20) }), tooLarge],
    ['a workbook whose sheets are one part', workbookOf({ rows: header, sheets: '<sheet name="A" r:id="rId1"/>'.repeat(5000) }), tooLarge],
    ['an archive that says it has many parts', counting(workbookOf({ rows: header }), 10_001), 'it has more than 10000 parts'],
    ['a part that says it is huge', sized(workbookOf({ rows: header }), 'xl/worksheets/sheet1.xml', 0xffff_fff0), tooLarge],
    ['a part that says it is small', sized(workbookOf({ rows: header, strings }), 'xl/sharedStrings.xml', 10), 'too many bytes'],
  ])('a small file is refused for what it would take: %s', async (_what, file, why) => {
    expect(Buffer.byteLength(file)).toBeLessThan(64 << 10);
    const { code, message } = await refusal(read(file));
    expect([code, message]).toEqual(['invalid_input', expect.stringMatching(why)]);
  });
});

test.each([
  [longFormat('#', '00'), 'n', '<v>7</v>', '07'],
  [longFormat('@', ''), 'inlineStr', '<is><t/></is>', ''],
])('A long format takes its time once for each text: %#', async (styles, type, inside, shown) => {
  const before = performance.now();
  const named = textRow(1, ['email', 'name', ...Array.from({ length: 8998 }, (_, at) => `${at}`)]);
  const book = workbookOf({ rows: named + rows(1, cell) + inLongFormat(() => inside, type).repeat(10), styles });
  const { cells: all } = await read(book);
  expect(all.at(-1)?.[1]).toBe(shown);
  expect(performance.now() - before).toBeLessThan(5000);
});

test('A cell with many lines is compared with its row in proportion to its length', async () => {
  const before = performance.now();
  const long = `email,name\n${'a'.repeat(500_000)},"${'x@y,z\n'.repeat(80_000)}"\n`;
  expect((await read(long)).cells[0]?.[0]).toHaveLength(500_000);
  expect(performance.now() - before).toBeLessThan(5000);
});

test('Of many sheets, the first ones are offered', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `<sheet name="S${at}" r:id="rId1"/>`);
  const { hint } = await refusal(read(workbookOf({ rows: '', sheets: names.join('') })));
  expect(hint).toMatch(/^Choose the sheet: --sheet S0 or .*--sheet S7$/);
});

test('An archive is refused by the parts that it has, too', async () => {
  expect((await refusal(read(zipOf(many)))).message).toContain('it has more than 10000 parts');
});

describe('20,000 lines with 20 columns are read', () => {
  const columns = ['email', 'name', 'status', ...Array.from({ length: 17 }, (_, at) => `column ${at}`)];
  const personal = (line: number) => (line * 7919) % 100_003;
  const textOf = (line: number) => ({ email: `s${personal(line)}@b.org`, name: `Student ${personal(line + 9)}` });
  const lines = Array.from({ length: 20_000 }, (_, line) =>
    Object.values({ ...Object.fromEntries(columns.map((one) => [one, 'enrolled'])), ...textOf(line) }),
  );
  const records = lines.map((line) => Object.fromEntries(line.map((text, at) => [columns[at] ?? '', text])));
  test.each<[format: string, file: () => string | Buffer]>([
    ['CSV', () => [columns, ...lines].map((line) => line.join(',')).join('\n')],
    ['JSON', () => JSON.stringify(records)],
    ['NDJSON', () => records.map((record) => JSON.stringify(record)).join('\n')],
    // As of a writer that gives no cell its place: nothing is packed closer.
    ['XLSX', () => workbookOf({ rows: [columns, ...lines].map((line, at) => textRow(at + 1, line)).join('') })],
  ])('%s', async (_format, file) => {
    const { header: found, cells: read20 } = await read(file());
    expect([found, read20.length, read20.at(-1)]).toEqual([columns, lines.length, lines.at(-1)]);
  });
});
