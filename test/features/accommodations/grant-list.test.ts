/** A list of extra time is read whole or not at all; each error has its line and column. */
import { describe, expect, test } from 'vitest';
import { textRow, workbookOf } from '../../roster/workbook.ts';
import { listOf, reading } from './lists.ts';

const minute = 60_000;
const known = {
  ...{ email: 'ada@example.org', extra: { milliPercent: 25_000, milliseconds: 10 * minute }, exams: ['Linear*', '7'] },
  ...{ until: '2027-03-31', reference: 'DS-1' },
};
const german =
  'E-Mail-Adresse;Zeitverlängerung;Prüfungen;gültig bis;Aktenzeichen\nada@example.org;25 % + 10 min;Linear*|7;31.03.2027;DS-1\n';

test.each([
  ['names of the format', 'email,extra,exams,until,reference\nada@example.org,25% + 10m,Linear*;7,2027-03-31,DS-1\n'],
  ['German', german],
  ['French', 'Courriel;Temps majoré;Épreuves;jusqu’au;Dossier\nada@example.org;1,25× + 10 min;Linear* | 7;31/03/2027;DS-1\n'],
  ['Spanish', 'Correo electrónico;Tiempo adicional;Exámenes;hasta;Expediente\nada@example.org;25%+10m;"Linear*;7";2027-03-31;DS-1\n'],
  ['records of JSON', '[{"email":"ada@example.org","extra":"25%+10m","exams":"Linear*;7","until":"2027-03-31","reference":"DS-1"}]'],
  ['a title above its header', `Liste\n\n${german}`],
])('A list is read by %s.', async (_, text) => {
  const { rows, error } = await reading(text);
  expect(error?.message).toBe(undefined);
  expect(rows).toMatchObject([known]);
});

test('Extra time has a name in eight languages.', async () => {
  const names =
    'Extra time, Additional Time, Nachteilsausgleich, Temps majoré, Tiempo adicional, Tempo aggiuntivo, Tempo extra, Extra tijd, Dodatkowy czas';
  for (const header of names.split(', '))
    expect((await reading(`email,${header}\na@example.org,15 min\n`)).rows, header).toMatchObject([
      { extra: { milliPercent: 0, milliseconds: 15 * minute } },
    ]);
});

test('A list is read from Excel, where a quarter that is shown as 25% is one, and 00:15:00 is none: it may be a quarter of an hour, or of a minute.', async () => {
  const formats = '<cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="14"/><xf numFmtId="21"/></cellXfs>';
  const cells = (style: number, extra = 0.25) =>
    `<row r="2"><c t="inlineStr"><is><t>a@example.org</t></is></c><c s="${style}"><v>${extra}</v></c><c s="2"><v>46477</v></c></row>`;
  const book = (style: number, extra?: number) =>
    workbookOf({ rows: `${textRow(1, ['email', 'extra', 'until'])}${cells(style, extra)}`, styles: `<styleSheet>${formats}</styleSheet>` });
  expect((await reading(book(1), 'list.xlsx')).rows).toMatchObject([{ extra: { milliPercent: 25_000 }, until: '2027-03-31' }]);
  expect((await reading(book(3, 1 / 96), 'list.xlsx')).error?.message).toContain('"0:15:00" is ambiguous: 0h 15m, or 0m 15s');
  expect((await reading(book(0), 'list.xlsx')).error?.message).toContain('row 2, column 2 (extra): "0.25" has no unit');
});

test('A cell whose format is that of a length is one, also below minutes, and no share.', async () => {
  const formats =
    '<numFmts><numFmt numFmtId="170" formatCode="[h]:mm"/></numFmts><cellXfs><xf numFmtId="170"/><xf numFmtId="45"/></cellXfs>';
  const book = (style: number, extra: number, header = 'extra') => {
    const row = `<row r="2"><c t="inlineStr"><is><t>a@example.org</t></is></c><c s="${style}"><v>${extra}</v></c></row>`;
    return workbookOf({ rows: `${textRow(1, ['email', header])}${row}`, styles: `<styleSheet>${formats}</styleSheet>` });
  };
  for (const header of ['extra', 'Zusatzminuten']) {
    expect((await reading(book(0, 1 / 16, header), 'list.xlsx')).rows).toMatchObject([
      { extra: { milliPercent: 0, milliseconds: 90 * minute } },
    ]);
    expect((await reading(book(1, 1 / 96, header), 'list.xlsx')).rows).toMatchObject([
      { extra: { milliPercent: 0, milliseconds: 15 * minute } },
    ]);
  }
  expect((await reading(book(1, 1 / 16), 'list.xlsx')).error?.message).toContain('"1:30:00" is ambiguous');
  expect((await reading(book(0, 15), 'list.xlsx')).error?.message).toContain('more than a day');
});

test('Exams stand beside each other with semicolons, bars or lines.', async () => {
  const { rows } = await reading('email,extra,exams\nada@example.org,25%,"Algebra; 19\nStatik | 20"\n');
  expect(rows).toMatchObject([{ exams: ['Algebra', '19', 'Statik', '20'] }]);
});

