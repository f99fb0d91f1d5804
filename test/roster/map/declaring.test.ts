import { describe, expect, test } from 'vitest';
import { type MapOptions, mapTable } from '../../../src/roster/map/index.ts';
import { opened, refusal, rowsOf } from '../read/roster.ts';
import { textRow, workbookOf } from '../read/zip.ts';

const csv = (header: string, rows: readonly string[]) => [header, ...rows].map((line) => `${line}\n`).join('');
/** Lines of students: an address, then the cells that are given. */
const lines = (cells: readonly string[]) => cells.map((cell, index) => `s${index + 1}@example.org;${cell}`);

async function judged(content: string | Uint8Array, options: MapOptions = {}) {
  const table = await opened(content);
  try {
    const mapping = await mapTable(table, options);
    const reasons = (await rowsOf(table)).map(({ cells }) => mapping.leftOut(cells) ?? 'imported');
    return { ...mapping, reasons };
  } finally {
    await table.close();
  }
}

const column = (header: string, values: readonly string[], options: MapOptions = {}) =>
  judged(csv(`email;${header}`, lines(values)), options);

const many = (value: string, number: number) => Array<string>(number).fill(value);

describe('a column of which nothing is declared', () => {
  test.each<[string, readonly string[]]>([
    ['Role', ['Student', 'Student', 'Teacher']],
    ['Status', ['W', 'E', 'E']],
    ['Withdrawn', ['', 'W', '']],
    ['Klausurzulassung', ['ja', 'nein', 'ja']],
    ['Bemerkung', ['', 'abgemeldet am 3.10.', '']],
    ['Reg Status', ['RW', 'DD', 'RE']],
    ['Roller', ['Student', 'Lærer', 'Student']],
    ['Státusz', ['aktív', 'passzív', 'aktív']],
    ['Semester', many('WS26', 12)],
    ['Gruppe', ['A', 'B', 'A']],
    ['password', many('x', 3)],
    ['Matrikelnummer', ['1', '2', '3']],
    ['Raum', [...Array.from({ length: 12 }, (_, index) => String(index)), '']],
    ['Eintrag', Array.from({ length: 12 }, (_, index) => `"{""role"":""teacher"",""id"":${index}}"`)],
  ])('stops the import, whatever it is called and holds: %s', async (header, values) => {
    const { code, message, hint } = await refusal(column(header, values));
    expect(code).toBe('invalid_input');
    expect(message).toContain(`1 undeclared column may decide which lines are used:\n  "${header}" (column 2): `);
    expect(hint).toContain('--ignore-column');
    for (const value of new Set(values)) expect(hint).not.toContain(`=${value || header}`);
  });

  test.each<[string, readonly string[]]>([
    ['is empty', many('', 3)],
    ['is filled and different in each of ten lines', Array.from({ length: 10 }, (_, index) => String(index))],
  ])('cannot decide if it %s', async (_, values) => {
    expect((await column('Nr', values)).reasons).toEqual(values.map(() => 'imported'));
  });

  test('is shown with its values, the rarest first, with the line of a single one', async () => {
    const values = [...many('angemeldet', 5), 'abgemeldet', ...many('zugelassen', 2)];
    expect((await refusal(column('Status', values))).message).toBe(
      'stdin, 8 lines: 1 undeclared column may decide which lines are used:\n  "Status" (column 2): "abgemeldet" 1 (line 7), "zugelassen" 2, "angemeldet" 5.',
    );
  });

  test('is shown with a constant, with a few of many values, and with hidden characters made visible', async () => {
    expect((await refusal(column('Semester', many('WS26', 3)))).message).toContain('"WS26" in all 3');
    const values = Array.from({ length: 30 }, (_, index) => `v${index}`);
    expect((await refusal(column('Kurs', [...values, ...values]))).message).toContain('"v7" 2 and 22 more');
    expect((await refusal(column('Status', ['a\u202eb', 'a']))).message).toContain('"a\\u202eb" 1 (line 2)');
    const names = Array.from({ length: 1500 }, (_, index) => `n${index}`);
    expect((await refusal(column('Ort', [...names, 'n1']))).message).toContain('more than 1000 different values, such as "n0", "n1", "n2"');
  });

  test('never shows a password', async () => {
    const { message } = await refusal(column('Passwort', ['hunter2', 'hunter2']));
    expect(message).toContain('"Passwort" (column 2): its values are not shown');
    expect(await refusal(column('Passwort', ['hunter2', 'hunter2'], { only: { Passwort: ['hunter2'] } }))).toMatchObject({
      message: 'The column "Passwort" holds secrets, which are never sent, shown or stored.',
    });
  });

  test('needs a header to be declared by', async () => {
    expect((await refusal(column('', ['x', 'x']))).hint).toContain('Give each column a header, or clear its cells.');
  });

  test.each([
    [
      'JSON',
      JSON.stringify([
        { email: 'a@example.org', Status: 'in' },
        { email: 'b@example.org', Status: 'out' },
      ]),
    ],
    ['NDJSON', '{"email":"a@example.org","Status":"in"}\n{"email":"b@example.org","Status":"out"}\n'],
    [
      'Excel',
      workbookOf({ rows: textRow(1, ['email', 'Status']) + textRow(2, ['a@example.org', 'in']) + textRow(3, ['b@example.org', 'out']) }),
    ],
  ])('stops a file of %s alike, and is declared alike', async (_, content) => {
    expect((await refusal(judged(content))).message).toContain('"Status" (column 2): "in" 1');
    expect((await judged(content, { except: { Status: ['out'] } })).reasons).toEqual(['imported', 'Status "out"']);
  });
});

