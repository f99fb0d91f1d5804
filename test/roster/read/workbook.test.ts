import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { opened, read, refusal } from './roster.ts';
import { merging, textRow, workbookOf, zipOf } from './zip.ts';

describe('Excel workbooks', () => {
  test('give shared, inline and rich texts, numbers, truth values, and empty cells where they are', async () => {
    const strings = [
      '<si><t>email</t></si><si><t>name</t></si><si><t>nr</t></si><si><t>ok</t></si>',
      '<si><r><t>Zoë </t></r><r><rPr><b/></rPr><t xml:space="preserve">B &amp; C</t></r><rPh sb="0" eb="1"><t>spoken</t></rPh></si>',
    ].join('');
    const rows = [
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c></row>',
      '<row r="3"><c r="A3" t="inlineStr"><is><t>zoe@example.org</t></is></c><c r="B3" t="s"><v>4</v></c><c r="C3"><v>1.2E3</v></c><c r="D3" t="b"><v>1</v></c></row>',
      '<row r="4"><c r="A4" t="str"><f>A3</f><v>ann@example.org</v></c><c r="D4" t="b"><v>0</v></c></row>',
    ];
    const { header, cells, lines, format } = await read(workbookOf({ rows: rows.join(''), strings }));
    expect(format).toBe('Excel workbook, sheet "Students"');
    expect(header).toEqual(['email', 'name', 'nr', 'ok']);
    expect(cells).toEqual([
      ['zoe@example.org', 'Zoë B & C', '1200', 'true'],
      ['ann@example.org', '', '', 'false'],
    ]);
    expect(lines).toEqual([3, 4]);
  });

  test('give dates as local times without a zone, and other numbers as they are', async () => {
    const numbers =
      '<row r="2"><c t="inlineStr"><is><t>a@example.org</t></is></c><c s="1"><v>46347</v></c><c s="2"><v>46347.375</v></c><c s="2"><v>46347</v></c><c s="3"><v>46347</v></c><c s="1"><v>46347.697928240741</v></c></row>';
    const header = textRow(1, ['email', 'day', 'close_time', 'midnight', 'number', 'day that hides a time']);
    const expected = ['2026-11-21', '2026-11-21T09:00:00', '2026-11-21T00:00:00', '46347', '2026-11-21T16:45:01'];
    expect((await read(workbookOf({ rows: header + numbers }))).cells[0]?.slice(1)).toEqual(expected);
    const properties = '<workbookPr date1904="1"/>';
    const since1904 = numbers.replaceAll('46347', '44885');
    expect((await read(workbookOf({ rows: header + since1904, properties }))).cells[0]?.slice(1, 3)).toEqual(expected.slice(0, 2));
  });

  test('are read from the visible sheet, whatever is hidden', async () => {
    const rows = textRow(1, ['email']) + textRow(2, ['a@example.org']);
    const sheets = '<sheet name="Lists" sheetId="2" state="hidden" r:id="rId9"/><sheet name="A" sheetId="1" r:id="rId1"/>';
    const { format, notes } = await read(workbookOf({ rows, sheets }));
    expect(format).toBe('Excel workbook, sheet "A"');
    expect(notes).toEqual([]);
  });

  test('are read past a cover, and from the sheet that is chosen where several have addresses', async () => {
    const sheet = (...rows: string[][]) =>
      `<worksheet><sheetData>${rows.map((row, index) => textRow(index + 1, row)).join('')}</sheetData></worksheet>`;
    const parts = {
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="Cover" id="a"/><sheet name="Monday" id="b"/><sheet name="Tuesday" id="c"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': `<Relationships>${['a', 'b', 'c'].map((id) => `<Relationship Id="${id}" Target="${id}.xml"/>`).join('')}</Relationships>`,
      'xl/a.xml': sheet(['Examinations'], ['Autumn', '2026']),
      'xl/b.xml': sheet(['email', 'name'], ['a@example.org', 'Ann']),
      'xl/c.xml': sheet(['email', 'name'], ['b@example.org', 'Ben']),
    };
    const found = await read(zipOf({ ...parts, 'xl/c.xml': sheet(['email', 'name'], ['', 'to be announced']) }));
    expect(found.cells).toEqual([['a@example.org', 'Ann']]);
    expect(found.notes).toEqual(['Reading sheet "Monday"; the workbook also has "Cover", "Tuesday". --sheet NAME selects another.']);
    expect(await refusal(read(zipOf(parts)))).toEqual({
      code: 'invalid_input',
      message: 'stdin has several sheets with e-mail addresses: "Monday", "Tuesday".',
      hint: 'Choose the sheet with the students: --sheet NAME',
    });
    expect((await read(zipOf(parts), { sheet: 'tuesday' })).cells).toEqual([['b@example.org', 'Ben']]);
    expect((await read(zipOf(parts), { sheet: '3' })).cells).toEqual([['b@example.org', 'Ben']]);
    expect((await refusal(read(zipOf(parts), { sheet: 'Friday' }))).message).toBe(
      'stdin has no sheet "Friday". Its sheets: "Cover", "Monday", "Tuesday".',
    );
    expect((await refusal(read('email\na@example.org\n', { sheet: '1' }))).code).toBe('usage');
  });

  test('show shares and lengths of time as they are written, without a day', async () => {
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/><numFmt numFmtId="165" formatCode="[Magenta]0;[Cyan]0"/></numFmts><cellXfs>' +
      [10, 20, 164, 46, 165].map((id) => `<xf numFmtId="${id}"/>`).join('') +
      '</cellXfs></styleSheet>';
    const cell = (style: number, value: number) => `<c s="${style}"><v>${value}</v></c>`;
    const cells = [
      cell(0, 1 / 3),
      cell(0, 0.25),
      cell(1, 15 / 1440),
      cell(1, 90 / 1440),
      cell(2, 26 / 24),
      cell(3, 90 / 86_400),
      cell(1, 0),
      cell(4, 46347),
    ];
    const rows = `${textRow(1, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])}<row r="2">${cells.join('')}</row>`;
    const sheets = '<sheet name="A" sheetId="1" r:id="rId1"/>';
    for (const properties of ['', '<workbookPr date1904="1"/>']) {
      expect((await read(workbookOf({ rows, sheets, styles, properties }))).cells).toEqual([
        ['33.333%', '25%', '15m', '1h30m', '26h', '1m30s', '0m', '46347'],
      ]);
    }
  });

  test('mark text beyond the header', async () => {
    const rows = textRow(1, ['email', 'name']) + textRow(2, ['a@example.org', 'Ann', 'remark']);
    expect((await read(workbookOf({ rows }))).ragged).toEqual([
      {
        column: 3,
        reason: 'the row has 3 cells, but the header 2; additional cells: "remark"; give the column a header, or clear the cell',
      },
    ]);
  });

  const sheetOf = (...rows: string[][]) => rows.map((row, index) => textRow(index + 1, row)).join('');

  test('give the text of a merged cell to each row and column that it covers', async () => {
    const rows = sheetOf(
      ['email', 'status 1', 'status 2', 'group'],
      ['a@example.org', 'registered', '', 'A'],
      ['b@example.org', 'withdrawn', 'kept from before it was merged', ''],
      ['c@example.org', '', 'registered', ''],
      ['d@example.org', 'registered', 'registered', 'B'],
    );
    const below = '<row r="6"/>';
    const { cells } = await read(workbookOf({ rows: rows + below, behind: merging('D2:D4', 'B3:C3', 'D5:D9') }));
    expect(cells).toEqual([
      ['a@example.org', 'registered', '', 'A'],
      ['b@example.org', 'withdrawn', 'withdrawn', 'A'],
      ['c@example.org', '', 'registered', 'A'],
      ['d@example.org', 'registered', 'registered', 'B'],
    ]);
  });

  test('may have a merged title, a header of two rows, and columns that are merged from top to bottom', async () => {
    const rows = sheetOf(
      ['Exam of 21 November'],
      ['email', 'name', '', 'registration', ''],
      ['', '', '', 'status', 'date'],
      ['a@example.org', 'Ann', '', 'registered', '1.10.'],
      ['b@example.org', 'Ben', '', 'withdrawn', '2.10.'],
    );
    const behind = merging('A1:XFD1', 'A2:A3', 'B2:C3', 'D2:E2', 'B4:C4', 'B5:C5');
    const { header, cells, notes } = await read(workbookOf({ rows, behind }));
    expect(cells).toEqual([
      ['a@example.org', 'Ann', '', 'registered', '1.10.'],
      ['b@example.org', 'Ben', '', 'withdrawn', '2.10.'],
    ]);
    expect(header).toEqual(['email', 'name', '', 'status', 'date']);
    expect(notes).toEqual(['The header is in line 3; the lines above it are treated as a title.']);
  });

  test('are refused where merged cells overlap, as no program writes them', async () => {
    const behind = merging('A1:XFD9', 'A1:XFD8');
    expect((await refusal(read(workbookOf({ rows: sheetOf(['email'], ['a@example.org']), behind })))).message).toBe(
      'stdin, xl/worksheets/sheet1.xml cannot be read: its merged cells overlap.',
    );
  });

  const filtered =
    sheetOf(['email', 'group'], ['a@example.org', 'A']) +
    textRow(3, ['b@example.org', 'B']).replace('<row', '<row hidden="1"') +
    textRow(4, ['c@example.org', 'A']) +
    textRow(5, ['d@example.org', 'B']).replace('<row', '<row hidden="true"') +
    textRow(7, ['e@example.org', 'B']).replace('<row', '<row ht="0" customHeight="1"') +
    '<row r="6" hidden="1"/>';

  test('stop for hidden rows until it is said what becomes of them', async () => {
    const book = workbookOf({ rows: filtered, behind: merging('B4:B5') });
    const addresses = async (hiddenRows: 'include' | 'skip') => (await read(book, { hiddenRows })).cells.map(([email]) => email);
    expect(await refusal(read(book))).toEqual({
      code: 'invalid_input',
      message: 'stdin, sheet "Students" has 3 hidden rows (3, 5, 7); a filter hides rows.',
      hint: 'Add --hidden-rows include to use hidden rows, or --hidden-rows skip to leave them out.',
    });
    expect(await addresses('skip')).toEqual(['a@example.org', 'c@example.org']);
    expect(await addresses('include')).toEqual(['a@example.org', 'b@example.org', 'c@example.org', 'd@example.org', 'e@example.org']);
    expect((await read(book, { hiddenRows: 'skip' })).notes).toEqual(['3 hidden rows left out.']);
    expect((await read(book, { chooseHiddenRows: async () => 'include' as const })).notes).toEqual(['3 hidden rows included.']);
    expect((await refusal(read(book, { chooseHiddenRows: async () => undefined }))).message).toContain('3 hidden rows');
  });

  test('are refused where a second table may begin below a row that is left out', async () => {
    const rows =
      sheetOf(['email', 'name'], ['host@example.org', 'Host']) + textRow(4, ['Who', 'Mail']) + textRow(5, ['Ann', 'ann@example.org']);
    expect((await refusal(read(workbookOf({ rows })))).message).toMatch(/^stdin, row 4: a second table may begin here/);
    expect((await read(workbookOf({ rows: rows.replace('Who', 'who@example.org') }))).lines).toEqual([2, 4, 5]);
    const hidden = textRow(3, ['ann@example.org', 'Ann']).replace('<row', '<row hidden="1"');
    const below = sheetOf(['email', 'name'], ['host@example.org', 'Host']) + hidden + textRow(4, ['Who', 'Mail']);
    expect((await read(workbookOf({ rows: below }), { hiddenRows: 'skip' })).lines).toEqual([2, 4]);
  });

  test('name a formula whose value is not stored, and take an empty text for one that is', async () => {
    const cell = (inside: string, type = '') =>
      `<row r="2"><c r="A2" t="inlineStr"><is><t>a@example.org</t></is></c><c r="B2"${type}>${inside}</c></row>`;
    const book = (inside: string, type?: string) => read(workbookOf({ rows: sheetOf(['email', 'Seat']) + cell(inside, type) }));
    for (const inside of ['<f>A1</f>', '<f>A1</f><v/>', '<f t="shared" si="0"/><v></v>']) {
      expect(await refusal(book(inside))).toEqual({
        code: 'invalid_input',
        message: 'stdin, row 2, column 2 ("Seat"): a formula without a stored value.',
        hint: 'Open the workbook in Excel or LibreOffice, save it there, and run the command again.',
      });
    }
    expect((await book('<f>A1</f><v></v>', ' t="str"')).cells).toEqual([['a@example.org', '']]);
    expect((await book('<f>A1</f><v>7</v>')).cells).toEqual([['a@example.org', '7']]);
  });

  test('refuse what is damaged', async () => {
    const whole = workbookOf({ rows: textRow(1, ['email']) + textRow(2, ['a@example.org']) });
    expect((await refusal(read(whole.subarray(0, whole.length - 30)))).message).toMatch(/^stdin is a damaged archive: .*[^.]\.$/);
    expect((await refusal(read(workbookOf({ rows: '<row><c>' })))).message).toContain('cannot be read');
    const strings = Buffer.from('<sst><si><t>Zo\u00eb</t></si></sst>', 'latin1');
    const relations = '<Relationships><Relationship Id="r" Target="s.xml"/></Relationships>';
    const latin = zipOf({
      'xl/workbook.xml': '<workbook><sheets><sheet name="A" id="r"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relations,
      'xl/s.xml': '<worksheet/>',
      'xl/sharedStrings.xml': strings,
    });
    expect((await refusal(read(latin))).message).toBe('stdin, xl/sharedStrings.xml cannot be read: it is not UTF-8.');
    expect((await refusal(read(zipOf({ 'xl/workbook.xml': '<workbook/>' })))).message).toBe('stdin has no visible sheet.');
  });
});

