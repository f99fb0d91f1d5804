/** One workbook in all forms that the standard allows, by whatever program: read as spreadsheets show it, or stopped with the cell. */
import { expect, test } from 'vitest';
import { read, refusal, refused } from './reading.ts';
import { main, packageOf, relations, textRow, workbookOf, zipOf } from './workbook.ts';

const packaging = 'http://schemas.openxmlformats.org/package/2006';
const strict = 'http://purl.oclc.org/ooxml';
const students = `${textRow(1, ['email', 'name'])}${textRow(2, ['pia@example.org', 'Pia'])}`;
const row = [['pia@example.org', 'Pia']];

/** `main` and `relations` as in the standard's transitional form, or in its strict one. */
const forms = [
  { own: main, linked: relations },
  { own: `${strict}/spreadsheetml/main`, linked: `${strict}/officeDocument/relationships` },
];

type Place = { workbook: string; sheet: string; target: string; root?: string; form?: (typeof forms)[number] };

/** A workbook whose parts are anywhere. */
function placed({ workbook, sheet, target, root = workbook, form: { own, linked } = forms[0] as never }: Place): Buffer {
  const [, folder = '', base = ''] = /^(.*\/)?([^/]+)$/.exec(workbook) ?? [];
  const related = (kind: string, to: string) =>
    `<Relationships xmlns="${packaging}/relationships"><Relationship Id="x" Type="${linked}/${kind}" Target="${to}"/></Relationships>`;
  return zipOf({
    '[Content_Types].xml': `<Types xmlns="${packaging}/content-types"/>`,
    '_rels/.rels': related('officeDocument', root),
    [workbook]: `<workbook xmlns="${own}" xmlns:q="${linked}"><sheets><sheet name="A" sheetId="1" q:id="x"/></sheets></workbook>`,
    [`${folder}_rels/${base}.rels`]: related('worksheet', target),
    [sheet]: `<worksheet xmlns="${own}"><sheetData>${students}</sheetData></worksheet>`,
  });
}

test.each<[name: string, place: Place]>([
  ['with other names', { workbook: 'xl/workbook2.xml', sheet: 'xl/some/first.xml', target: 'some/first.xml' }],
  ['in the root', { workbook: 'book.xml', sheet: 'sheet.xml', target: 'sheet.xml' }],
  ['absolute', { workbook: 'xl/workbook.xml', root: '/xl/workbook.xml', sheet: 'other/a.xml', target: '/other/a.xml' }],
  ['with dots', { workbook: 'xl/workbook.xml', root: './xl/../xl/workbook.xml', sheet: 'data/a.xml', target: '../data/./a.xml' }],
  ['in another case', { workbook: 'XL/Workbook.XML', root: 'xl/workbook.xml', sheet: 'XL/Sheets/A.xml', target: 'sheets/a.XML' }],
  ['with spaces', { workbook: 'xl/my book.xml', root: 'xl/my%20book.xml', sheet: 'xl/a%20b.xml', target: 'a b.xml' }],
  ['in the strict form', { workbook: 'xl/workbook.xml', sheet: 'xl/a.xml', target: 'a.xml', form: forms[1] as never }],
])('parts are found by their relations: %s', async (_name, place) => {
  expect((await read(placed(place))).cells).toEqual(row);
});

/** Cells without a style have the first one, which is plain. */
const styleSheet = (styles: string) => `<styleSheet>${styles.replace('<cellXfs>', '<cellXfs><xf numFmtId="0"/>')}</styleSheet>`;
const date = (styles: string, value: number, properties = '') => {
  const cells = `${textRow(1, ['email', 'time'])}<row r="2"><c t="str"><v>a@b.org</v></c><c s="1"><v>${value}</v></c></row>`;
  return read(workbookOf({ rows: cells, styles: styleSheet(styles), properties })).then(({ cells: [first] }) => first?.[1]);
};
const coded = (code: string) =>
  `<numFmts><numFmt numFmtId="200" formatCode="${code.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>`;