describe('a declared column', () => {
  const states = ['angemeldet', 'abgemeldet', 'zugelassen', ''];

  test('lets the values of --only through, and leaves out all others', async () => {
    const { reasons } = await column('Status', states, { only: { status: ['Angemeldet', 'zugelassen'] } });
    expect(reasons).toEqual(['imported', 'Status "abgemeldet"', 'imported', 'Status empty']);
  });

  test('leaves out the values of --except, and lets all others through', async () => {
    const { reasons } = await column('Status', states, { except: { Status: ['abgemeldet', ''] } });
    expect(reasons).toEqual(['imported', 'Status "abgemeldet"', 'imported', 'Status empty']);
  });

  test('of which both are given stops at a value that neither names', async () => {
    const declared = { only: { Status: ['angemeldet'] }, except: { Status: ['abgemeldet'] } };
    expect(await refusal(column('Status', states, declared))).toMatchObject({
      code: 'invalid_input',
      message: 'stdin, column "Status" (column 2): in neither --only nor --except: "zugelassen" 1 (line 4), empty 1 (line 5).',
    });
    const whole = { only: { Status: ['angemeldet', 'zugelassen'] }, except: { Status: ['abgemeldet', ''] } };
    expect((await column('Status', states, whole)).reasons[3]).toBe('Status empty');
  });

  test('beside another one: a line has to be let through by both', async () => {
    const text = csv('email;Status;Zulassung', lines(['an;ja', 'an;nein', 'ab;ja']));
    const { reasons } = await judged(text, { only: { Status: ['an'], Zulassung: ['ja'] } });
    expect(reasons).toEqual(['imported', 'Zulassung "nein"', 'Status "ab"']);
  });

  test('decides before the others are judged, and is judged over the whole file itself', async () => {
    const text = csv('email;Status;Bemerkung', lines(['an;', 'ab;krank', 'an;']));
    expect((await judged(text, { only: { Status: ['an'] } })).reasons).toEqual(['imported', 'Status "ab"', 'imported']);
    const both = { only: { Status: ['an'], Bemerkung: [''] }, except: { Bemerkung: ['ohne'] } };
    expect((await refusal(judged(text, both))).message).toContain('"krank" 1 (line 3)');
  });

  test('that says nothing is passed over', async () => {
    const { reasons, ignored } = await column('Gruppe', ['A', 'B', 'A'], { ignored: ['gruppe'] });
    expect(reasons).toEqual(many('imported', 3));
    expect(ignored).toEqual(['Gruppe']);
  });

  test.each<[string, MapOptions, string]>([
    [
      'a value in --only and --except',
      { only: { A: ['x'] }, except: { a: ['X'] } },
      '"x" of column "A" is named by --only and by --except.',
    ],
    [
      'a column in --only and --ignore-column',
      { only: { A: ['x'] }, ignored: ['A'] },
      'Column "A" is named by --ignore-column, and by --only or --except.',
    ],
    ['a column that the file lacks', { ignored: ['Aa'] }, 'stdin has no column "Aa". Its columns: "email", "A".'],
    ['an --only that would leave out everybody', { only: { A: ['y'] } }, 'Column "A" contains no value of --only. Its values: "x", "z".'],
  ])('is refused with %s', async (_, options, message) => {
    expect((await refusal(column('A', ['x', 'z'], options))).message).toBe(message);
  });

  test('says which of its values the file does not have', async () => {
    expect((await column('A', ['x', 'z'], { except: { A: ['y', 'z'] } })).absent).toEqual(['Column "A" does not contain "y" of --except.']);
  });
});

