import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Record } from '../../../src/roster/read/source-table.ts';
import { delimitedRecords } from '../../../src/roster/read/text.ts';
import { inPortions, opened, read, refusal, rowsOf } from './roster.ts';

describe('delimited text', () => {
  test('marks rows that are too short or too long, and reads the others', async () => {
    const { cells, ragged } = await read('email,name,room\na@example.org,Ann\nb@example.org,Ben,7\nc@example.org,Example, Cy,7\n');
    expect(cells).toHaveLength(3);
    expect(ragged).toEqual([
      {
        column: 3,
        reason: 'the row has 2 cells, but the header 3; add the missing separators; if a spreadsheet left them out, save it as .xlsx',
      },
      {
        column: 4,
        reason: 'the row has 4 cells, but the header 3; additional cells: "7"; quote cells that contain the separator',
      },
    ]);
  });

  test('takes no notice of cells without text at the end of a row or of the header', async () => {
    const { header, cells, ragged } = await read('email,name,,\na@example.org,Ann\nb@example.org,Ben,,, ,\nc@example.org,,\n');
    expect([header, ragged]).toEqual([['email', 'name', '', ''], []]);
    expect(cells).toEqual([
      ['a@example.org', 'Ann', '', ''],
      ['b@example.org', 'Ben', '', ''],
      ['c@example.org', '', '', ''],
    ]);
  });

  test('cannot be one row of separators without end', async () => {
    expect((await refusal(read(`email,name\na@example.org,${','.repeat(3 << 20)}`))).message).toBe(
      'stdin, line 2: a value that begins here is longer than a million characters.',
    );
  });

  test('is told apart by its separator', async () => {
    for (const [separator, name] of [
      [',', 'commas'],
      [';', 'semicolons'],
      ['\t', 'tabs'],
      ['|', 'bars'],
    ] as const) {
      const text = `email,name,remark\nann@example.org,Ann,x\nben@example.org,Ben,y\n`.replaceAll(',', separator);
      const { header, format, cells } = await read(text);
      expect(header).toEqual(['email', 'name', 'remark']);
      expect(format).toBe(`CSV with ${name}`);
      expect(cells[1]).toEqual(['ben@example.org', 'Ben', 'y']);
    }
  });

  test('is not misled by commas in names when semicolons separate', async () => {
    const { cells } = await read('Name;E-Mail\nDoe, Jane;jane@example.org\nRoe, Max;max@example.org\n');
    expect(cells).toEqual([
      ['Doe, Jane', 'jane@example.org'],
      ['Roe, Max', 'max@example.org'],
    ]);
  });

  test('takes the separator that its first line names, and counts that line', async () => {
    const { header, cells, lines } = await read('sep=|\r\nemail|a,b;c\r\nann@example.org|x\r\n');
    expect(header).toEqual(['email', 'a,b;c']);
    expect(cells).toEqual([['ann@example.org', 'x']]);
    expect(lines).toEqual([3]);
  });

  test('finds the header below a title, and says so', async () => {
    const { header, lines, notes } = await read('Exam of 21 November\n\nemail,name\nann@example.org,Ann\n');
    expect(header).toEqual(['email', 'name']);
    expect(lines).toEqual([4]);
    expect(notes).toEqual(['The header is in line 3; the lines above it are treated as a title.']);
  });

  test('finds a header that only the user knows', async () => {
    const text = 'Winter;term;\nPost (at uni@example.org);Wer;Wo\nann@example.org;Ann;Graz\n';
    expect((await read(text, { headers: ['post (at uni@example.org)'] })).header).toEqual(['Post (at uni@example.org)', 'Wer', 'Wo']);
  });

  test('takes no cell of a student for a header', async () => {
    const text = 'Wer;Wo;Post;Was\nAnna;Ask;;Name\nBo;Berg;bo@example.org;Name\n';
    const { header, lines } = await read(text);
    expect(header).toEqual(['Wer', 'Wo', 'Post', 'Was']);
    expect(lines).toEqual([2, 3]);
  });

  test.each([
    ['whole', 'email,name,room\na@example.org,Ann,7\nEmail,Name,Room\nb@example.org,Ben,8\n', 3],
    ['in one column', 'email\na@example.org\n\nEMAIL \nb@example.org\n', 4],
    ['with other columns', 'email,name,room\na@example.org,Ann,7\nName,E-Mail,Reason\nBen,b@example.org,ill\n', 3],
  ])('refuses a second header: %s', async (_, text, line) => {
    // A list of addresses is another format.
    const { message } = await refusal(read(text.replaceAll('\n', ',\n').replace(/^/, 'Term\n')));
    expect(message).toBe(`stdin, line ${line + 1}: this is a second header.`);
  });

  test.each([
    ['of another length', 'Who,ann@example.org'],
    ['without an address', 'Who,Mail,Where'],
  ])('refuses a row %s below a blank one, where a second table may begin', async (_, second) => {
    const text = `email,name,room\nhost@example.org,Host,7\n\n${second}\n`;
    expect(await refusal(read(text))).toMatchObject({
      message:
        'stdin, line 4: a second table may begin here: this line follows a blank one, and has no e-mail address, or not as many cells as the header.',
      hint: 'Keep only the table of the students; or remove the blank line if both parts are one table.',
    });
    expect((await read(text.replace('\n\n', '\n'))).cells).toHaveLength(2);
    expect((await read(`email,name,room\n\nhost@example.org,Host,7\n\n\nann@example.org,Ann,8\n,Ben,9\n\n`)).lines).toEqual([3, 6, 7]);
  });

  test('refuses the header again if only its place says so, and no student for words that are headers elsewhere', async () => {
    const text = 'Post;Wer;Wo\na@example.org;status;role\nPost;Wer;Anderswo\n';
    expect((await refusal(read(text))).message).toBe('stdin, line 3: this is a second header.');
    expect((await read(text.replace('Post;Wer;And', 'b@example.org;;And'))).lines).toEqual([2, 3]);
  });

  test('finds a header by the names of another kind of table', async () => {
    const text = 'Office;2026\nemail;weight\na@example.org;7\n';
    expect((await read(text, { furtherHeaders: ['Weight'] })).header).toEqual(['email', 'weight']);
  });

  test('marks a row with one text that is no address, however it is padded', async () => {
    const table = await opened('email,name,room\na@example.org\n\nGroup B\n,Group C,\nb@example.org,Ben,7\n');
    expect((await rowsOf(table)).map(({ alone }) => alone)).toEqual([undefined, 'Group B', 'Group C', undefined]);
    await table.close();
    const list = await opened('ann@example.org\nWithdrawn: ben@example.org\ncy@@example\nDee <dee@example.org>\nAbsent\n');
    expect((await rowsOf(list)).map(({ alone }) => alone)).toEqual([
      undefined,
      'Withdrawn: ben@example.org',
      undefined,
      undefined,
      'Absent',
    ]);
    await list.close();
  });

  test('counts lines as an editor does, also through cells of several lines and blank lines', async () => {
    const { lines, cells } = await read('email,name\r\n\r\nann@example.org,"Ann\r\nExample"\r\n,\r\nben@example.org,Ben');
    expect(lines).toEqual([3, 6]);
    expect(cells[0]).toEqual(['ann@example.org', 'Ann\r\nExample']);
  });

  test('takes the apostrophe off that guards a formula', async () => {
    expect((await read("email,name\nann@example.org,'=Ann\nben@example.org,''-Ben\n")).cells.map(([, name]) => name)).toEqual([
      '=Ann',
      "'-Ben",
    ]);
  });

  test.each([
    ['a quote that is not closed', 'email,name\nann@example.org,Ann\nben@example.org,"Ben\ncy@example.org,Cy\n', 'line 3, column 2'],
    ['a quote in the middle of a cell', 'email,name\r\nann@example.org,Ann "A" Example\r\n', 'line 2, column 2'],
    ['text behind a closed quote', 'email,name\n"ann@example.org"x,Ann\n', 'line 2, column 1'],
    ['a header that stands twice', 'email,name,Email\nann@example.org,Ann,x\n', 'line 1, column 3'],
    ['a NUL', 'email,name\nann@example.org,A\0nn\n', 'line 2, column 18'],
  ])('refuses %s, with its place', async (_, text, place) => {
    const { code, message } = await refusal(read(text));
    expect(code).toBe('invalid_input');
    expect(message).toContain(`stdin, ${place}: `);
  });

  test('gives the right line for a quote that is not closed below cells of several lines', async () => {
    const text = 'email,name\r\n"ann@example.org","Ann\r\nExample"\r\nben@example.org,"Ben\r\n';
    expect((await refusal(read(text))).message).toBe('stdin, line 4, column 2: a quote that starts here is never closed.');
  });

  test.each([
    ['nothing', '', 'stdin is empty.'],
    ['blank lines only', '\n \n,,\n', 'stdin is empty.'],
    ['a header only', 'email,name\n', 'stdin has a header (line 1) but no rows below it.'],
    [
      'students without a header',
      'ann@example.org,Ann\nben@example.org,Ben\n',
      'stdin has no header: line 1, the first with an e-mail address, has none above it.',
    ],
    [
      'students above a word that looks like a header',
      'ann@example.org,Ann\nben@example.org,Name\n',
      'stdin has no header: line 1, the first with an e-mail address, has none above it.',
    ],
  ])('refuses %s', async (_, text, message) => {
    expect((await refusal(read(text))).message).toBe(message);
  });

  test('does not wait for the end of the file to refuse an unclosed quote', async () => {
    const text = `email,name\nann@example.org,"Ann\n${'ben@example.org,Ben\n'.repeat(60_000)}`;
    expect((await refusal(read(text))).message).toBe('stdin, line 2, column 2: the row that begins here does not end.');
  });

  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '|', '\n', '\r', "'", 'a', ' ', 'ü', '𝄞'), maxLength: 8 }),
  );

  test('reads what a strict writer writes, whatever the names, separators and line ends', async () => {
    const separator = fc.constantFrom(',', ';', '\t', '|');
    const ends = fc.constantFrom('\r\n', '\n', '\r');
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(separator, ends, table, async (between, end, cells) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""').replaceAll('\0', '')}"`;
        const rows = cells.map((row, index) => [`s${index}@example.org`, ...row]);
        const text = [['email', 'name', 'Raum', 'x'], ...rows].map((row) => row.map(quoted).join(between) + end).join('');
        const guard = /(?<=^|[;\t\r\n])'(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;
        const expected = rows.map((row) => row.map((one) => one.replaceAll('\0', '').replace(guard, '')));
        expect((await read(text.toWellFormed())).cells).toEqual(expected.map((row) => row.map((one) => one.toWellFormed())));
      }),
      { numRuns: 200 },
    );
  });
});

