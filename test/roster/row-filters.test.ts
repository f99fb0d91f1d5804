/** Which lines are used: every column is used, declared, empty or a serial number, or it stops the file; so does a line without an identity. */
import { describe, expect, test } from 'vitest';
import { merged } from '../../src/roster/columns.ts';
import { isChoice } from '../../src/roster/row-filters.ts';
import { type Given, mapped } from './mapping.ts';
import { refusal } from './reading.ts';

const csv = (header: string, rows: readonly string[]) => [header, ...rows].map((line) => `${line}\n`).join('');
const lines = (cells: readonly string[]) => cells.map((cell, index) => `s${index + 1}@example.org;${cell}`);
const column = (header: string, values: readonly string[], given: Given = {}) => mapped(csv(`email;${header}`, lines(values)), given);
const many = (value: string, number: number) => Array<string>(number).fill(value);
const numbers = Array.from({ length: 12 }, (_, index) => String(index));

test('A text in the column of addresses that is none is shown.', async () => {
  const { message } = await refusal(mapped(csv('email;name', ['ann@example.org;Ann', 'ben(at)example.org;Ben', 'cy@example.org;Cy'])));
  expect(message).toBe('stdin, line 3: there is no address in "ben(at)example.org".');
});

describe('a column of which nothing is declared', () => {
  test.each<[string, readonly string[]]>([
    ['Role', ['Student', 'Student', 'Teacher']],
    ['Withdrawn', ['', 'W', '']],
    ['Bemerkung', ['', 'abgemeldet am 3.10.', '']],
    ['Státusz', ['aktív', 'passzív', 'aktív']],
    ['Semester', many('WS26', 12)],
    ['Nachteilsausgleich', ['25%', '', '15 min']],
    ['password', many('x', 3)],
    ['Nr', ['1', '2', '3']],
    ['Raum', [...numbers, '']],
    ['Eintrag', numbers.map((index) => `"{""role"":""teacher"",""id"":${index}}"`)],
    ['sourcedId', numbers],
  ])('stops the file, whatever it is called and holds: %s', async (header, values) => {
    const { code, message, hint } = await refusal(column(header, values));
    expect(code).toBe('invalid_input');
    expect(message).toContain(`1 undeclared column may decide which lines are used:\n  "${header}" (column 2): `);
    expect(hint).toContain('--ignore-column ');
  });

  test('may be the field whose name it has, which is offered and never assumed', async () => {
    const { hint } = await refusal(column('Number', ['12012301', '12012302', '12012303']));
    expect(hint).toContain('\n  --map number=Number or --only Number=12012301');
  });

  test('is a serial number by all lines of the file, also if a rule leaves nine of them', async () => {
    const rows = numbers.slice(0, 10).map((number) => `s${number}@example.org;${number};${number === '3' ? 'RT' : 'ZU'}`);
    const { unused } = await mapped(csv('email;Lfd.;Status', rows), { only: ['Status=ZU'] });
    expect(unused).toEqual(['Lfd.']);
  });

  test('is shown with its values and their numbers, and with an option for each of them, none picked', async () => {
    const work = column('Status', [...many('angemeldet', 5), 'abgemeldet', ...many('"zu, spät"', 2)]);
    const { message, hint } = await refusal(work);
    expect(message).toContain('\n  "Status" (column 2): "abgemeldet" 1 (line 7), "zu, spät" 2, "angemeldet" 5.');
    expect(hint).toContain(
      `\n  --only Status=abgemeldet or --only 'Status="zu, spät"' or --only Status=angemeldet or --ignore-column Status`,
    );
    const values = [{ value: 'abgemeldet', count: 1, line: 7 }, expect.anything(), { value: 'angemeldet', count: 5, line: 2 }];
    await expect(work).rejects.toMatchObject({ items: [{ column: 2, header: 'Status', values }] });
  });

  test.each([3, 12])('of %i addresses is not shown, neither in a log nor as data; it may be the one to send to', async (many) => {
    const rows = numbers.slice(0, many).map((at) => `700${at};k${at}@private.example`);
    const work = mapped(csv('Matrikel;Kontakt', rows), { numberKey: 'matno' });
    const { message, hint } = await refusal(work);
    expect(message).toContain('"Kontakt" (column 2): e-mail addresses, which are not shown.');
    expect(hint).toContain('\n  --map email=Kontakt or --ignore-column Kontakt');
    await expect(work).rejects.toMatchObject({ items: [{ header: 'Kontakt', values: [] }] });
    const second = await refusal(column('Kontakt', ['x@private.example', '']));
    expect(`${second.message}${second.hint}`).not.toMatch(/x@private|--map/);
  });

  test('is shown with the rows or items of its file, where these are no lines', async () => {
    const items = ['in', 'out'].map((Status) => ({ email: `${Status}@example.org`, Status }));
    const { message } = await refusal(mapped(JSON.stringify(items)));
    expect(message).toContain('2 items: 1 undeclared column may decide which items are used:\n');
    expect(message).toContain('"in" 1 (item 1), "out" 1 (item 2).');
  });

  test('of addresses is not among those that may all be ignored', async () => {
    const rows = [...numbers, '12'].map((at) => `700${at};k${at}@private.example;am ${at}.3.;im ${at}. Semester`);
    const { hint } = await refusal(mapped(csv('Matrikel;Kontakt;Eintrag;Bemerkung', rows), { numberKey: 'matno' }));
    expect(hint).toContain('\n  --map email=Kontakt or --ignore-column Kontakt\n');
    expect(hint).not.toContain('To use every line');
    const others = csv(
      'email;Eintrag;Bemerkung',
      [...numbers, '12'].map((at) => `k${at}@x.org;am ${at}.3.;im ${at}. Semester`),
    );
    expect((await refusal(mapped(others))).hint).toContain('To use every line');
  });

  test.each([
    [1, false],
    [2, true],
    [12, true],
    [13, false],
  ])('with %i values is a choice that has to be made: %s', (number, is) => {
    const values = Array.from({ length: number }, (_, at) => ({ value: String(at), count: 1, line: at + 2 }));
    expect(isChoice({ index: 1, header: 'Status', values })).toBe(is);
  });

  test('is shown in one line, with hidden characters made visible, and a few of many values', async () => {
    expect((await refusal(column('Status', ['a\u202eb', 'a']))).message).toContain('"a\\u202eb" 1 (line 2)');
    const { message, hint } = await refusal(column('Kurs', [...numbers, ...numbers.map((at) => `${at}b`), '1b']));
    expect(message).toContain('and 16 more');
    expect(hint).not.toContain('--only Kurs');
  });
});

