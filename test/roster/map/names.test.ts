import { describe, expect, test } from 'vitest';
import { type MapOptions, mapTable } from '../../../src/roster/map/index.ts';
import { nameFault } from '../../../src/roster/map/names.ts';
import { opened, refusal, rowsOf } from '../read/roster.ts';

async function mapped(text: string, options: MapOptions = {}) {
  const table = await opened(text);
  try {
    const mapping = await mapTable(table, options);
    const names = (await rowsOf(table)).map((row) => mapping.texts(row).name);
    return { ...mapping, names };
  } finally {
    await table.close();
  }
}

const named = async (header: string, row: string) => (await mapped(`E-Mail;${header}\na@example.org;${row}\n`)).names[0];

describe('the column of the names', () => {
  test.each([
    ['Last Name, First Name', '"Berg, Jan van der"'],
    ['Nachname, Vorname', '"Berg, Jan van der"'],
    ['Name (Last, First)', '"Berg, Jan van der"'],
    ['Apellidos, Nombre', '"Berg, Jan van der"'],
    ['Nom et prénom', '"Berg, Jan van der"'],
    ['Attendee name', 'Jan van der Berg'],
    ['Candidate first name;Candidate last name', 'Jan;van der Berg'],
    ['First;Last', 'Jan;van der Berg'],
    ['Nombre del alumno', 'Jan van der Berg'],
    ['Name des Studierenden', 'Jan van der Berg'],
    ['Nombres;Apellido paterno;Apellido materno', 'Jan;van der;Berg'],
    ['Prénom;Nom d’usage', 'Jan;van der Berg'],
    ['Prénom;Nom de famille;Nom d’usage', 'Jan;van der Berg;Wiel'],
    ['foreName;longName;name', 'Jan;van der Berg;BERJAN'],
  ])('is found as %s', async (header, row) => {
    expect(await named(header, row)).toBe('Jan van der Berg');
  });

  test.each([
    ['Name;First Name;Last Name', 'Berg;Jan;Berg', 'Jan Berg'],
    ['Display Name;First Name;Last Name', 'jan.berg;Jan;Berg', 'Jan Berg'],
    ['Name;Vorname', 'Berg;Jan', 'Jan Berg'],
    ['name;first_name', 'Jan Berg;Jan', 'Jan Berg'],
    ['name;First Name;Last Name', 'Jan Piet Berg;Jan;Berg', 'Jan Berg'],
    ['Display Name;First Name', 'Jan Berg;Jan', 'Jan Berg'],
  ])('%s with %s is %s', async (header, row, name) => {
    expect(await named(header, row)).toBe(name);
  });

  test('is turned around where its heading has the last name first, however few of them have a comma', async () => {
    const { names, notes } = await mapped(
      'email;Last Name, First Name\na@example.org;Jan Berg\nb@example.org;Bo Ek\nc@example.org;"Lee, Ann"\n',
    );
    expect(names).toEqual(['Jan Berg', 'Bo Ek', 'Ann Lee']);
    expect(notes).toEqual(['"Last Name, First Name" has the last name first: "Lee, Ann" becomes "Ann Lee".']);
  });

  test('is the one that --map names, whatever the parts are', async () => {
    const { names } = await mapped('email;Badge;First Name;Last Name\na@example.org;JB;Jan;Berg\n', { map: { name: ['Badge'] } });
    expect(names).toEqual(['JB']);
  });

  test('is said to have the last name first where no comma lets it be turned around', async () => {
    const { names, notes } = await mapped('E-Mail;Nachname Vorname\na@example.org;van der Berg Jan\n');
    expect(names).toEqual(['van der Berg Jan']);
    expect(notes).toEqual(['Names in "Nachname Vorname" are imported as they are written, the last name first.']);
    expect((await mapped('E-Mail;Name\na@example.org;Jan Berg\n')).notes).toEqual([]);
  });

  test('is said to lack a part, if another column may hold it', async () => {
    expect((await mapped('E-Mail;Vorname;Sippe\na@example.org;Jan;Berg\n', { ignored: ['Sippe'] })).notes).toEqual([
      'No column has the last names, so names are first names only. To name the column, add: --map last_name=HEADER',
    ]);
    expect((await mapped('E-Mail;Sippe\na@example.org;Berg\n', { ignored: ['Sippe'] })).notes).toEqual([
      'No column holds names, so the students have none. To name the column, add: --map name=HEADER',
    ]);
    expect((await mapped('E-Mail;Vorname\na@example.org;Jan\n')).notes).toEqual([]);
    expect((await mapped('E-Mail\na@example.org\n')).notes).toEqual([]);
  });
});