const builtIn = [...[14, 22], ...[27, 36], ...[45, 47], ...[50, 58]];
const dates = builtIn.flatMap((from, at) =>
  at % 2 === 0 ? Array.from({ length: (builtIn[at + 1] ?? 0) - from + 1 }, (_, more) => from + more) : [],
);

test('each of the 31 formats of dates and times that have no code is one', async () => {
  expect(dates).toHaveLength(31);
  for (const id of dates) {
    const shown = await date(`<cellXfs><xf numFmtId="${id}"/></cellXfs>`, 47882.4375);
    expect([id, shown]).toEqual([id, id === 46 ? '1149178:30:00 h' : '2031-02-03T10:30:00']);
  }
});

test('elements of other namespaces say nothing, nor do formats of conditions', async () => {
  const own = '<workbookPr date1904="1"/>';
  const other =
    '<extLst><ext xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst>';
  const conditions = '<dxfs><dxf><numFmt numFmtId="200" formatCode="0"/><xf numFmtId="0"/></dxf></dxfs>';
  for (const properties of [own + other, other + own])
    expect(await date(`${coded('yyyy\\-mm\\-dd')}${conditions}`, 46420, properties)).toBe('2031-02-03');
});

test.each<[code: string, value: number, shown: string | RegExp]>([
  ['00000000', 12045, '00012045'],
  ['000-000', 12045, '012-045'],
  ['"M"0000000', 12045, 'M0012045'],
  ['0"%"', 25, '25%'],
  ['0\\%', 25, '25%'],
  ['0%', 0.25, '25%'],
  ['0" min"', 15, '15 min'],
  ['General" min"', 7.5, '7.5 min'],
  ['#,##0.00 "€"', 1234.5, '1234.50 €'],
  ['#,##0.00\\ [$€-407]', 3, '3.00 €'],
  ['0;-0;;@', 0, ''],
  ['00000000;-00000000', -12, '-00000012'],
  ['0.0', 1.7333, '1.7333'],
  ['[Red][<50]0;[Green]0', 49, '49'],
  ['# ?/?', 0.5, '0.5'],
  ['0.00E+00', 120457000000, '120457000000'],
  ['General', 1.2345678901234568e18, '1.2345678901234568E+18'],
  ['[$-409]d/m/yy\\ h:mm\\ AM/PM;@', 47882.4375, '2031-02-03T10:30:00'],
  ['h:mm A/P', 0.4375, '10:30:00'],
  ['yyyy\\-mm\\-dd\\Thh:mm:ss\\Z', 47882.4375, '2031-02-03T10:30:00Z'],
  ['d.m.yyyy h:mm" UTC"', 47882.4375, '2031-02-03T10:30:00 UTC'],
  ['hh:mm" (MEZ)"', 0.4375, '10:30:00 (MEZ)'],
  ['[<100]0000;0', 12, /cell B2 has a number format/],
  ['yyyy"年"m"月"d"日";@', 47882, '2031-02-03'],
  ['[h]:mm', 1, '24:00:00 h'],
  ['[mm]:ss', 1 / 96, '0:15:00 h'],
  ['mm:ss', 1 / 96, '0:15:00 h'],
  ['mm:ss', 5 / 96, '1:15:00'],
  ['h "Uhr"', 0.5, '12:00:00'],
  ['"sdm "0', 5, 'sdm 5'],
  ['#,##0.00 "€"', 14.875, '14.88 €'],
  ['0"%"', 0.25, /cell B2 has a number format/],
  ['00000000', 12045.5, /cell B2 has a number format/],
  ['[<5]"A"0;"B"0', 3, /cell B2 has a number format/],
  [';;;', 7, /cell B2 has a number format/],
  ['0,"k"', 12045, /cell B2 has a number format/],
  ['"M-"@', 12045, '12045'],
  ['0000;-0;"no "@', 7, '0007'],
  ['"";"";""', 12045, /cell B2 has a number format/],
  ['0;0;', 12045, '12045'],
  ['0#######', 12045, '00012045'],
  ['0,000,000', 12045, '0012045'],
  ['aaa', 47882, '2031-02-03'],
  ['e', 47882, '2031-02-03'],
])('a cell with the format %s shows %d as %s', async (code, value, shown) => {
  const cell = date(coded(code), value);
  if (typeof shown === 'string') expect(await cell).toBe(shown);
  else expect(await refused(cell)).toMatch(shown);
});

