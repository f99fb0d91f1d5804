/** A list of accommodations is read whole or not at all; each error has its place. */
import { describe, expect, test } from 'vitest';
import { textRow, workbookOf } from '../../roster/read/zip.ts';
import { reading, yamlOf } from './lists.ts';

const minute = 60_000;

describe('YAML', () => {
  test('has all that a row can say', async () => {
    const { rows, list } = await reading(
      yamlOf(
        'email: Ada@example.org\nextra: 25% # of the window\nplus: 10m\nexams: ["Linear*", 7]\nuntil: 2027-03-31\nreference: 0042\nskip_requirements: true',
      ),
    );
    expect(rows).toEqual([
      {
        email: 'Ada@example.org',
        key: 'ada@example.org',
        extra: { share: 25_000, plus: 10 * minute },
        exams: ['Linear*', '7'],
        until: '2027-03-31',
        reference: '0042',
        skipRequirements: true,
        place: 'line 3, column 5',
      },
    ]);
    expect(list).toMatchObject({ name: 'list.yaml', combine: undefined, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test('may be JSON, come from stdin, begin with comments, and give exams as one text', async () => {
    expect((await reading('{"version": 1, "students": [{"email": "a@example.org", "plus": "10m"}]}')).rows).toHaveLength(1);
    expect(
      (await reading(`# ours\n---\n${yamlOf('email: a@example.org\nplus: 10m\nexams: Algebra')}`, { stdin: true })).rows,
    ).toMatchObject([{ exams: ['Algebra'] }]);
    expect((await reading(`\ufeff${yamlOf('email: a@example.org\nplus: 10m')}`.replaceAll('\n', '\r\n'))).rows).toHaveLength(1);
  });

  test('may be saved as UTF-16, name exams in one text, and have a day with 00:00 after it', async () => {
    const text = yamlOf('email: a@example.org\nplus: 10m\nexams: Algebra; Geometry\nuntil: 31.03.2027 00:00');
    const row = { exams: ['Algebra', 'Geometry'], until: '2027-03-31' };
    expect((await reading(text)).rows).toMatchObject([row]);
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    expect((await reading(little)).rows).toMatchObject([row]);
    expect((await reading(Buffer.from(little).swap16())).rows).toMatchObject([row]);
  });

  test('an exam that stands in a list of exams is not divided', async () => {
    const { rows } = await reading(yamlOf('email: a@example.org\nplus: 10m\nexams: ["Algebra; part 1"]'));
    expect(rows).toMatchObject([{ exams: ['Algebra; part 1'] }]);
  });

  test.each([
    [
      'an asterisk without quotes',
      yamlOf('email: a@example.org\nplus: 10m\nexams: [*]'),
      'line 5, column',
      'Put quotes around a text that begins with *',
    ],
    [
      'an unknown key',
      yamlOf('email: a@example.org\nplus: 10m\nextr: 25%'),
      'line 5, column 5: Unknown key "extr".',
      'Did you mean extra?',
    ],
    [
      'an unknown key of the file',
      `combin: max\n${yamlOf('email: a@example.org\nplus: 10m')}`,
      'line 1, column 1: Unknown key "combin".',
      'combine',
    ],
    ['a merge key', yamlOf('email: a@example.org\nplus: 10m\n<<: {extra: 25%}'), 'line 5, column 5: Unknown key "<<".', 'Known keys'],
    ['a number without a unit', yamlOf('email: a@example.org\nextra: 125'), 'line 4, column 12 (extra): "125" has no unit', 'unit'],
    ['a negative time', yamlOf('email: a@example.org\nplus: -10m'), 'line 4, column 11 (plus): "-10m" is negative', '10m'],
    ['a time of more than a day', yamlOf('email: a@example.org\nplus: 25h'), 'line 4, column 11 (plus): "25h" is more than a day', '24h'],
    ['a day that does not exist', yamlOf('email: a@example.org\nplus: 10m\nuntil: 2027-02-30'), 'line 5, column 12 (until)', 'YYYY-MM-DD'],
    [
      'an address that is none',
      yamlOf('email: a@example\nplus: 10m'),
      'line 3, column 12 (email): "a@example" is not an e-mail address',
      '',
    ],
    ['a row that grants nothing', yamlOf('email: a@example.org'), 'line 3, column 5: The line grants nothing.', 'extra'],
    ['a row for all exams that grants 0%', yamlOf('email: a@example.org\nextra: 0%'), '"0%" would change nothing.', ''],
    ['a row without an address', yamlOf('plus: 10m'), 'line 3, column 5: The e-mail address is missing.', ''],
    ['a key twice', yamlOf('email: a@example.org\nplus: 10m\nplus: 20m'), 'line 5, column 5: This key is given twice', ''],
    ['a value that is missing', yamlOf('email: a@example.org\nplus:'), 'line 4, column', ''],
    ['a list for a value', yamlOf('email: a@example.org\nplus: [10m]'), 'line 4, column 11: "plus" has no value that can be read', ''],
    ['a tab', 'version: 1\nstudents:\n\t- email: a@example.org', 'line 3, column 1', ''],
    [
      'an alias',
      yamlOf('email: &a a@example.org\nplus: 10m', 'email: *a\nplus: 10m'),
      'line 5, column 12: Aliases',
      'Write the value out.',
    ],
    ['a tag', yamlOf('email: !secret a@example.org\nplus: 10m'), 'line 3, column 12: The YAML cannot be read', ''],
    ['two documents', `${yamlOf('email: a@example.org\nplus: 10m')}---\nversion: 1\n`, 'line 5, column 1: A second document', ''],
    ['no version', 'students:\n  - email: a@example.org\n    plus: 10m\n', 'line 1, column 1: The version is missing.', 'version: 1'],
    [
      'another version',
      'version: 2\nstudents:\n  - email: a@example.org\n    plus: 10m\n',
      'line 1, column 10: This version',
      'version: 1',
    ],
    ['no students', 'version: 1\nstudents: []\n', 'line 2, column 11: The list has no students.', ''],
    ['brackets without end', `version: ${'['.repeat(20_000)}`, 'nested too deeply', ''],
    ['a quote that is open', 'version: 1\nstudents:\n  - email: "a@example.org', 'line 3, column', ''],
  ])('%s is refused with its place', async (_, text, place, hint) => {
    const { error, told } = await reading(text);
    expect(error?.code).toBe('invalid_input');
    expect(error?.message).toContain(`list.yaml, `);
    expect(error?.message).toContain(place);
    expect(error?.hint).toContain(hint);
    expect(told).toEqual([]);
  });

  test('tells all problems at once, in the order of their lines', async () => {
    const { error, told } = await reading(
      yamlOf('email: a@example.org\nextra: 125', 'email: b@example.org\nplus: 10m\nextr: 1', 'plus: -1m'),
    );
    expect(error?.message).toBe('list.yaml has 4 problems, reported above.');
    expect(told.map((line) => /line (\d+)/.exec(line)?.[1])).toEqual(['4', '7', '8', '8']);
  });

  test('aliases that would grow without end are refused before they are followed', async () => {
    const bomb = `version: 1\na: &a [x, x]\n${'bcdefghijklmnopqrstuvwxyz'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghijklmnopqrstuvwxyz'[index]}, `.repeat(10)}]\n`)
      .join('')}`;
    expect((await reading(bomb)).error?.message).toContain('Aliases');
  });

  test('no value of the file gets to a terminal as it is', async () => {
    const { error } = await reading(yamlOf('email: a@example.org\nplus: "\\e[31m10m"'));
    expect(error?.message).not.toContain('\u001b');
  });
});

describe('a table', () => {
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
    ['names of the format', 'email,extra,plus,exams,until,reference\nada@example.org,25%,10m,Linear*;7,2027-03-31,DS-1\n'],
    [
      'German',
      'E-Mail-Adresse;Zeitverlängerung;plus;Prüfungen;gültig bis;Aktenzeichen\nada@example.org;25 %;10 min;Linear*|7;31.03.2027;DS-1\n',
    ],
    ['French', 'Courriel;Temps majoré;plus;Épreuves;jusqu’au;Dossier\nada@example.org;1,25×;10 min;Linear* | 7;31/03/2027;DS-1\n'],
    [
      'Spanish',
      'Correo electrónico;Tiempo adicional;Plus;Exámenes;hasta;Expediente\nada@example.org;25 %;10 min;Linear*;2027-03-31;DS-1\n'.replace(
        'Linear*;',
        '"Linear*;7";',
      ),
    ],
    [
      'records of JSON',
      '[{"email":"ada@example.org","extra":"25%","plus":"10m","exams":"Linear*;7","until":"2027-03-31","reference":"DS-1"}]',
    ],
  ])('is read by %s', async (_, text) => {
    const { rows, error } = await reading(text, { name: 'list.csv' });
    expect(error?.message).toBe(undefined);
    expect(rows).toMatchObject(known);
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
    ['a value', 'email,extra\nada@example.org,125\n', 'line 2, column 2 (extra): "125" has no unit'],
    ['a row that is too long', 'email,extra\nada@example.org,25%,more\n', 'line 2, column 3: the row has 3 cells'],
    ['a header that is nearly one', 'email,extra,untill\nada@example.org,25%,2027-03-31\n', 'column 3: unknown header "untill"'],
    [
      'two columns for one',
      'email,extra,Zeitverlängerung\nada@example.org,25%,25%\n',
      '"extra" (column 2) and "Zeitverlängerung" (column 3) could both be extra',
    ],
    ['no extra time', 'email,name\nada@example.org,Ada\n', 'has no column extra or plus'],
    ['no addresses', 'name,extra\nAda,25%\n', 'has no column email'],
    ['an empty row for a student', 'email,extra,plus\nada@example.org,,\n', 'line 2: The line grants nothing.'],
  ])('names the place of %s', async (_, text, message) => {
    const { error } = await reading(text, { name: 'list.csv' });
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(message) });
  });

  test('stops at a column of which nothing is declared, and says how to declare it', async () => {
    const text = 'email,name,extra,Bescheid\nada@example.org,Ada,25%,ok\nbob@example.org,Bob,25%,abgelehnt\n';
    const { error } = await reading(text, { name: 'list.csv' });
    expect(error?.message).toContain('"Bescheid" (column 4): "ok" 1 (line 2), "abgelehnt" 1 (line 3).');
    expect(error?.hint).toContain('--ignore-column');
  });
});

