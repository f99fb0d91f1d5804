/** Tables in text: delimited, a list, JSON, in any encoding that is named. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { names, read, refusal, refused } from './reading.ts';

describe('delimited text', () => {
  test('has the separator under which lines have the same number of cells where no header is known', async () => {
    expect((await read('Größe, Wer;Post;"Wo, wann"\n1,2, Ann;ann@example.org;Graz\nBen;ben@example.org;"Wien"\n')).delimiter).toBe(';');
  });

  test('has the separator under which headers are known where two would do', async () => {
    expect((await read('E-Mail;Wer, wo\nann@example.org;Ann, Graz\n')).header).toEqual(['E-Mail', 'Wer, wo']);
  });

  test('takes the separator that its first line names, and counts that line', async () => {
    const { header, cells, lines, delimiter, notes } = await read('sep=|\r\nemail|a,b;c\r\nann@example.org|x\r\n');
    expect([header, cells, lines, delimiter, notes]).toEqual([['email', 'a,b;c'], [['ann@example.org', 'x']], [3], '|', []]);
  });

  test('marks rows that are too long, and takes cells that are missing at the end of a row as empty, as Excel leaves them out', async () => {
    const { cells, problems } = await read('email,name,room\na@example.org,Ann\nb@example.org,Ben,7\nc@example.org,Example, Cy,7\n');
    expect(cells[0]).toEqual(['a@example.org', 'Ann', '']);
    expect(problems).toEqual(['the line has 4 cells, but the header 3; correct its separators, and quote cells that contain one']);
  });

  test('takes no notice of cells without text at the end of a row or of the header', async () => {
    const { header, cells, problems } = await read('email,name,,\na@example.org, Ann \nb@example.org,Ben,,, ,\nc@example.org,,\n');
    expect([header, problems]).toEqual([['email', 'name', '', ''], []]);
    expect(cells).toEqual([
      ['a@example.org', 'Ann', '', ''],
      ['b@example.org', 'Ben', '', ''],
      ['c@example.org', '', '', ''],
    ]);
  });

  test('counts lines as an editor does, also through cells of several lines and blank lines', async () => {
    const { lines, cells } = await read('email,name\r\n\r\nann@example.org,"Ann\r\nExample"\r\n,\r\nben@example.org,Ben');
    expect(lines).toEqual([3, 6]);
    expect(cells[0]).toEqual(['ann@example.org', 'Ann\r\nExample']);
  });

  test.each([
    [
      'a quote that is not closed',
      'email,name\na@example.org,Ann\nb@example.org,"Ben\nc@example.org,Cy\n',
      'line 3, column 2: a quote that starts here is never closed',
    ],
    [
      'a quote that one in a line below closes',
      'email,name,note\na@b.org,Ann,"tea\nb@b.org,Ben,\nc@b.org,Cy,19"\n',
      'line 2, column 3: a quote that starts here is never closed',
    ],
    [
      'one that closes below, where students have numbers',
      'number,note\nk01204571,"tea\n1204572,"\n',
      'line 2, column 2: a quote that starts here is never closed',
    ],
    [
      'one that closes below, where the row lacks its last cells',
      'email,note,name\na@b.org,"tea\nb@b.org,,Ben\nc@b.org,,"\n',
      'line 2, column 2: a quote that starts here is never closed',
    ],
    [
      'one below cells of several lines',
      'email,name\r\n"a@b.org","A\r\nB"\r\nb@b.org,"Ben\r\n',
      'line 4, column 2: a quote that starts here is never closed',
    ],
    ['a quote amid a cell', 'email,name\r\nann@example.org,Ann "A" Example\r\n', 'line 2, column 2: a cell has a quote in the middle'],
    ['text behind a closed quote', 'email,name\n"ann@example.org"x,Ann\n', 'line 2, column 1: a quote is closed before the cell ends'],
    ['a header that stands twice', 'Term\nemail,name,Email\nann@example.org,Ann,x\n', 'line 2: the header "Email" stands twice'],
    ['a NUL', 'email,name\nann@example.org,A\0nn\n', 'line 2, character 18: NUL character'],
  ])('refuses %s, with its place', async (_, text, what) => {
    expect(await refusal(read(text))).toMatchObject({ code: 'invalid_input', message: `stdin, ${what}.` });
  });

  test('is refused where it has more rows than anybody needs, blank ones too, however many more', async () => {
    const blank = '\n'.repeat(30 << 20);
    expect(await refused(read(`email\na@example.org${blank}`))).toMatch(/^stdin has more than 2000000 cells/);
    expect((await read(`email\na@example.org${blank.slice(0, 1000)}`)).lines).toEqual([2]);
  });

  test('reads what a strict writer writes, whatever the names, separators and line ends', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '|', '\n', '\r', "'", 'a', ' ', 'ü', '𝄞'), maxLength: 8 }),
    );
    const separator = fc.constantFrom(',', ';', '\t', '|');
    const ends = fc.constantFrom('\r\n', '\n', '\r');
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(separator, ends, table, async (between, end, cells) => {
        const rows = cells.map((row, index) => [`s${index}@example.org`, ...row.map((text) => text.replaceAll('\0', '').toWellFormed())]);
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = [['email', 'name', 'Raum', 'x'], ...rows].map((row) => row.map(quoted).join(between) + end).join('');
        const guard = /(?<=^|[;\t\r\n])'(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;
        expect((await read(text)).cells).toEqual(rows.map((row) => row.map((one) => one.replace(guard, '').trim())));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a header', () => {
  test('is found below a title, and the notes say so', async () => {
    const { header, lines, notes } = await read('Exam of 21 November\n\nemail,name\nann@example.org,Ann\n');
    expect([header, lines]).toEqual([['email', 'name'], [4]]);
    expect(notes).toEqual(['The header is in line 3; the lines above it are treated as a title.']);
  });

  test('is the line above the first address where its names are not known, and has no cell of a student', async () => {
    const { header, lines } = await read('Winter;term;\nWer;Wo;Post;Was\nbo@example.org;Berg;;Name\n;;c@example.org;Mail\n');
    expect(lines).toEqual([3, 4]);
    expect(header).toEqual(['Wer', 'Wo', 'Post', 'Was']);
    expect((await read('Winter\nWer;Wo\n1;2\n')).header, 'without an address').toEqual(['Wer', 'Wo']);
    const text = 'Winter;term;\nPost (at uni@example.org);Wer;Wo\nann@example.org;Ann;Graz\n';
    expect((await read(text, {}, names(['Post (at uni@example.org)']))).header).toEqual(['Post (at uni@example.org)', 'Wer', 'Wo']);
  });

  test('has two known names, where a title has one', async () => {
    expect((await read('Status;open\nE-Mail;Name\nann@example.org;Ann\n')).header).toEqual(['E-Mail', 'Name']);
  });

  test.each([
    ['nothing', '', 'is empty.'],
    ['a header only', 'Term\n\nemail,name\n', 'has a header (line 3) but no rows below it.'],
    [
      'students without one',
      'ann@b.org,Ann\nben@b.org,Name\nemail,name\n',
      'has no header: line 1, the first with an e-mail address, has none above it.',
    ],
  ])('is missed in %s', async (_, text, what) => {
    expect(await refusal(read(text))).toMatchObject({ code: 'invalid_input', message: `stdin ${what}` });
    expect((await refusal(read('', {}, names([], 'exams')))).hint).toMatch(/such as: id,name,date,start,end$/);
  });
});

describe('--rows', () => {
  const text = ['Exam;21.11.', 'E-Mail;Wer', 'a@b.org;Ann', 'b@b.org;Ben', 'Group B;', 'c@b.org;Cy', 'd@b.org;Dee', 'Total;4'].join('\n');

  test('says where the roster ends; what it leaves out is named', async () => {
    const { header, lines, notes } = await read(text, { rows: '3-4' });
    expect({ header, lines }).toEqual({ header: ['E-Mail', 'Wer'], lines: [3, 4] });
    expect(notes).toEqual([
      'The header is in line 2; the lines above it are treated as a title.',
      '--rows leaves out 4 lines, 2 with an address.',
    ]);
  });

  test('finds the header above a heading, above other students, or as the first of the lines', async () => {
    for (const [rows, lines] of [
      ['6-7', [6, 7]],
      ['4-4', [4]],
      ['2-3', [3]],
    ] as const)
      expect(await read(text, { rows })).toMatchObject({ header: ['E-Mail', 'Wer'], lines });
    expect((await read('Post;Wer\na@b.org;Ann\nSum;1\n', { rows: '1-2' })).lines).toEqual([2]);
    expect((await read('Titel\nPost;Wer\nwho;\na@b.org;Ann\n', { rows: '3-4' })).lines).toEqual([3, 4]);
    expect((await read('Post;Wer;Wo\na@b.org;Name;Mail\nb@b.org;Ben;\n', { rows: '3-3' })).header).toEqual(['Post', 'Wer', 'Wo']);
    const two = 'email,name\nmail,status\na@b.org,Ann\n';
    expect((await read(two)).header).toEqual(['email', 'name']);
    expect((await read(two, { rows: '3-3' })).header).toEqual(['mail', 'status']);
  });

  test('is refused where it is no range, or has no rows', async () => {
    for (const rows of ['2', '5-2', '0-3', 'all'])
      expect(await refusal(read(text, { rows }))).toMatchObject({ code: 'usage', hint: 'For example: --rows 2-58' });
    expect(await refused(read(text, { rows: '20-30' }))).toBe('stdin has a header (line 2) but no rows in lines 20 to 30.');
    expect(await refused(read('a@b.org,Ann\nb@b.org,Ben\n', { rows: '1-2' }))).toContain('has no header: line 1');
  });
});

describe('JSON', () => {
  test('is an array of objects; a key of any of them is a column', async () => {
    const text = '[\n {"email":"ann@example.org","name":null},\n {"skip_requirements":true,"email":"ben@example.org","toString":1}\n]\n';
    const { header, cells, lines, format, place } = await read(text);
    expect([format, place, lines]).toEqual(['JSON', 'item', [1, 2]]);
    expect(header).toEqual(['email', 'name', 'skip_requirements', 'toString']);
    expect(cells).toEqual([
      ['ann@example.org', '', '', ''],
      ['ben@example.org', '', 'true', '1'],
    ]);
  });

  test('keeps every digit, and shows what is nested as JSON', async () => {
    const { cells } = await read('[{"email":"a@example.org","id":12345678901234567890,"x":{"y":[1]}}]');
    expect(cells).toEqual([['a@example.org', '12345678901234567890', '{"y":[1]}']]);
  });

  test('may be an object on each line', async () => {
    const { format, place, lines, cells } = await read('{"email":"ann@example.org"}\n\n{"email":"ben@example.org"}');
    expect([format, place, lines]).toEqual(['NDJSON', 'line', [1, 3]]);
    expect(cells).toEqual([['ann@example.org'], ['ben@example.org']]);
  });

  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  test.each([
    ['an item that is no object', '[{"email":"a@b.org"},\n 7]', ', item 2: not an object.'],
    ['an item nested without end', `[{"email":"a@b.org","x":${nested}}]`, ': invalid JSON, nested more than 100 levels deep.'],
    ['a line nested without end', `{"email":"a@b.org"}\n{"x":${nested}}`, ', line 2: invalid JSON, nested more than 100 levels deep.'],
    ['a key twice in an item', '[{"email":"a@b.org","email":"b@b.org"}]', ': invalid JSON, the key "email" stands twice in one object.'],
    ['a slip on a line', '{"email":"a@b.org"}\n{"email";"b"}\n', ', line 2: invalid JSON, column 9.'],
    ['a line that is cut off', '{"email":"a@b.org"}\n{"email":\n', ', line 2: invalid JSON, cut short or broken.'],
    ['an empty array', '[]', ' is empty.'],
  ])('refuses %s', async (_, text, what) => {
    expect(await refusal(read(text))).toMatchObject({ code: 'invalid_input', message: `stdin${what}` });
  });
});

const text = 'email;name\nzoe@example.org;Zoë Brandstätter\n';
const latin = Buffer.from(text, 'latin1');
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

describe('encodings', () => {
  test.each([
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', swapped(Buffer.from(`\ufeff${text}`, 'utf16le'))],
  ])('are believed where the file begins with the mark of %s', async (encoding, bytes) => {
    const table = await read(bytes);
    expect(table).toMatchObject({ header: ['email', 'name'], cells: [['zoe@example.org', 'Zoë Brandstätter']], encoding });
    expect(await refused(read(bytes, { encoding: 'windows-1252' }))).toMatch(/is UTF-8|NUL character/);
  });

  test('are never guessed: what is not UTF-8 is refused with its place, how a word would read, and the option', async () => {
    expect(await refusal(read(latin))).toEqual({
      code: 'invalid_input',
      message: 'stdin, line 2, character 19: invalid UTF-8.',
      hint: 'As windows-1252, the first word in doubt is "Zoë": if that is right, add --encoding windows-1252. Otherwise name the encoding of the file, or save it as UTF-8.',
    });
  });

  test('are not read as another when the file is UTF-8', async () => {
    expect(await refusal(read(text, { encoding: 'windows-1252' }))).toEqual({
      code: 'invalid_input',
      message: 'stdin is UTF-8, and not windows-1252.',
      hint: 'Leave out --encoding.',
    });
    expect((await read('email\na@example.org\n', { encoding: 'windows-1252' })).cells).toEqual([['a@example.org']]);
    // All bytes of this encoding are also those of UTF-8.
    const japanese = 'email,name\na@example.org,\x1b$B;3ED\x1b(B\n';
    expect((await read(japanese, { encoding: 'iso-2022-jp' })).cells).toEqual([['a@example.org', '山田']]);
  });

  test.each([
    ['windows-1252', [0x80, 0x92, 0x9f, 0xe4], '€’Ÿä'],
    ['iso-8859-1', [0xe4, 0xdf], 'äß', 'windows-1252'],
    ['latin2', [0xa3, 0xaf], 'ŁŻ', 'iso-8859-2'],
    ['windows-1251', [0xc6], 'Ж'],
  ])('are read as %s where it is named', async (encoding, bytes, name, otherwise = encoding) => {
    const content = Buffer.concat([Buffer.from('email;name\nann@example.org;'), Buffer.from(bytes)]);
    expect(await read(content, { encoding })).toMatchObject({
      cells: [['ann@example.org', name]],
      format: `CSV with semicolons, ${otherwise}`,
      encoding: otherwise,
    });
  });

  test('may be UTF-16 without its mark where it is named; where it is not, the hint says how', async () => {
    const bare = Buffer.from(text, 'utf16le');
    expect((await read(bare, { encoding: 'utf-16le' })).cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    expect((await read(swapped(bare), { encoding: 'utf-16be' })).cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    const ascii = Buffer.from(text.replace(/[^\0-\x7f]/g, 'x'), 'utf16le');
    expect((await refusal(read(ascii))).hint).toBe('If it is UTF-16, add: --encoding utf-16le. Otherwise remove it.');
    expect((await refusal(read(swapped(ascii)))).hint).toContain('--encoding utf-16be');
  });

  test('are refused by a name that is unknown or does not fit', async () => {
    expect(await refusal(read(text, { encoding: 'ebcdic' }))).toMatchObject({ code: 'usage', message: 'Unknown encoding "ebcdic".' });
    expect(await refused(read(latin, { encoding: 'utf-8' }))).toBe('stdin, line 2, character 19: invalid UTF-8.');
  });
});
