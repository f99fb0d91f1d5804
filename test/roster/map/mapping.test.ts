import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerKey } from '../../../src/roster/header-key.ts';
import { fieldOf } from '../../../src/roster/map/aliases.ts';
import { type MapOptions, mapTable } from '../../../src/roster/map/index.ts';
import { opened, refusal, rowsOf } from '../read/roster.ts';

async function mapped(text: string, options: MapOptions = {}) {
  const table = await opened(text, { headers: Object.values(options.map ?? {}).flat() });
  try {
    const mapping = await mapTable(table, options);
    const texts = (await rowsOf(table)).map((row) => mapping.texts(row));
    return { ...mapping, columns: Object.fromEntries(mapping.used.map(({ field, column }) => [field, column])), texts };
  } finally {
    await table.close();
  }
}

describe('the columns of a table', () => {
  test.each([
    ['E-Mail-Adresse', 'email'],
    ['E_MAIL', 'email'],
    ['Adresse électronique', 'email'],
    ['Email Address [Required]', 'email'],
    ['Prénom*', 'first_name'],
    ['Familien- oder Nachname', 'last_name'],
    ['E-postadress', 'email'],
    ['Příjmení', 'last_name'],
    ['メールアドレス', 'email'],
    ['E-Mail (Uni)', undefined],
    ['Parent email', undefined],
    ['Vollständiger Name', 'name'],
    ['Close time', 'close_time'],
    ['Recovery Email', undefined],
    ['Passwort', undefined],
  ])('%s is %s', (header, field) => {
    expect(fieldOf(header)).toBe(field);
  });

  test('are found by the names that the API has, whatever else is there', async () => {
    const text = 'E-Mail,email,open_time,skip_requirements\nx,ann@example.org,,\n';
    const { columns, ignored } = await mapped(text, { ignored: ['E-Mail'] });
    expect(columns).toEqual({ email: 2, open_time: 3, skip_requirements: 4 });
    expect(ignored).toEqual(['E-Mail']);
  });

  test('are found in any order', async () => {
    const headers = ['email', 'name', 'open_time', 'close_time', 'skip_requirements', 'Raum'];
    const cells = ['ann@example.org', 'Ann', 'o', 'c', 'true', '7'];
    const order = fc.shuffledSubarray([...headers.keys()], { minLength: headers.length });
    await fc.assert(
      fc.asyncProperty(order, async (indexes) => {
        const line = (texts: string[]) => indexes.map((index) => texts[index]).join(';');
        const { texts, ignored } = await mapped(`${line(headers)}\n${line(cells)}\n`, { ignored: ['Raum'] });
        expect(texts).toEqual([{ email: 'ann@example.org', name: 'Ann', open_time: 'o', close_time: 'c', skip_requirements: 'true' }]);
        expect(ignored).toEqual(['Raum']);
      }),
      { numRuns: 60 },
    );
  });

  test('can be named by the user, before anything else', async () => {
    const { columns, texts } = await mapped('email;Mail address;Given;Family\nx;ann@example.org;Ann;Example\n', {
      map: { email: ['mail ADDRESS'], first_name: ['Given'], last_name: ['Family'] },
      ignored: ['email'],
    });
    expect(columns).toEqual({ email: 2, first_name: 3, last_name: 4 });
    expect(texts[0]).toMatchObject({ email: 'ann@example.org', name: 'Ann Example' });
  });

  test('are not guessed where two could be meant', async () => {
    expect(await refusal(mapped('E-Mail,Mail,name\na@b.org,c@d.org,Ann\n'))).toMatchObject({
      message: 'stdin: "E-Mail" (column 1) and "Mail" (column 2) could both be email.',
      hint: 'Choose one: --map email=E-Mail or --map email=Mail',
    });
    expect((await mapped('E-Mail,Mail,name\na@b.org,c@d.org,Ann\n', { ignored: ['mail'] })).columns).toEqual({ email: 1, name: 3 });
  });

  test('are all named where none is that of the addresses', async () => {
    expect(await refusal(mapped('Name,Room\nAnn,7\n'))).toMatchObject({
      message: 'stdin has no column for e-mail addresses. Its columns: "Name", "Room".',
      hint: 'Name it: --map email="Name of the column"',
    });
    expect((await mapped('Name,Room\nAnn,7\n', { allowNoEmail: true, ignored: ['Room'] })).texts).toEqual([{ name: 'Ann' }]);
  });

  test('are refused where the file lacks them, with the one that was meant', async () => {
    const text = 'E-Mail;Name\nann@example.org;Ann\n';
    expect((await refusal(mapped(text, { map: { email: ['E-Mial'] } }))).hint).toBe('Did you mean --map email=E-Mail?');
    expect(await refusal(mapped(text, { map: { emial: ['Name'] } }))).toMatchObject({ code: 'usage', hint: 'Did you mean email?' });
    expect(await refusal(mapped(text, { map: { level_of_suspicion: ['Name'] } }))).toMatchObject({ code: 'unsupported' });
  });

  test('with secrets are never sent, not even on request', async () => {
    const text = 'email;password\nann@example.org;hunter2\n';
    expect((await refusal(mapped(text, { map: { name: ['password'] } }))).message).toBe(
      'The column "password" holds secrets, which are never sent, shown or stored.',
    );
    expect(JSON.stringify((await mapped(text, { ignored: ['password'] })).texts)).not.toContain('hunter2');
  });
});