describe('workbooks made to do harm', () => {
  const header = textRow(1, ['email']);
  const damaged = async (rows: string, more = {}) => (await refusal(read(workbookOf({ rows: header + rows, ...more })))).message;

  test('cannot hold a text without end, in a cell, in an attribute or as a comment', async () => {
    const long = 'x'.repeat(3 << 20);
    const said = 'stdin, xl/worksheets/sheet1.xml cannot be read: it contains a text of more than a million characters.';
    expect(await damaged(`<row><c t="inlineStr"><is><t>${long}</t></is></c></row>`)).toBe(said);
    expect(await damaged(`<row><c t="inlineStr"><is>${`<t>${'x'.repeat(5000)}</t>`.repeat(300)}</is></c></row>`)).toBe(said);
    expect(await damaged(`<row r="2" note="${long}"/>`)).toBe(said);
    expect(await damaged(`<row><!--${long}--></row>`)).toBe(said);
    const row = `<row>${`<c t="inlineStr"><is><t>${'x'.repeat(5000)}</t></is></c>`.repeat(300)}</row>`;
    expect(await damaged(row)).toContain('row 2 is longer than a million characters');
  });

  test('cannot lay elements inside each other without end', async () => {
    expect(await damaged('<a>'.repeat(200_000))).toContain('elements are nested more than 100 levels deep');
  });

  test('may have a number format of nothing but brackets', async () => {
    const brackets = '['.repeat(100_000);
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${brackets}"/></numFmts></styleSheet>`;
    const sheets = '<sheet name="A" sheetId="1" r:id="rId1"/>';
    const { cells } = await read(workbookOf({ rows: header + textRow(2, ['a@example.org']), sheets, styles }));
    expect(cells).toEqual([['a@example.org']]);
  });

  test('hide no row behind the number of another, and no text behind one that is missing', async () => {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = `<row r="1">${cell('a@example.org')}</row><row r="x">${cell('b@example.org')}</row><row>${cell('c@example.org')}</row>`;
    expect(await read(workbookOf({ rows: header + rows }))).toMatchObject({
      cells: [['a@example.org'], ['b@example.org'], ['c@example.org']],
      lines: [2, 3, 4],
    });
    expect(await damaged('<row><c t="s"><v>7</v></c></row>')).toContain('a cell of row 2 refers to a text that is missing');
  });

  test('are refused where they claim to hold more than two gigabytes', async () => {
    const archive = workbookOf({ rows: header + textRow(2, ['a@example.org']) });
    const entry = archive.indexOf('xl/worksheets/sheet1.xml', archive.indexOf(Buffer.from('PK\u0001\u0002'))) - 46;
    archive.writeUInt32LE(0xf0000000, entry + 24);
    expect((await refusal(read(archive))).message).toContain('unpacks to more than 2 GB');
  });
});

