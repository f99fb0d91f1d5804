/** What a spreadsheet or a wrong encoding has made of a file: numbers, names and times are right, or refused with their place. */
import { describe, expect, test } from 'vitest';
import { textRow, workbookOf } from '../../roster/workbook.ts';
import { counted, errorOf, exam } from './importing.ts';

const numbered = async () => {
  const made = exam();
  await made.service.run('config set dialect.sessionNumberKey matriculation_number');
  return made;
};
const rosterOf = (...numbers: string[]) => `Matrikelnummer;name\n${numbers.map((number, at) => `${number};N${at}\n`).join('')}`;

describe("A student's number", () => {
  const changed = ['1.20457E+11', '1,20457E+11', '1E+11', '1204571.0', '1204571,0', "'0012045", '‘0012045', '#DIV/0!'];
  const shown = [
    ...['12045%', '€1204571', '1204571\ufe0f', '1.204571E6', '1.204.571', "1'204'571", '1.204', '1204571.', '=A2&B2', '’1204571'],
    ...['12:04', '1.2.2031', '2/1/31'],
  ];
  test.each([...changed, ...shown, '2031-02-03', '2031-02-03T00:00:00', '00\u200b12045'])('once changed is none: %s', async (number) => {
    const { service, imports } = await numbered();
    const ended = await imports(rosterOf('0077', number));
    expect([ended.code, service.writes(), ended.report.problems]).toMatchObject([3, [], [{ line: 3, column: 'column 1 (number)' }]]);
    const left = await imports(rosterOf('0077', number), '--skip-invalid');
    expect(
      service.sessions.map(({ matriculation_number }) => matriculation_number),
      left.stderr,
    ).toEqual(['0077']);
  });

  test.each(['１２０４５７１', '-', '--', '1\u202f204\u202f571'])('beside an address is invalid, too: %s', async (number) => {
    const { service, imports } = await numbered();
    const ended = await imports(`email;Matrikelnummer\nann@example.org;${number}\n`);
    expect([ended.code, service.writes(), ended.report.problems]).toMatchObject([3, [], [{ line: 2, column: 'column 2 (number)' }]]);
  });

  test.each(['1E5', 'e+12', '12.5', '2031-7', '0012045', 'k01204571', '12.345.678-5'])('may have any other form: %s', async (number) => {
    const { service, imports } = await numbered();
    expect((await imports(rosterOf(number))).code).toBe(0);
    expect(service.sessions).toMatchObject([{ matriculation_number: number }]);
  });

  test.each(['="0012045"', '"=""0012045"""'])('is read without the formula that kept it: %s', async (cell) => {
    const { service, imports } = await numbered();
    expect((await imports(rosterOf(cell))).code).toBe(0);
    expect(service.sessions).toMatchObject([{ matriculation_number: '0012045' }]);
  });

  test('in a cell of a workbook is as it is shown, and none where digits are lost', async () => {
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000000"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>';
    const book = (style: number, value: string) =>
      workbookOf({
        rows: `${textRow(1, ['Matrikelnummer', 'name'])}<row r="2"><c s="${style}"><v>${value}</v></c><c t="str"><v>Ann</v></c></row>`,
        styles,
      });
    const { service, imports } = await numbered();
    expect((await imports(book(1, '12045'))).code).toBe(0);
    expect((await imports(book(0, '120457000000'))).code).toBe(0);
    expect(service.sessions.map(({ matriculation_number }) => matriculation_number)).toEqual(['00012045', '120457000000']);
    const ended = await imports(book(0, '1234567890123456789'));
    expect([ended.code, ended.report.problems]).toMatchObject([3, [{ line: 2, column: 'column 1 (number)' }]]);
  });

  test.each(['1.20457E+11', '12e7', '["0012045"]', '{"old":"0012045"}'])('in JSON is a text or whole digits: not %s', async (number) => {
    const { service, imports } = await numbered();
    const ended = await imports(`[{"Matrikelnummer":"0077"},{"Matrikelnummer":${number}}]`);
    expect([ended.code, service.writes(), ended.report.problems]).toMatchObject([3, [], [{ line: 2, column: 'column 1 (number)' }]]);
    expect((await imports('[{"Matrikelnummer":12045671204567123},{"Matrikelnummer":77.0}]')).code).toBe(0);
    expect(service.sessions).toMatchObject([{ matriculation_number: '12045671204567123' }, { matriculation_number: '77' }]);
  });

  test('that equals another but for leading zeros is refused with both, of the file and of the exam', async () => {
    const { service, imports } = await numbered();
    const twice = await imports(rosterOf('0012045', '12045'));
    expect([twice.code, twice.report.problems]).toMatchObject([
      3,
      [{ line: 3, reason: '"12045" and "0012045" in line 2 are the same but for leading zeros.' }],
    ]);
    await imports(rosterOf('0012045'));
    for (const args of ['', '--update', '--check', '--skip-invalid']) {
      const ended = await imports(rosterOf('12045', '99'), args);
      expect(errorOf(ended.stderr).message).toContain('line 2 has "12045", and the exam "0012045"');
      expect(ended.code).toBe(3);
    }
    expect([service.posts(), counted(await imports(rosterOf('0012045')))]).toEqual([1, { unchanged: 1 }]);
    service.change('session', 100, { matriculation_number: '12045' });
    const [, command = ''] = /if line 2 is right: proctor-cli (.*)$/.exec(errorOf((await imports(rosterOf('0012045'))).stderr).hint) ?? [];
    expect((await service.run(command)).code).toBe(0);
    expect(counted(await imports(rosterOf('0012045')))).toEqual({ unchanged: 1 });
  });
});