describe('names', () => {
  test.each([
    ['Vorname;Name;E-Mail\nAnn;Example;a@example.org\n', 'Ann Example'],
    ['vorname;name;email\nAnn;Example;a@example.org\n', 'Ann Example'],
    ['Prénom;Nom;Courriel\nAnn;Exemple;a@example.org\n', 'Ann Exemple'],
    ['Name;E-Mail\nExample, Ann;a@example.org\n', 'Example, Ann'],
    ['Name;E-Mail\nJan van der Berg;a@example.org\n', 'Jan van der Berg'],
    ['"Last Name, First Name";E-Mail\nBerg, Jan van der;a@example.org\n', 'Jan van der Berg'],
    ['"Last Name, First Name";E-Mail\n"van der Berg, Jan Willem";a@example.org\n', 'Jan Willem van der Berg'],
    ['"Last Name, First Name";E-Mail\n"King, Martin Luther, Jr.";a@example.org\n', 'Martin Luther King Jr.'],
    ['"Last Name, First Name";E-Mail\n"King Jr., Martin Luther";a@example.org\n', 'Martin Luther King Jr.'],
    ['"Last Name, First Name";E-Mail\n"Li, Ma";a@example.org\n', 'Ma Li'],
    ['"Last Name, First Name";E-Mail\n"Nguyen, Ba, PhD";a@example.org\n', 'Ba Nguyen PhD'],
    ['"Last Name, First Name";E-Mail\n"Lee, Ann, MA";a@example.org\n', 'Ann Lee MA'],
    ['Name;E-Mail\n"Ann Example, PhD";a@example.org\n', 'Ann Example, PhD'],
    ['Student Last;Student First;Email ID\nExample;Ann;a@example.org\n', 'Ann Example'],
    ['Nombre;Apellidos;Correo electrónico\nAna;Ejemplo Pérez;a@example.org\n', 'Ana Ejemplo Pérez'],
    ['Nombre;Primer apellido;Segundo apellido;Email\nAna;Ejemplo;Pérez;a@example.org\n', 'Ana Ejemplo Pérez'],
    ['Cognome;Nome;Indirizzo e-mail\nEsempio;Anna;a@example.org\n', 'Anna Esempio'],
    ['Nome;Sobrenome;Endereço de e-mail\nAna;Exemplo;a@example.org\n', 'Ana Exemplo'],
    ['Voornaam;Tussenvoegsel;Achternaam;E-mailadres\nJan;van der;Berg;a@example.org\n', 'Jan van der Berg'],
    ['Imię;Nazwisko;Adres e-mail\nAnna;Przykład;a@example.org\n', 'Anna Przykład'],
    ['Nombre;Correo\nAna Ejemplo;a@example.org\n', 'Ana Ejemplo'],
    ['First name;Last name;Email\n;Example;a@example.org\n', 'Example'],
    ['Full Name;First name;Email\nAnn Example;Ann;a@example.org\n', 'Ann Example'],
    ['Full name (as in your ID);Email\nAnn Example;a@example.org\n', 'Ann Example'],
    ['Name (Eltern);Name;Email\n;Ann Example;a@example.org\n', 'Ann Example'],
    ['E-Mail;\n"""Ann \u2018Dr.\u2019 Example"" <a@example.org>";\n', 'Ann ‘Dr.’ Example'],
    ['E-Mail;\n"""Example, Ann"" <a@example.org>";\n', 'Example, Ann'],
  ])('%j gives %j', async (text, name) => {
    expect((await mapped(text)).texts[0]).toMatchObject({ email: 'a@example.org', name });
  });
});

