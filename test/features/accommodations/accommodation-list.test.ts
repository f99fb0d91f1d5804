/** A list of accommodations is read whole or not at all; each error has its place. */
import { describe, expect, test } from 'vitest';
import { textRow, workbookOf } from '../../roster/read/zip.ts';
import { listOf, reading } from './lists.ts';

const minute = 60_000;

describe('a list', () => {
  const known = [
    {
      email: 'ada@example.org',
      extra: { share: 25_000, plus: 10 * minute },
      exams: ['Linear*', '7'],
      until: '2027-03-31',
      reference: 'DS-1',
    },
  ];

  test.each([
    ['names of the format', 'email,extra,exams,until,reference\nada@example.org,25% + 10m,Linear*;7,2027-03-31,DS-1\n'],
    [
      'German',
      'E-Mail-Adresse;Zeitverlängerung;Prüfungen;gültig bis;Aktenzeichen\nada@example.org;25 % + 10 min;Linear*|7;31.03.2027;DS-1\n',
    ],
    ['French', 'Courriel;Temps majoré;Épreuves;jusqu’au;Dossier\nada@example.org;1,25× + 10 min;Linear* | 7;31/03/2027;DS-1\n'],
    [
      'Spanish',
      'Correo electrónico;Tiempo adicional;Exámenes;hasta;Expediente\nada@example.org;25 % + 10 min;"Linear*;7";2027-03-31;DS-1\n',
    ],
    ['records of JSON', '[{"email":"ada@example.org","extra":"25%+10m","exams":"Linear*;7","until":"2027-03-31","reference":"DS-1"}]'],
    [
      'a title above its header',
      'Liste\n\nE-Mail;Zeitverlängerung;Klausur;bis;ref\nada@example.org;25 % + 10 min;Linear*|7;31.03.2027;DS-1\n',
    ],
    [
      'UTF-16',
      Buffer.from('\ufeffemail,extra,exams,until,reference\nada@example.org,25%+10m,Linear*;7,31.03.2027 00:00,DS-1\n', 'utf16le'),
    ],
  ])('is read by %s', async (_, text) => {
    const { rows, error } = await reading(text, { name: 'list.csv' });
    expect(error?.message).toBe(undefined);
    expect(rows).toMatchObject(known);
  });

  test.each([
    'Extra time',
    'Additional Time',
    'Nachteilsausgleich',
    'Temps majoré',
    'Tiempo adicional',
    'Tempo aggiuntivo',
    'Tempo adicional',
    'Extra tijd',
    'Dodatkowy czas',
    'Zusatzminuten',
  ])('has extra time in a column called %s', async (header) => {
    expect((await reading(`email,${header}\nada@example.org,15 min\n`)).rows).toMatchObject([{ extra: { share: 0, plus: 15 * minute } }]);
  });

  test('may be a roster: a line without extra time is nobody\u2019s, whatever else it has', async () => {
    const text = 'E-Mail;Name;Zeitverlängerung\nada@example.org;Ada;25 %\nbob@example.org;Bob;\nno address;Cy;\nada@example.org;Ada;\n';
    const { rows, told, error } = await reading(text);
    expect([rows.map(({ email }) => email), error?.message]).toEqual([['ada@example.org'], undefined]);
    expect(told).toContain('3 lines of list.csv without extra time.');
  });

  test('may come from stdin', async () => {
    expect((await reading(listOf('ada@example.org,25%'), { stdin: true })).rows).toHaveLength(1);
  });

  test('is read from Excel, where a quarter that is shown as 25% is one', async () => {
    const styles =
      '<styleSheet><numFmts count="1"><numFmt numFmtId="164" formatCode="0.0%"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>';
    const cells = (line: number, email: string, style: number, value: string, day: number) =>
      `<row r="${line}"><c t="inlineStr"><is><t>${email}</t></is></c><c s="${style}"><v>${value}</v></c><c s="3"><v>${day}</v></c></row>`;
    const header = textRow(1, ['email', 'extra', 'until']);
    const good = `${header}${cells(2, 'a@example.org', 1, '0.25', 46_477)}${cells(3, 'b@example.org', 2, '0.125', 46_477)}`;
    const { rows, error } = await reading(workbookOf({ rows: good, styles }), { name: 'list.xlsx' });
    expect(error?.message).toBe(undefined);
    expect(rows.map(({ extra, until }) => [extra.share, until])).toEqual([
      [25_000, '2027-03-31'],
      [12_500, '2027-03-31'],
    ]);
    const plain = await reading(workbookOf({ rows: `${header}${cells(2, 'a@example.org', 0, '0.25', 46_477)}`, styles }), {
      name: 'list.xlsx',
    });
    expect(plain.error?.message).toContain('row 2, column 2 (extra): "0.25" has no unit');
  });

  test.each([
    ['an amount without a unit', listOf('ada@example.org,125'), 'line 2, column 2 (extra): "125" has no unit'],
    ['a negative time', listOf('ada@example.org,-10m'), 'line 2, column 2 (extra): "-10m" is negative'],
    ['a time of more than a day', listOf('ada@example.org,25h'), 'line 2, column 2 (extra): "25h" is more than a day'],
    ['a line for all exams that grants 0%', listOf('ada@example.org,0%'), '"0%" would change nothing.'],
    ['a day that does not exist', listOf('ada@example.org,10m,,2027-02-30'), 'line 2, column 4 (until): "2027-02-30" is not possible'],
    ['an address that is none', listOf('a@example,10m'), 'line 2, column 1 (email): "a@example" is not an e-mail address'],
    ['a line without an address', listOf(',10m'), 'line 2: The e-mail address is missing.'],
    ['a row that is too long', 'email,extra\nada@example.org,25%,more\n', 'line 2, column 3: the row has 3 cells'],
    ['a header that is nearly one', 'email,extra,untill\nada@example.org,25%,2027-03-31\n', 'column 3: unknown header "untill"'],
    [
      'two columns for one',
      'email,extra,Zeitverlängerung\nada@example.org,25%,25%\n',
      '"extra" (column 2) and "Zeitverlängerung" (column 3) could both be extra',
    ],
    ['no extra time', 'email,name\nada@example.org,Ada\n', 'has no column extra'],
    ['no addresses', 'name,extra\nAda,25%\n', 'has no column email'],
    ['YAML', 'version: 1\nstudents:\n  - email: ada@example.org\n    extra: 25%\n', 'has no column email'],
  ])('names the place of %s', async (_, text, message) => {
    const { error } = await reading(text, { name: 'list.csv' });
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(message) });
  });

  test('tells all problems at once, in the order of their lines', async () => {
    const { error, told } = await reading(listOf('a@example.org,125', 'b@example.org,10m,,soon', ',-1m'));
    expect(error?.message).toBe('list.csv has 4 problems, reported above.');
    expect(told.map((line) => /line (\d+)/.exec(line)?.[1])).toEqual(['2', '3', '4', '4']);
  });

  test('no value of the file gets to a terminal as it is', async () => {
    const { error } = await reading(listOf('ada@example.org,\u001b[31m10m'));
    expect(error?.message).not.toContain('\u001b');
  });

  test('stops at a column of which nothing is declared, and says how to declare it', async () => {
    const text = 'email,name,extra,Bescheid\nada@example.org,Ada,25%,ok\nbob@example.org,Bob,25%,abgelehnt\n';
    const { error } = await reading(text, { name: 'list.csv' });
    expect(error?.message).toContain('"Bescheid" (column 4): "ok" 1 (line 2), "abgelehnt" 1 (line 3).');
    expect(error?.hint).toContain('--ignore-column');
  });
});

test.each([
  ['for all exams', '25%', '10m'],
  ['for the same pattern', '25%,Linear*', '10m,Other; LINEAR*'],
])('two rows of a student %s are refused, each with its line', async (_, first, second) => {
  const { error } = await reading(listOf(`Ada@example.org,${first}`, `ada@EXAMPLE.org,${second}`));
  expect(error?.message).toBe('list.csv, line 3: ada@EXAMPLE.org is already listed for the same exams in line 2 as Ada@example.org.');
  expect(error?.hint).toContain('Keep one of them');
});

test('two rows of a student are taken where one of them names exams', async () => {
  expect((await reading(listOf('ada@example.org,25%', 'ada@example.org,10m,Linear*'))).rows).toHaveLength(2);
});

test('20,000 students are read without a step for each pair of them', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `s${index}@example.org,25% + 10m,Linear*,2027-03-31,DS-${index}\n`);
  const { rows: read } = await reading(`email,extra,exams,until,reference\n${rows.join('')}`, { name: 'list.csv' });
  expect(read).toHaveLength(20_000);
});