describe('A number that is shorter than all those that begin with 0', () => {
  test('is named in the plan: a spreadsheet may have taken its zeros', async () => {
    const { service, imports } = await numbered();
    const ended = await imports(rosterOf('0012045', '12046', '1212047', '0112048', '12O49'));
    expect([ended.code, service.posts()]).toEqual([0, 5]);
    expect(ended.stderr).toMatch(/Numbers that may lack zeros at their beginning: .{1,2}12046.{1,2} \(line 3\)\. .*the format .{1,2}Text/);
  });

  test.each(['K0012045', '12-045', '0012/045'])('is in the exam in another spelling: %s', async (number) => {
    const { service, imports } = await numbered();
    const right = number.startsWith('K') ? 'k0012045' : '0012045';
    await imports(rosterOf(right));
    const ended = await imports(rosterOf(number));
    expect([ended.code, service.posts()]).toEqual([3, 1]);
    expect(errorOf(ended.stderr).message).toMatch(/the same but for (leading zeros|zeros, case and separators), in exam/);
  });

  test('is none where no number begins with 0', async () => {
    const { imports } = await numbered();
    expect((await imports(rosterOf('12045', '212046'))).stderr).not.toContain('zeros');
  });
});

describe('A name that looks damaged', () => {
  const bytes = ['J=C3=BCrgen', 'J%C3%BCrgen', 'J+APw-rgen', ...['J\\u00fcrgen', 'J\\374rgen', "O\\'Neil"]];
  const lost = ['J??rgen', 'J¨urgen', 'Bj”rn', 'S¿ren', 'J¼rgen'];
  const misread = [
    'JÃ¼rgen',
    'O&#039;Neil',
    'RenÃ©e',
    'Å‚ukasz',
    'J√ºrgen',
    'J├╝rgen',
    'JĂĽrgen',
    'JГјrgen',
    'JÃŒrgen',
    ...bytes,
    ...lost,
    '=A2&B2',
  ];
  test.each(misread)('is named in the plan, and created: %s', async (name) => {
    const { service, imports } = exam();
    const ended = await imports(`email,name\nann@example.org,Ann\njon@example.org,${name}\n`);
    expect([ended.code, service.sessions.length]).toEqual([0, 2]);
    expect(ended.stderr).toMatch(/Names that look damaged: .*\(line 3\)\. .*--encoding/);
    service.change('session', 101, { name: 'Jon' });
    const update = await imports(`email,name\njon@example.org,${name}\n`, '--update');
    expect([update.code, service.sessions[1]?.name]).toEqual([3, 'Jon']);
  });

  test.each([
    'Jürgen',
    'Ñandú Ångström',
    'Łukasz',
    'Smith & Sons; Co',
    'Æsa',
    'D´Angelo',
    '山田太郎',
    'Ann 😀',
    'JAN RÓŻYCKI',
    'Ann „Anni“ Lee?',
    'ЮРІЙ',
    'JANÍŠ',
  ])('is none of %s', async (name) => {
    const { imports } = exam();
    expect((await imports(`email,name\njon@example.org,"${name}"\n`)).stderr).not.toContain('damaged');
  });
});

test('Rows that Excel ends early have empty cells.', async () => {
  const rows = Array.from({ length: 20 }, (_, at) => `s${at}@example.org;Student ${at}${at < 16 ? ';;' : ''}\n`);
  const { service, imports } = exam();
  expect((await imports(`E-Mail;Name;Bemerkung;Zimmer\n${rows.join('')}`)).code).toBe(0);
  expect(service.sessions).toHaveLength(20);
});