describe('two rows of a student', () => {
  const twice = (first: string, second: string) => yamlOf(`email: Ada@example.org\n${first}`, `email: ada@EXAMPLE.org\n${second}`);

  test.each([
    ['for all exams', 'extra: 25%', 'plus: 10m'],
    ['for the same pattern', 'extra: 25%\nexams: [Linear*]', 'plus: 10m\nexams: [Other, LINEAR*]'],
  ])('%s are refused, each with its line', async (_, first, second) => {
    const { error } = await reading(twice(first, second));
    expect(error?.message).toMatch(
      /^list.yaml, line \d, column 5: ada@EXAMPLE.org is already listed for the same exams in line 3, column 5 as Ada@example.org\.$/,
    );
    expect(error?.hint).toContain('combine: max or combine: sum');
  });

  test('are taken for different exams, or if the file says how they are combined', async () => {
    expect((await reading(twice('extra: 25%', 'plus: 10m\nexams: [Linear*]'))).rows).toHaveLength(2);
    expect((await reading(`combine: max\n${twice('extra: 25%', 'plus: 10m')}`)).list?.combine).toBe('max');
    expect((await reading('email,extra\na@example.org,25%\nA@example.org,10%\n', { name: 'list.csv', combine: 'sum' })).list?.combine).toBe(
      'sum',
    );
    expect((await reading(`combine: max\n${twice('extra: 25%', 'plus: 10m')}`, { combine: 'sum' })).error?.code).toBe('usage');
  });
});

test('20,000 students are read without a step for each pair of them', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `s${index}@example.org,25%,10m,Linear*,2027-03-31,DS-${index}\n`);
  const { rows: read } = await reading(`email,extra,plus,exams,until,reference\n${rows.join('')}`, { name: 'list.csv' });
  expect(read).toHaveLength(20_000);
});