test('a text is shown with the words of its format', async () => {
  const rows = `${textRow(1, ['email', 'name'])}<row r="2"><c s="1" t="str"><v>pia</v></c><c s="1" t="inlineStr"><is><t>Pia</t></is></c></row>`;
  const book = workbookOf({ rows, styles: styleSheet(coded('@"@example.org"')) });
  expect((await read(book)).cells).toEqual([['pia@example.org', 'Pia@example.org']]);
});

test.each([';;;', '0;0;0;"hidden"'])('a text that the format %s does not show stops the file', async (code) => {
  const rows = `${textRow(1, ['email', 'name'])}<row r="2"><c t="str"><v>a@b.org</v></c><c s="1" t="str"><v>Pia</v></c></row>`;
  expect(await refused(read(workbookOf({ rows, styles: styleSheet(coded(code)) })))).toMatch(
    /cell B2 has a number format that cannot be read/,
  );
});

const cells = (inside: string, header = textRow(1, ['email', 'name', 'group'])) =>
  workbookOf({ rows: `${header}<row r="2">${inside}</row>` });
const text = (place: string, value: string) => `<c${place && ` r="${place}"`} t="str"><v>${value}</v></c>`;

test('cells stand where their references say, in any case and order, or one beside the other', async () => {
  const expected = [['a@b.org', '', 'x']];
  expect((await read(cells(text('A2', 'a@b.org') + text('C2', 'x')))).cells).toEqual(expected);
  expect((await read(cells(text('a2', 'a@b.org') + text('c2', 'x')))).cells).toEqual(expected);
  expect((await read(cells(text('C2', 'x') + text('A2', 'a@b.org')))).cells).toEqual(expected);
  expect((await read(cells(`${text('', 'a@b.org')}<c/>${text('', 'x')}`))).cells).toEqual(expected);
  const later = workbookOf({
    rows: `<row r="3">${text('A3', 'b@b.org')}</row>${students.replace('"1"', '"2"').replace('<row r="2"><c t="inlineStr"><is><t>pia', '<row r="5"><c t="inlineStr"><is><t>pia')}`,
  });
  expect((await read(later)).lines).toEqual([3, 5]);
});

test.each([
  ['a reference of another row', text('A3', 'a@b.org'), 'row 2 has a cell "A3"'],
  ['one that is none', text('2A', 'a@b.org'), 'row 2 has a cell "2A"'],
  ['one beyond the last column', text('XFE2', 'a@b.org'), 'row 2 has a cell "XFE2"'],
  ['a cell twice', text('A2', 'a@b.org') + text('A2', 'b@b.org'), 'cell A2 stands twice'],
  ['a number that is none', '<c r="B2"><v>12x</v></c>', 'cell B2 has a value that does not fit its type "n"'],
  ['a truth value that is none', '<c r="B2" t="b"><v>2</v></c>', 'cell B2 has a value that does not fit its type "b"'],
  ['a date that is none', '<c r="B2" t="d"><v>tomorrow</v></c>', 'cell B2 has a value that does not fit its type "d"'],
  ['a type that is none', '<c r="B2" t="z"><v>1</v></c>', 'cell B2 has a value that does not fit its type "z"'],
  ['a text in a number', '<c r="B2"><is><t>Pia</t></is></c>', 'cell B2 has a text that is not of its type'],
  ['a format that is missing', '<c r="B2" s="99"><v>1</v></c>', 'cell B2 has a format that is missing'],
])('stops with the cell: %s', async (_what, inside, why) => {
  expect(await refused(read(cells(inside)))).toContain(why);
});