test('A text that a spreadsheet took for no date, among cells that it turned into dates, is refused; one that may be any date is not.', async () => {
  const cell = (line: number, text: string) => `<c r="B${line}" t="d"><v>${text}</v></c>`;
  const typed = (line: number, text: string) => `<c r="B${line}" t="str"><v>${text}</v></c>`;
  const row = (line: number, cells: string) => `<row r="${line}"><c r="A${line}" t="str"><v>s${line}@b.org</v></c>${cells}</row>`;
  const book = (...times: string[]) =>
    workbookOf({ rows: textRow(1, ['email', 'close_time']) + times.map((time, at) => row(at + 2, time)).join('') });
  const { service, imports } = exam();
  const zone = '--timezone Europe/Vienna';
  for (const day of ['13/04/2031', '04/13/2031']) {
    const ended = await imports(book(cell(2, '2031-03-04T09:00'), typed(3, `${day} 09:00`)), zone);
    expect([ended.code, service.sessions, ended.report.problems]).toMatchObject([3, [], [{ line: 3, column: 'column 2 (close_time)' }]]);
  }
  expect((await imports(book(cell(2, '2031-03-04T09:00'), typed(3, '4.3.2031 09:00')), zone)).code).toBe(0);
  expect((await imports(book(typed(2, '13/04/2031 09:00')), `${zone} --update`)).code).toBe(0);
});

test.each([[''], ['<row r="3"><c t="str"><v>b@b.org</v></c></row>']])(
  'An address without a stored value is named with its cell.',
  async (more) => {
    const formula = '<row r="2"><c><f>B2&amp;"@b.org"</f></c><c t="str"><v>ann</v></c></row>';
    const { service, imports } = exam();
    const ended = await imports(workbookOf({ rows: textRow(1, ['email', 'name']) + formula + more }));
    const reason = expect.stringMatching(/^column 1 has a formula without a stored value; open and save the workbook/);
    expect([ended.code, service.writes(), ended.report.problems], ended.stderr).toMatchObject([3, [], [{ line: 2, reason }]]);
  },
);

test('The value of a column of secrets stands in no message.', async () => {
  const { imports } = exam();
  const heading = await imports('email,name,password\nann@example.org,Ann,hunter2\n,,hunter3\n', '--ignore-column password');
  expect([heading.code, heading.stderr + heading.stdout]).toEqual([3, expect.not.stringContaining('hunter')]);
  const encoded = await imports(Buffer.from('email,password\nann@example.org,hünter2\n', 'latin1'), '--ignore-column password');
  expect([encoded.code, encoded.stderr + encoded.stdout]).toEqual([3, expect.not.stringContaining('nter2')]);
  const rows = `${textRow(1, ['email', 'password'])}<row r="2"><c t="str"><v>a@b.org</v></c><c><v>hunter2</v></c></row>`;
  const cell = await imports(workbookOf({ rows }), '--ignore-column password');
  expect([cell.code, cell.stderr + cell.stdout]).toEqual([3, expect.not.stringContaining('hunter')]);
  for (const email of ['ann@example.org', '']) {
    const nested = await imports(JSON.stringify([{ email, login: { user: 'ann', password: 'hunter2' } }, { email: 'bob@example.org' }]));
    expect([nested.code, nested.stderr + nested.stdout]).toEqual([3, expect.not.stringContaining('hunter')]);
  }
  const environment = await imports('PROCTOR_TOKEN=hunter2\nLANG=C\n');
  expect([environment.code, environment.stderr]).toEqual([3, expect.stringContaining('PROCTOR_TOKEN=********')]);
});

test.each(['close_time', 'Matrikelnummer', 'name', 'skip_requirements', 'Remark'])(
  'Of a cell of any length, a message has the beginning: %s.',
  async (header) => {
    for (const cell of ['1 '.repeat(20_000), '1'.repeat(40_000), `#N/A ${'x'.repeat(40_000)}`]) {
      const ended = await exam().imports(`email,${header}\nann@example.org,${cell}\nbob@example.org,\n`, '--timezone UTC -o table');
      expect(ended.stderr.length, ended.stderr.slice(0, 500)).toBeLessThan(2000);
    }
  },
);

test('Any kind of space is one, in headers and times.', async () => {
  const { service, imports } = exam();
  const roster = 'email;Schließt\u00a0um\nann@example.org;2127-02-01 9:30\u202fAM\nbob@example.org;1.2.2127,\u00a010.30\u2009Uhr\n';
  const ended = await imports(roster, '--timezone UTC --map close_time=Schließt_um'.replace('_um', '\u00a0um'));
  expect(
    service.sessions.map(({ close_time }) => close_time),
    ended.stderr,
  ).toEqual(['2127-02-01T09:30:00Z', '2127-02-01T10:30:00Z']);
  expect(ended.code, ended.stderr).toBe(0);
});