describe('records', () => {
  test('do not depend on the portions in which a text comes', async () => {
    const text = 'a,b\r\n"x\r\ny ""z""",ü\r\n\r\nc,d\n"",e\r';
    const taken = async (size: number) => {
      const found: Record[] = [];
      for await (const records of delimitedRecords(inPortions(text, size), 'r.csv', ',')) found.push(...records);
      return found;
    };
    const whole = await taken(1000);
    expect(whole.map(({ line }) => line)).toEqual([1, 2, 4, 5, 6]);
    for (let size = 1; size < text.length; size++) expect(await taken(size)).toEqual(whole);
  });
});

describe('a list of addresses', () => {
  test('needs no header', async () => {
    const { header, cells, format } = await read('ann@example.org\n\nBen Example <ben@example.org>;\n');
    expect(format).toBe('list of addresses');
    expect(header).toEqual(['email']);
    expect(cells).toEqual([['ann@example.org'], ['Ben Example <ben@example.org>']]);
  });

  test('may have one', async () => {
    const { cells, lines } = await read('E-Mail-Adresse\r\nann@example.org\r\nben@example\r\n');
    expect(cells).toEqual([['ann@example.org'], ['ben@example']]);
    expect(lines).toEqual([2, 3]);
  });

  test('keeps a line that is no address, so that it can be refused by name', async () => {
    expect((await read('ann@example.org\nben at example.org\n')).cells).toEqual([['ann@example.org'], ['ben at example.org']]);
  });
});