test.each(['True', 'yes', ''])('%j in place of true or false, as for a hidden row, stops the file', async (word) => {
  const rows = `${textRow(1, ['email', 'name'])}${textRow(2, ['a@b.org', 'Ann']).replace('<row', `<row hidden="${word}"`)}`;
  expect(await refused(read(workbookOf({ rows })))).toContain(`it has "${word}" in place of true or false`);
});

test('dates as texts of the standard are read', async () => {
  expect((await read(cells(`${text('', 'a@b.org')}<c t="d"><v>2031-02-03T10:30:00</v></c>`))).cells).toEqual([
    ['a@b.org', '2031-02-03T10:30:00', ''],
  ]);
});

test('a damaged part, two parts of one name, and a part in another encoding stop the file', async () => {
  const book = cells(text('A2', 'a@b.org'));
  const central = book.indexOf('xl/worksheets/sheet1.xml', book.indexOf(Buffer.from('PK\u0001\u0002'))) - 46;
  book.writeUInt32LE((book.readUInt32LE(central + 16) ^ 1) >>> 0, central + 16);
  expect(await refused(read(book))).toContain('"xl/worksheets/sheet1.xml" is damaged: its check sum is wrong');
  const twice = { 'xl/workbook.xml': '<workbook/>', 'XL/workbook.xml': '<workbook/>' };
  expect(await refused(read(packageOf(twice)))).toContain('it has two parts "xl/workbook.xml"');
  const latin = { 'xl/workbook.xml': '<?xml version="1.0" encoding="ISO-8859-1"?><workbook/>' };
  expect(await refused(read(packageOf(latin)))).toContain('"xl/workbook.xml" is not in UTF-8');
});

test('files of other programs are named for what they are', async () => {
  const container = (stream: string) => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from(`${stream}\0`, 'utf16le')]);
  const ofParts = (...parts: [name: string, type: string][]) => {
    const types = parts.map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}"/>`).join('');
    const [[name] = ['']] = parts;
    return zipOf({
      '[Content_Types].xml': `<Types xmlns="${packaging}/content-types">${types}</Types>`,
      '_rels/.rels': `<Relationships xmlns="${packaging}/relationships"><Relationship Id="a" Type="${relations}/officeDocument" Target="${name}"/></Relationships>`,
      ...Object.fromEntries(parts.map(([name]) => [name, 'x'])),
    });
  };
  const ofWord = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const ofBinary = 'application/vnd.ms-excel.sheet.binary.macroEnabled.main';
  const ofSheets = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
  const several = [
    ['a.xml', ofSheets],
    ['b.xml', ofSheets],
  ] as [string, string][];
  for (const [content, message] of [
    [container('EncryptedPackage'), 'stdin is locked by a password.'],
    [container('Workbook'), 'stdin is an old Excel workbook (.xls), which cannot be read.'],
    [container('WordDocument'), 'stdin is an old Office document, which cannot be read.'],
    [
      zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' }),
      'stdin is an OpenDocument file (.ods), which cannot be read.',
    ],
    [ofParts(['xl/workbook.bin', '']), 'stdin is a binary Excel workbook (.xlsb), which cannot be read.'],
    [ofParts(['book.xml', ofBinary]), 'stdin is a binary Excel workbook (.xlsb), which cannot be read.'],
    [ofParts(['word/document.xml', ofWord]), 'stdin is an archive without a workbook.'],
    [ofParts(...several), 'stdin cannot be read as a workbook: it has several workbooks.'],
  ] as const)
    expect((await refusal(read(content))).message).toBe(message);
});