describe('The unit in a header', () => {
  test.each([
    ['Zeitverlängerung (%)', '25', 25_000, 0],
    ['Zeitverlängerung (%)', '25 %', 25_000, 0],
    ['Zeitzuschlag in Prozent', '12,5', 12_500, 0],
    ['extra time [min]', '15', 0, 15],
    ['Extra Minutes', '30.0', 0, 30],
    ['Zusatzminuten', '15', 0, 15],
    ['Zusatzminuten', '15 min', 0, 15],
    ['minutes supplémentaires', '15', 0, 15],
    ['Zusatzzeit (h)', '1,5', 0, 90],
    ['Extra tijd (×)', '1.25', 25_000, 0],
    ['Zeitverlängerung (%)', '1.25%', 1250, 0],
    // Two amounts keep theirs.
    ['Zusatzminuten', '25% + 10m', 25_000, 10],
  ])('%s counts for %j.', async (header, cell, milliPercent, minutes) => {
    const { rows, error } = await reading(`email;${header}\nada@example.org;${cell}\n`);
    expect(error?.message).toBe(undefined);
    expect(rows).toMatchObject([{ extra: { milliPercent, milliseconds: minutes * minute } }]);
  });

  test('and another one in the cell are two readings, which are refused with the line.', async () => {
    const { error, told } = await reading('email;Zusatzminuten\na@example.org;15 min\nb@example.org;25 %\n');
    expect(`${error?.message} ${told.join(' ')}`).toContain('line 3, column 2 (extra): "25 %" is ambiguous: it can mean 25m or 25%');
  });

  test.each([
    ['Zeitverlängerung', '25', 'it can mean 25% or 25m'],
    ['extra', '1.25', 'it can mean 1.25× or 1.25%'],
    ['Zeitverlängerung (% / min)', '25', 'has no column extra'],
    ['Zusatzminuten', '25 later', 'is not an extra time'],
    ['Zusatzminuten', '1500', 'is more than a day'],
    ['Zeitverlängerung (%)', '-5', 'is negative'],
  ])('is missing in %s, or cannot be that of %j: refused.', async (header, cell, message) => {
    const { error } = await reading(`email;${header}\nada@example.org;${cell}\n`);
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(message) });
  });
});

test('A roster is such a list: a line without extra time is nobody’s, whatever else it has.', async () => {
  const roster = 'E-Mail;Name;Zusatzminuten\nada@example.org;Ada;15\nbob@example.org;Bob;\nno address;Cy;\nada@example.org;Ada;\n';
  const { rows, error, told } = await reading(roster);
  expect([rows.map(({ email }) => email), error?.message]).toEqual([['ada@example.org'], undefined]);
  expect(told).toContain('Columns not used: Name.');
  const { told: ofPlain } = await reading('email;Zusatzminuten\nada@example.org;15\n');
  expect(ofPlain, 'every column that is read is named').toContain('Columns read: email, extra from "Zusatzminuten".');
});

test.each([
  ['an amount without a unit', listOf('ada@example.org,125'), 'line 2, column 2 (extra): "125" has no unit'],
  ['a negative time', listOf('ada@example.org,-10m'), 'line 2, column 2 (extra): "-10m" is negative'],
  ['a time of more than a day', listOf('ada@example.org,25h'), 'line 2, column 2 (extra): "25h" is more than a day'],
  ['a day that does not exist', listOf('ada@example.org,10m,,2027-02-30'), 'line 2, column 4 (until): "2027-02-30" is not possible'],
  ['an address that is none', listOf('a@example,10m'), 'line 2, column 1 (email): "a@example" is not an e-mail address'],
  ['a line without an address', listOf(',10m'), 'line 2, column 1 (email): "" is not an e-mail address: it is empty'],
  ['a row that is too long', 'email,extra\nada@example.org,25%,more\n', 'line 2: the line has 3 cells'],
  ['a header that is nearly one', 'email,extra,untill\nada@example.org,25%,2027-03-31\n', '"untill" (column 3): "2027-03-31" 1 (line 2)'],
  ['two columns for one', 'email,extra,Zusatzzeit\na@example.org,25%,25%\n', '"Zusatzzeit" (column 3) could both be extra'],
  ['no extra time', 'email,name\nada@example.org,Ada\n', 'has no column extra'],
  ['no addresses', 'name,extra\nAda,25%\n', 'has no column email'],
  ['an undeclared column', 'email,extra,Bescheid\na@x.org,25%,ja\nb@x.org,25%,nein\n', '"Bescheid" (column 3): "ja" 1 (line 2)'],
])('A list with %s is refused, with its place.', async (_, text, message) => {
  expect((await reading(text)).error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(message) });
});

test('Where the column of extra time has another header, the hint is the option that names it.', async () => {
  expect((await reading('email,Zuschlag\nada@example.org,25%\n')).error?.hint).toBe('Name it: --map extra=HEADER');
});

test('All problems of a list are told at once, in the order of their lines.', async () => {
  const { error, told } = await reading(listOf('a@example.org,125', 'b@example.org,10m,,soon', ',-1m'));
  expect(error?.message).toBe('list.csv has 4 problems, reported above.');
  expect(told.slice(1).map((line) => /line (\d+)/.exec(line)?.[1])).toEqual(['2', '3', '4', '4']);
});