test('A name with a comma is imported as it is written, and shown, unless its heading says that the last name comes first.', async () => {
  const { names, notes } = await mapped('email;name\na@example.org;Jan Berg\nb@example.org;"Lee, Ann"\nc@example.org;Bob Roe, PhD\n');
  expect(names).toEqual(['Jan Berg', 'Lee, Ann', 'Bob Roe, PhD']);
  expect(notes).toEqual(['Names with a comma are imported as they are written: "Lee, Ann".']);
});

describe('names before addresses', () => {
  test('are imported as they are written, like those in a column', async () => {
    const { names, notes } = await mapped('"Lee, Ann" <a@example.org>\nBerg, Jan van der <b@example.org>\nBob Roe <c@example.org>\n');
    expect(names).toEqual(['Lee, Ann', 'Berg, Jan van der', 'Bob Roe']);
    expect(notes).toEqual(['Names with a comma are imported as they are written: "Lee, Ann", "Berg, Jan van der".']);
  });
});

describe('addresses of several people in a row', () => {
  test('are not guessed: that of the customer, or that of the attendee', async () => {
    const text = 'Order code,E-mail,Attendee name,Attendee email\nA1,mum@example.org,Imke Thorvald,imke@example.org\n';
    expect(await refusal(mapped(text))).toMatchObject({
      message: 'stdin: "E-mail" (column 2) and "Attendee email" (column 4) could both be email.',
    });
    const { used, names } = await mapped(text, { map: { email: ['Attendee email'] }, ignored: ['Order code', 'E-mail'] });
    expect(used.map(({ field, header }) => [field, header])).toEqual([
      ['name', 'Attendee name'],
      ['email', 'Attendee email'],
    ]);
    expect(names).toEqual(['Imke Thorvald']);
  });
});

describe('fields of the API from columns', () => {
  test.each(['id', 'exam_id'])('are not those that say which session it is: %s', async (field) => {
    const text = 'email,nr\na@example.org,7\n';
    expect(await refusal(mapped(text, { map: { [field]: ['nr'] } }))).toMatchObject({ code: 'usage' });
    expect(await refusal(mapped(text, { constants: { [field]: 7 } }))).toMatchObject({ code: 'usage' });
  });

  test('have a type of their own if a row has a name for them', async () => {
    expect(await refusal(mapped('email,nr\na@example.org,7\n', { map: { 'name:': ['nr'] } }))).toMatchObject({
      message: '--map name:= is not possible: name has a type of its own.',
      hint: 'Leave out the colon: --map name=nr',
    });
  });
});

describe('a name that nobody has', () => {
  test.each([
    ['#N/A', 'the name contains an error of the spreadsheet, as of a lookup that found nothing'],
    ['Ann #NV', 'the name contains an error of the spreadsheet, as of a lookup that found nothing'],
    ['Ann\nExample', 'the name contains a line break or another control character'],
    ['M\ufffdller', 'letters of the name were lost when the file was saved; export it again'],
    ['JÃ¼rgen GroÃŸ', 'the name is garbled: it was "Jürgen Groß" before UTF-8 was read as another encoding; export the file again'],
    ['ZoÃ«', 'the name is garbled: it was "Zoë" before UTF-8 was read as another encoding; export the file again'],
    ['Nguyá»…n', 'the name is garbled: it was "Nguyễn" before UTF-8 was read as another encoding; export the file again'],
    ['Ion È™tefan', 'the name is garbled: it was "Ion ștefan" before UTF-8 was read as another encoding; export the file again'],
    ['Oâ€™Brien', 'the name is garbled: it was "O’Brien" before UTF-8 was read as another encoding; export the file again'],
    ['Ð˜Ð²Ð°Ð½ K.', 'the name is garbled: it was "Иван K." before UTF-8 was read as another encoding; export the file again'],
  ])('is %j', (name, reason) => {
    expect(nameFault(name)).toBe(reason);
  });

  test('is one of more than 1,000 letters', () => {
    expect(nameFault('n'.repeat(1000))).toBeUndefined();
    expect(nameFault('n'.repeat(1001))).toBe('the name has 1001 letters, more than 1000; the column may hold something else');
  });

  test.each([
    'Jürgen Groß',
    'Ãngela São',
    'Łukasz Żak',
    'Đặng Âu',
    'Ann #1',
    'Çağla Öz',
    '李小龍',
    'Ñandú Âé',
    'MÍŠEK Jan',
    'PÍŠA',
    'TÓŠ ÚŽ',
    'SÝŠ Eva',
    'KÉŽ',
  ])('is not %j', (name) => {
    expect(nameFault(name)).toBeUndefined();
  });
});
