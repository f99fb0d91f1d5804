import { describe, expect, test } from 'vitest';
import { interruption } from '../runs/small-office.ts';
import { names, read, refusal, refused } from './reading.ts';
import { main, merging, packageOf, relations, textRow, workbookOf, zipOf } from './workbook.ts';

const sheetOf = (...rows: string[][]) => rows.map((row, index) => textRow(index + 1, row)).join('');
const cell = (style: number, value: number) => `<c s="${style}"><v>${value}</v></c>`;
const hiddenRow = (line: number, cells: string[], how = 'hidden="1"') => textRow(line, cells).replace('<row', `<row ${how}`);

describe('a workbook', () => {
  test('gives shared, inline and rich texts, numbers, truth values, and empty cells where they are', async () => {
    const strings = [
      '<si><t>email</t></si><si><t>name</t></si><si><t>nr</t></si><si><t>ok</t></si>',
      '<si><r><t>Zoë </t></r><r><rPr><b/></rPr><t xml:space="preserve">B &amp; C_x0041_</t></r><rPh sb="0" eb="1"><t>spoken</t></rPh></si>',
    ].join('');
    const rows = [
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c></row>',
      '<row r="3"><c r="A3" t="inlineStr"><is><t>zoe@example.org</t></is></c><c r="B3" t="s"><v>4</v></c><c r="C3"><v>1.2E3</v></c><c r="D3" t="b"><v>1</v></c></row>',
      '<row r="4"><c r="A4" t="str"><f>A3</f><v>ann@example.org</v></c><c r="B4" s="1"/><c r="D4" t="b"><v>0</v></c></row>',
    ];
    expect(await read(workbookOf({ rows: rows.join(''), strings }))).toMatchObject({
      format: 'Excel workbook, sheet "Students"',
      place: 'row',
      header: ['email', 'name', 'nr', 'ok'],
      cells: [
        ['zoe@example.org', 'Zoë B & CA', '1200', 'true'],
        ['ann@example.org', '', '', 'false'],
      ],
      lines: [3, 4],
      delimiter: ',',
      encoding: 'utf-8',
    });
  });

  test('gives dates as local times without a zone, and other numbers as they are', async () => {
    const values = [cell(1, 46347), cell(2, 46347.375), cell(2, 46347), cell(3, 46347), cell(1, 46347.697928240741)];
    const header = textRow(1, ['email', 'day', 'close_time', 'midnight', 'number', 'day that hides a time']);
    const numbers = `<row r="2"><c t="inlineStr"><is><t>a@example.org</t></is></c>${values.join('')}</row>`;
    const expected = ['2026-11-21', '2026-11-21T09:00:00', '2026-11-21T00:00:00', '46347', '2026-11-21T16:45:01'];
    expect((await read(workbookOf({ rows: header + numbers }))).cells[0]?.slice(1)).toEqual(expected);
    for (const truth of ['1', 'true', 'on', 't']) {
      const since1904 = { rows: header + numbers.replaceAll('46347', '44885'), properties: `<workbookPr date1904="${truth}"/>` };
      expect((await read(workbookOf(since1904))).cells[0]?.slice(1, 3)).toEqual(expected.slice(0, 2));
    }
  });

  test('shows shares, times of day and lengths of time as they are written, without a day', async () => {
    const formats = [10, 20, 164, 46].map((id) => `<xf numFmtId="${id}"/>`).join('');
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/></numFmts><cellXfs>${formats}</cellXfs></styleSheet>`;
    const values = [cell(0, 1 / 3), cell(0, 0.25), cell(1, 1 / 96), cell(1, 1 / 16), cell(2, 26 / 24), cell(3, 1 / 960), cell(1, 0)];
    const rows = `${sheetOf([...'abcdefg'])}<row r="2">${values.join('')}</row>`;
    for (const properties of ['', '<workbookPr date1904="1"/>'])
      expect((await read(workbookOf({ rows, styles, properties }))).cells).toEqual([
        ['33.333%', '25%', '0:15:00', '1:30:00', '26:00:00 h', '0:01:30 h', '0:00:00'],
      ]);
  });

  test('marks a formula whose value is not stored, and takes an empty text for one that is', async () => {
    const book = (cells: string) =>
      workbookOf({ rows: `${sheetOf(['Seat', 'email'])}<row r="2">${cells}<c r="B2" t="str"><v>a@b.org</v></c></row>` });
    for (const inside of ['<f>A1</f>', '<f>A1</f><v/>', '<f t="shared" si="0"/><v></v>']) {
      const { problems } = await read(book(`<c r="A2">${inside}</c>`));
      expect(problems).toEqual(['column 1 has a formula without a stored value; open and save the workbook in Excel or LibreOffice']);
    }
    expect((await read(book('<c r="A2" t="str"><f>A1</f><v></v></c>'))).cells).toEqual([['', 'a@b.org']]);
    const alone = `${sheetOf(['email'], ['a@b.org'])}<row r="3"><c r="A3"><f>A1</f></c></row>`;
    expect((await read(workbookOf({ rows: alone }))).problems).toHaveLength(1);
  });

  test('may have prefixes, and neither styles nor shared strings', async () => {
    const row = (text: string) => `<x:row><x:c t="str"><x:v>${text}</x:v></x:c></x:row>`;
    const parts = {
      'xl/workbook.xml': `<x:workbook xmlns:x="${main}" xmlns:r="${relations}"><x:sheets><x:sheet name="A" r:id="R1"/></x:sheets></x:workbook>`,
      'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="R1" Target="/xl/a.xml"/></Relationships>',
      'xl/a.xml': `<x:worksheet xmlns:x="${main}"><x:sheetData>${row('email')}${row('<![CDATA[a@b.org]]>')}</x:sheetData></x:worksheet>`,
    };
    expect((await read(packageOf(parts))).cells).toEqual([['a@b.org']]);
  });
});

describe('the sheet', () => {
  const sheet = (...rows: string[][]) => `<worksheet><sheetData>${sheetOf(...rows)}</sheetData></worksheet>`;
  const parts = {
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Cover" r:id="a"/><sheet name="Old" state="hidden" r:id="d"/><sheet name="Monday" r:id="b"/><sheet name="Tuesday" r:id="c"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${['a', 'b', 'c', 'd'].map((id) => `<Relationship Id="${id}" Target="${id === 'c' ? '/xl/' : ''}${id}.xml"/>`).join('')}</Relationships>`,
    'xl/a.xml': sheet(['Examinations'], ['Autumn', '2026']),
    'xl/b.xml': sheet(['email', 'name'], ['a@example.org', 'Ann']),
    'xl/c.xml': sheet(['email', 'name'], ['b@example.org', 'Ben']),
    'xl/d.xml': sheet(['email', 'name'], ['old@example.org', 'Old']),
  };

  test('is the only visible one with rows; of several it has to be chosen, by its name or its number among the visible ones', async () => {
    const { 'xl/b.xml': _, 'xl/a.xml': __, ...others } = parts;
    const empty = '<worksheet/>';
    expect((await read(packageOf({ ...others, 'xl/a.xml': empty, 'xl/b.xml': empty }))).cells).toEqual([['b@example.org', 'Ben']]);
    expect(await refusal(read(packageOf(parts)))).toEqual({
      code: 'invalid_input',
      message: 'stdin has several sheets with rows. Its sheets: "Cover", "Monday", "Tuesday".',
      hint: 'Choose the sheet: --sheet Cover or --sheet Monday or --sheet Tuesday',
    });
    for (const choice of ['tuesday', '3'])
      expect((await read(packageOf(parts), { sheet: choice })).cells).toEqual([['b@example.org', 'Ben']]);
    expect((await read(packageOf(parts), { sheet: 'Old' })).cells).toEqual([['old@example.org', 'Old']]);
    expect(await refused(read(packageOf(parts), { sheet: 'Friday' }))).toBe(
      'stdin has no sheet "Friday". Its sheets: "Cover", "Monday", "Tuesday".',
    );
    expect((await refusal(read('email\na@example.org\n', { sheet: '1' }))).code).toBe('usage');
    const covered = packageOf({ ...parts, 'xl/a.xml': empty, 'xl/b.xml': empty, 'xl/c.xml': empty });
    expect((await refusal(read(covered))).hint).toContain('--sheet Old');
  });
});

test('merged cells give their text to each row that they cover, in their first column', async () => {
  const rows = sheetOf(
    ['email', 'one', 'two', 'group'],
    ['a@b.org', 'x', '', 'A'],
    ['b@b.org', 'y', 'before it was merged', ''],
    ['c@b.org', '', 'x', ''],
  );
  const { cells } = await read(workbookOf({ rows: `${rows}<row r="5"/>`, behind: merging('D2:D4', 'B3:C3', 'D5:D9') }));
  expect(cells).toEqual([
    ['a@b.org', 'x', '', 'A'],
    ['b@b.org', 'y', 'before it was merged', 'A'],
    ['c@b.org', '', 'x', 'A'],
  ]);
});

describe('hidden rows', () => {
  const rows =
    sheetOf(['email', 'group'], ['a@example.org', 'A']) +
    hiddenRow(3, ['b@example.org', 'B']) +
    textRow(4, ['c@example.org', 'A']) +
    hiddenRow(5, ['d@example.org', 'B'], 'hidden="true"') +
    hiddenRow(7, ['e@example.org', 'B'], 'ht="0" customHeight="1"') +
    textRow(8, ['f@example.org', 'A']).replace('<row', '<row hidden="false" ht="12.8"') +
    hiddenRow(9, ['']);
  const book = workbookOf({ rows, behind: merging('B4:B5') });

  test('stop the file with their numbers', async () => {
    expect(await refusal(read(book))).toEqual({
      code: 'invalid_input',
      message: 'stdin has 3 hidden rows (3, 5, 7); a filter hides rows.',
      hint: 'Show or delete them, and save the file. To count them: --rows 2-8',
    });
  });

  test('count where --rows says which lines are the roster', async () => {
    const { lines, notes } = await read(book, { rows: '2-5' });
    expect(lines).toEqual([2, 3, 4, 5]);
    expect(notes).toEqual(['--rows leaves out 2 rows, 2 with an address.', '2 hidden rows included, as with --rows 2-5.']);
  });

  test('above the header do not matter', async () => {
    const title = hiddenRow(1, ['Exam of 21 November']);
    expect((await read(workbookOf({ rows: title + textRow(2, ['email']) + textRow(3, ['a@example.org']) }))).lines).toEqual([3]);
  });
});

describe('a workbook that is damaged or made to do harm', () => {
  const header = textRow(1, ['email']);
  const stringsThere = '<Relationships><Relationship Id="a" Target="sharedStrings.xml"/></Relationships>';
  const tooMany = 'stdin has more than 100000 cells';
  const why = async (rows: string, more = {}) => {
    const { message } = await refusal(read(workbookOf({ rows: header + rows, ...more })));
    return message.replace('stdin cannot be read as a workbook: "xl/worksheets/sheet1.xml" ', '');
  };

  test('is refused where its archive is cut off, has lost a part, or is not in UTF-8', async () => {
    const whole = workbookOf({ rows: header + textRow(2, ['a@example.org']) });
    expect(await refused(read(whole.subarray(0, -30)))).toMatch(/^stdin cannot be read as a workbook: .*[^.]\.$/);
    expect(await refused(read(packageOf({ 'xl/workbook.xml': '<workbook><sheets><sheet name="A"/></sheets></workbook>' })))).toContain(
      'the part of its sheet "A" is missing',
    );
    const empty = { 'xl/workbook.xml': '<workbook/>', 'xl/_rels/workbook.xml.rels': stringsThere };
    expect(await refused(read(packageOf(empty)))).toBe('stdin has no visible sheet with rows. Its sheets: none.');
    expect(await refused(read(packageOf({ ...empty, 'xl/sharedStrings.xml': Buffer.from('<sst>Zo\u00eb</sst>', 'latin1') })))).toContain(
      'not valid',
    );
  });

  test('cannot unpack without end, whatever it says of its size', async () => {
    const bomb = workbookOf({ rows: header, strings: ' '.repeat(300 << 20) });
    expect(bomb.length).toBeLessThan(1 << 20);
    expect(await refused(read(bomb))).toMatch(/^stdin cannot be read as a workbook: it unpacks to more than \d\d MB\.$/);
    const entry = bomb.indexOf('xl/sharedStrings.xml', bomb.indexOf(Buffer.from('PK\u0001\u0002'))) - 46;
    bomb.writeUInt32LE(1000, entry + 24);
    expect(await refused(read(bomb))).toMatch(/^stdin cannot be read as a workbook: too many bytes/);
  });

  test('cannot laugh a billion times, or merge cells over each other without end', async () => {
    const laughs = Array.from({ length: 10 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join('');
    const strings = `<!DOCTYPE sst [<!ENTITY l0 "ha">${laughs}]><sst><si><t>&l10;</t></si></sst>`;
    const parts = { 'xl/workbook.xml': '<workbook/>', 'xl/_rels/workbook.xml.rels': stringsThere, 'xl/sharedStrings.xml': strings };
    expect(await refused(read(packageOf(parts)))).toContain('"xl/sharedStrings.xml" is incomplete XML (line 1)');
    const behind = merging(...Array.from({ length: 20_000 }, () => 'A2:XFD1048576'));
    const rows = Array.from({ length: 600 }, (_, index) => textRow(index + 2, ['a@example.org'])).join('');
    expect(await why(rows, { behind })).toContain(tooMany);
    expect(await why('<row>')).toContain('is incomplete XML');
    const cells = Array.from({ length: 1000 }, (_, at) => `<row><c r="XFD${at + 2}"><v>1</v></c></row>`).join('');
    expect(await why(cells)).toContain(tooMany);
  });

  test('cannot merge cells over rows that are absent without end, or have one long format worked out for each style', async () => {
    const behind = merging(...Array.from({ length: 1000 }, () => 'A2:A1048576'));
    expect(await why(`${textRow(2, ['a@example.org'])}<row r="1048576"/>`, { behind })).toContain(tooMany);
    const format = `<numFmts><numFmt numFmtId="200" formatCode="${'d'.repeat(2 << 20)}"/></numFmts>`;
    const styles = `<styleSheet>${format}<cellXfs>${'<xf numFmtId="200"/>'.repeat(50_000)}</cellXfs></styleSheet>`;
    expect((await read(workbookOf({ rows: header + textRow(2, ['a@example.org']), styles }))).cells).toEqual([['a@example.org']]);
  });

  test('has a format read once for all of its cells', async () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'#'.repeat(490)}${'_x'.repeat(240)}0"/></numFmts><cellXfs><xf/><xf numFmtId="200"/></cellXfs></styleSheet>`;
    const cells = `<row><c><v>1</v></c>${'<c s="1"><v>7</v></c>'.repeat(150)}</row>`;
    const before = process.cpuUsage().user;
    const { cells: read7 } = await read(
      workbookOf({ rows: textRow(1, ['email', ...Array.from({ length: 150 }, (_, at) => `${at}`)]) + cells.repeat(600), styles }),
    );
    expect([read7.length, read7.at(-1)?.at(-1)]).toEqual([600, '7']);
    // Read for each cell, it took ten seconds.
    expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  });

  test('numbers its rows as spreadsheets do, or stops', async () => {
    const rowOf = (number: string) => textRow(2, ['a@example.org']).replace('r="2"', `r="${number}"`);
    expect((await read(workbookOf({ rows: header + rowOf('1048576') }))).lines).toEqual([1_048_576]);
    for (const number of ['1', '0', '1048577', '10000000000', '1e300', '0x10', '7.0', 'x', ''])
      expect(await why(rowOf(number))).toContain(`the row after row 1 has the number "${number}"`);
  });

  test('nests no deeper than 100 levels, however far it goes on', async () => {
    const nested = (levels: number, text = '') => `${`<a>${text}`.repeat(levels)}${'</a>'.repeat(levels)}`;
    // Within a row of a worksheet, 97 more make 100.
    const rows = (inside: string) => `${textRow(2, ['a@example.org'])}<row>${inside}</row>`;
    expect((await read(workbookOf({ rows: header + rows(nested(97, 'x')) }))).cells).toEqual([['a@example.org']]);
    const refusals = [rows(nested(98)), `\n${nested(40_000)}`, `\n${'<t>x'.repeat(400_000)}`].map((inside) => why(inside));
    const tooDeep = (line: number) => `is nested more than 100 levels deep (line ${line}).`;
    expect(await Promise.all(refusals)).toEqual([tooDeep(1), tooDeep(2), tooDeep(2)]);
  });

  test('that is large is left as soon as the command is interrupted', async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => textRow(index + 2, ['a@example.org'])).join('');
    const stop = new AbortController();
    const reading = read(workbookOf({ rows: header + rows }), { interrupted: stop.signal }).then(() => 'read to its end');
    setImmediate(() => stop.abort(interruption));
    await expect(reading).rejects.toBe(interruption);
  });

  test('numbers rows without a number on, and stops where a text is missing', async () => {
    const text = (address: string) => `<c t="inlineStr"><is><t>${address}</t></is></c>`;
    const rows = `<row>${text('a@example.org')}</row><row r="7">${text('b@example.org')}</row><row>${text('c@example.org')}</row>`;
    const { cells, lines } = await read(workbookOf({ rows: header + rows }));
    expect(lines).toEqual([2, 7, 8]);
    expect(cells.flat()).toEqual(['a@example.org', 'b@example.org', 'c@example.org']);
    expect(await why('<row><c t="s"><v>7</v></c></row>')).toContain('cell A2 refers to a text that is missing');
  });
});

test('Other files are refused for what they are.', async () => {
  const bytes = (hex: string) => Buffer.from(`${hex}00000000`, 'hex');
  for (const [content, what] of [
    [bytes('1f8b0800'), 'compressed, which cannot be read.'],
    ['\n<!DOCTYPE html><table>', 'a web page or XML, despite its name.'],
    [zipOf({ 'users.csv': 'email\na@b.org\n' }), 'an archive without a workbook.'],
  ] as const)
    expect(await refusal(read(content, {}, names()))).toMatchObject({ code: 'invalid_input', message: `stdin is ${what}` });
});