describe('a declared column', () => {
  const states = ['angemeldet', 'abgemeldet', 'zugelassen', ''];

  test('lets the values of --only through, or leaves out those of --except; of which both are given stops at any other', async () => {
    const reasons = ['used', 'Status "abgemeldet"', 'used', 'Status empty'];
    expect((await column('Status', states, { only: ['status=Angemeldet', 'Status=zugelassen'] })).reasons).toEqual(reasons);
    expect((await column('Status', states, { except: ['Status=abgemeldet,'] })).reasons).toEqual(reasons);
    const declared = { only: ['Status=angemeldet'], except: ['Status=abgemeldet'] };
    const { message, hint } = await refusal(column('Status', states, declared));
    expect(message).toContain('"Status" (column 2), in neither --only nor --except: "zugelassen" 1 (line 4), empty 1 (line 5).');
    expect(hint).toContain('\n  --only Status=zugelassen or --except Status=zugelassen or --only Status= or --except Status=');
  });

  test('decides before the others are judged, together with every other one', async () => {
    const text = csv('email;Status;Bemerkung', lines(['an;', 'ab;krank', 'an;', 'an;spät']));
    expect((await mapped(text, { only: ['Status=an', 'Bemerkung='] })).reasons).toEqual([
      'used',
      'Status "ab"',
      'used',
      'Bemerkung "spät"',
    ]);
    expect((await mapped(text.replace('spät', ''), { only: ['Status=an'] })).unused).toEqual(['Bemerkung']);
    // What stands in a line that is left out anyway is no question.
    expect((await mapped(text, { only: ['Status=an', 'Bemerkung=,spät'], except: ['Bemerkung=ohne'] })).texts.length).toBe(3);
  });

  test.each<[string, Given, string, string]>([
    ['a value in both lists', { only: ['A=x'], except: ['a=X'] }, 'usage', 'Column "A" is declared in two ways, with "x".'],
    ['a column in two ways', { only: ['A=x'], ignoreColumn: ['A'] }, 'usage', 'Column "A" is declared in two ways.'],
    ['a column that the file lacks', { ignoreColumn: ['Aa'] }, 'invalid_input', 'stdin has no column "Aa". Its columns: "email", "A".'],
  ])('is refused with %s', async (_, given, code, message) => {
    expect(await refusal(column('A', ['x', 'z'], given))).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('of an option or an answer counts before that of a known export; other columns of the export stay', () => {
    const [status, role, group] = [{ header: 'Status', only: ['active'] }, { header: 'role', except: ['guest'] }, { header: 'Group' }];
    const known = {
      map: { email: 'Username', name: 'Student' },
      columns: [{ header: 'Role', only: ['student'], except: ['teacher'] }, status],
    };
    const both = merged(known, { map: { email: 'Mail' }, columns: [role, group] });
    expect(both).toEqual({ map: { email: 'Mail', name: 'Student' }, columns: [status, role, group] });
  });
});

describe('a line without an identity', () => {
  test.each([
    ['a heading', 'email;name;Status\na@b.org;Ann;x\nAbgemeldet;;\nb@b.org;Ben;x\n', 'line 3', '--rows 2-2'],
    ['two headings', 'email;name;Status\nKurs;Mathe;\na@b.org;Ann;x\nAbgemeldet;;\nb@b.org;Ben;x\n', 'line 2', '--rows 3-3'],
    ['a second header', 'email;name;Status\na@b.org;Ann;x\nMail;Name;Status\nb@b.org;Ben;x\n', 'line 3', '--rows 2-2'],
    ['a total', 'email;name;Status\na@b.org;Ann;x\nb@b.org;Ben;x\nSumme;2;\n', 'line 4', '--rows 2-3'],
    ['a text without @', 'email;name;Status\na@b.org;Ann;x\nann;Ann;x\n', 'line 3', '--rows 2-2'],
  ])('stops the file, and no declaration passes over it: %s', async (_, text, line, rows) => {
    for (const given of [{}, { only: ['Status=x'] }, { except: ['Status='] }]) {
      const { code, message, hint } = await refusal(mapped(text, given));
      expect([code, message]).toEqual(['invalid_input', expect.stringContaining(`${line}: there is no address`)]);
      expect(hint).toContain(rows);
    }
  });

  test('among others is no end of the roster: the lines below it stay', async () => {
    const text = 'email;name;Status\na@b.org;Ann;x\n;Ben;x\nc@b.org;Cy;x\n';
    const { message, hint } = await refusal(mapped(text, { only: ['Status=x'] }));
    expect(hint).toBe('Complete or remove line 3: no option leaves out what may be a student.');
    expect(message).toContain('line 3: there is no address beside "Ben", "x"');
  });

  test('is not asked for in the lines that --rows leaves out, and the lost lines are counted', async () => {
    const text = 'email;name\na@b.org;Ann\nAbgemeldet;\nb@b.org;Ben\n';
    const { texts, notes } = await mapped(text, { rows: '2-2' });
    expect([texts.length, notes]).toEqual([1, [expect.stringContaining('leaves out 2 lines, 1 with an address')]]);
    expect((await refusal(mapped(text))).hint).toContain('and not the 1 line below');
  });
});

describe('a file of rejects', () => {
  const rejects = (line: string) => `email;Nr;Status;reject_line;reject_reason\na@example.org;7;an;${line};bad address\n`;

  test('was judged with its roster', async () => {
    expect((await mapped(rejects('3'))).reasons).toEqual(['used']);
  });

  test('is judged again where a line had too many or too few cells', async () => {
    expect((await refusal(mapped(rejects('')))).message).toContain('"Status" (column 3): "an" 1 (line 2)');
  });
});