describe('on a terminal', () => {
  const text = csv('email;Status;Semester', lines(['an;WS26', 'ab;WS26', 'an;WS26']));

  test('an answer declares the columns', async () => {
    const asked: string[][] = [];
    const askColumns: MapOptions['askColumns'] = async ({ columns }) => {
      asked.push(columns.map(({ header }) => header));
      return { only: { Status: ['an'] }, ignored: ['Semester'] };
    };
    const { reasons, wasAsked } = await judged(text, { askColumns });
    expect(asked).toEqual([['Status', 'Semester']]);
    expect(reasons).toEqual(['imported', 'Status "ab"', 'imported']);
    expect(wasAsked).toBe(true);
  });

  test('no answer imports nothing', async () => {
    expect((await refusal(judged(text, { askColumns: async () => undefined }))).code).toBe('invalid_input');
  });
});

test.each(['Nachteilsausgleich', 'Extra time'])('a column of extra time is a column like any other: %s', async (header) => {
  const amounts = ['25%', '', '15 min'];
  expect(await refusal(column(header, amounts))).toMatchObject({ code: 'invalid_input', hint: expect.stringContaining('--ignore-column') });
  const { used, ignored } = await column(header, amounts, { ignored: [header] });
  expect([used.map(({ field }) => field), ignored]).toEqual([['email'], [header]]);
});

test('a file stops at a value that neither --only nor --except names, after any number of others', async () => {
  const values = [...Array.from({ length: 1500 }, (_, index) => `v${index}`), 'late'];
  const declared = { only: { Ort: values.slice(0, 1500) }, except: { Ort: ['out'] } };
  expect((await refusal(column('Ort', values, declared))).message).toContain('in neither --only nor --except: "late" 1 (line 1502)');
  const long = 'x'.repeat(300);
  const { reasons } = await column('Ort', [long, 'out'], { only: { Ort: [long] }, except: { Ort: ['out'] } });
  expect(reasons).toEqual(['imported', 'Ort "out"']);
});

describe('a rejects file', () => {
  const reject = (code: string) => `email;Nr;Status;reject_line;reject_code;reject_reason\na@example.org;7;an;3;${code};x\n`;

  test('was judged with its roster', async () => {
    expect((await judged(reject('bad_address'))).reasons).toEqual(['imported']);
  });

  test.each(['ragged', 'bad_address ragged', ''])('is judged again for a line with the code "%s"', async (code) => {
    expect((await refusal(judged(reject(code)))).message).toContain('"Status" (column 3): "an" in all 1');
  });
});