describe('archives', () => {
  test('are refused where the checksum of what is in them does not match', async () => {
    const archive = zipOf({ 'users.csv': 'email\nann@example.org\n' });
    const directory = archive.indexOf(Buffer.from('PK\u0001\u0002'));
    archive.writeUInt32LE((archive.readUInt32LE(directory + 16) ^ 1) >>> 0, directory + 16);
    expect(await refusal(read(archive))).toMatchObject({
      code: 'invalid_input',
      message: 'stdin is a damaged archive: the checksum of "users.csv" does not match.',
      hint: 'Download or save it again.',
    });
  });
});

describe('other files', () => {
  test('are named for what they are', async () => {
    const bytes = (hex: string) => Buffer.from(`${hex}00000000`, 'hex');
    expect((await refusal(read(bytes('d0cf11e0')))).message).toContain('an old Excel workbook');
    expect((await refusal(read(bytes('1f8b0800')))).message).toContain('compressed');
    expect(await refusal(read('%PDF-1.7'))).toMatchObject({ message: 'stdin is a PDF, which cannot be read.' });
    expect((await refusal(read('<html><table>'))).message).toContain('a web page');
    expect((await refusal(read(zipOf({ 'content.xml': '', mimetype: '' })))).message).toContain('an OpenDocument file');
    expect((await refusal(read(zipOf({ 'a.png': '' })))).message).toBe('stdin contains no roster.');
    expect((await refusal(read(zipOf({ 'users.csv': '', 'roles.csv': '' })))).message).toBe(
      'stdin contains several rosters: "users.csv", "roles.csv".',
    );
  });

  test('are read out of an archive that holds one table', async () => {
    const table = await opened(zipOf({ 'export/': '', '__MACOSX/._a.csv': 'x', 'export/a.csv': readFileSync('test/demo/roster.csv') }));
    expect(table.name).toBe('stdin, export/a.csv');
    await table.close();
  });
});