describe('addresses in another column', () => {
  const text = 'Name,SIS Login ID\nAnn Example,ann@example.org\nBen Example,ben@example.org\n';

  test('are found, named, and used only on a yes or by --map', async () => {
    expect(await refusal(mapped(text))).toMatchObject({
      message: 'stdin has addresses in "SIS Login ID" (column 2), such as "ann@example.org".',
      hint: "If they are the addresses of the students, add: --map 'email=SIS Login ID'",
    });
    expect((await refusal(mapped(text, { askYes: async () => false }))).code).toBe('invalid_input');
    expect((await mapped(text, { askYes: async () => true })).columns.email).toBe(2);
    expect((await mapped(text, { map: { email: ['SIS Login ID'] } })).texts[1]?.email).toBe('ben@example.org');
  });

  test('are found beside a column of that name without any', async () => {
    const usernames = 'Email,Username\n,ann@example.org\nn/a,ben@example.org\n';
    expect((await refusal(mapped(usernames))).message).toContain('has addresses in "Username" (column 2)');
  });

  test('fill the gaps of the first column by a second --map', async () => {
    const gaps = 'E-Mail,Username,Name\nann@example.org,ann@example.org,Ann\n,ben@example.org,Ben\n';
    const { texts } = await mapped(gaps, { map: { email: ['E-Mail', 'Username'] } });
    expect(texts.map(({ email }) => email)).toEqual(['ann@example.org', 'ben@example.org']);
  });

  test('are not guessed where several columns have some', async () => {
    expect(await refusal(mapped('Name,Login,Contact\nAnn,a@example.org,b@example.org\n'))).toMatchObject({
      message: 'stdin has no column named e-mail. These columns contain addresses: "Login" (column 2) and "Contact" (column 3).',
      hint: 'Choose the addresses of the students: --map email=Login or --map email=Contact',
    });
  });

  test('swapped with the names are recognised, and swapped back', async () => {
    const swapped = 'email,name\nAnn Example,ann@example.org\nBen Example,ben@example.org\n';
    expect(await refusal(mapped(swapped))).toMatchObject({
      message: 'stdin has addresses in "name" (column 2), such as "ann@example.org", and none in "email" (column 1).',
      hint: 'If they are the addresses of the students, add: --map email=name --map name=email',
    });
    for (const options of [{ askYes: async () => true }, { map: { email: ['name'], name: ['email'] } }])
      expect((await mapped(swapped, options)).texts[0]).toEqual({ email: 'ann@example.org', name: 'Ann Example' });
  });
});

describe('further fields of the API', () => {
  test('come from columns as text, or typed as -F types them', async () => {
    const text = 'email,Matrikelnummer,Nr\nann@example.org,0123,7\nben@example.org,,x\n';
    const { texts, ignored } = await mapped(text, { map: { matriculation: ['Matrikelnummer'], 'seat:': ['Nr'] } });
    expect(texts.map(({ extra }) => extra)).toEqual([
      [
        { field: 'matriculation', text: '0123', typed: false },
        { field: 'seat', text: '7', typed: true },
      ],
      [{ field: 'seat', text: 'x', typed: true }],
    ]);
    expect(ignored).toEqual([]);
    expect((await refusal(mapped(text, { map: { seat: ['Nr'] }, constants: { seat: 1 } }))).code).toBe('usage');
  });
});

describe('constants', () => {
  const text = 'email,name\nann@example.org,Ann\n';

  test('stand in for columns, and others go along as they are', async () => {
    const { texts, constants } = await mapped(text, { constants: { close_time: '+2h', room: 7 } });
    expect(texts[0]?.close_time).toBe('+2h');
    expect(constants.extra).toEqual({ room: 7 });
  });

  test('are refused beside a column, for the address, and where nothing can set them', async () => {
    expect((await refusal(mapped(text, { constants: { name: 'x' } }))).message).toBe(
      'The field name is given twice: by -F and by a column.',
    );
    expect((await refusal(mapped(text, { constants: { email: 'x' } }))).code).toBe('usage');
    expect((await refusal(mapped(text, { constants: { level_of_suspicion: 0 } }))).code).toBe('unsupported');
    expect((await refusal(mapped(text, { constants: { close_time: 5 } }))).code).toBe('invalid_input');
  });
});

test('a header is compared by its letters and digits', () => {
  expect(['E-Mail', 'e mail', 'É_MAIL*'].map(headerKey)).toEqual(['email', 'email', 'email']);
});
