/** Which column is which field of a roster: by --map, by a known header, never by a guess; and what a name and an address may be. */
import { describe, expect, test } from 'vitest';
import { rosterFieldOf } from '../../src/roster/aliases.ts';
import { addressFault, nameFault } from '../../src/roster/roster-fields.ts';
import { mapped } from './mapping.ts';
import { refusal } from './reading.ts';

const ann = 'ann@example.org';

describe('the columns of a roster', () => {
  const headers: Record<string, string> = {
    email:
      'E-Mail-Adresse; e mail; É_MAIL*; Adresse électronique; Email Address [Required]; メールアドレス; E-Mail-Adresse (Univ.); Uni-Mail',
    first_name: 'Prénom*; given names',
    last_name: 'Familien- oder Nachname; Apellido(s)',
    name: 'Vollständiger Name',
    last_name_first: 'Nachname, Vorname; Familienname, Vorname',
    close_time: 'Close time',
    number: 'Matrikelnummer; Matrikel; REGISTRATION_NUMBER; Student number',
    undefined: 'E-Mail (Uni); E-Mail (Eltern); Parent email; Recovery Email; Passwort',
  };
  test.each(Object.entries(headers))('are known by exact names, in several languages: %s', (field, texts) => {
    for (const header of texts.split('; ')) expect(String(rosterFieldOf(header)), header).toBe(field);
  });

  test.each(['close_time [UTC]', 'name [old]', 'email [private]'])('with a word in brackets are others: %s', (text) => {
    expect(rosterFieldOf(text)).toBeUndefined();
  });

  test('are found in any order', async () => {
    const text = 'Raum;close_time;skip_requirements;email;open_time;name\n7;c;true;ann@example.org;o;Ann\n';
    const { texts, unused } = await mapped(text, { ignoreColumn: ['Raum'] });
    expect(texts).toEqual([{ email: ann, name: 'Ann', open_time: 'o', close_time: 'c', skip_requirements: 'true' }]);
    expect(unused).toEqual(['Raum']);
  });

  test('can be named by the user, before anything else', async () => {
    const text = `email;Mail address;Given;Family\nx;${ann};Ann;Example\n`;
    const { texts } = await mapped(text, { map: ['email=mail ADDRESS', 'first_name=Given', 'last_name=Family'], ignoreColumn: ['email'] });
    expect(texts).toEqual([{ email: ann, name: 'Ann Example' }]);
  });

  test('as a whole name that is mapped go before its parts', async () => {
    const text = `email;Vorname;Nachname;Anzeigename;Sortiername\n${ann};Ann;Example;Annie;Berg, Jan\n`;
    const given = { ignoreColumn: ['Sortiername'] };
    expect((await mapped(text, given)).texts).toEqual([{ email: ann, name: 'Ann Example' }]);
    const { texts, unused } = await mapped(text, { ...given, map: ['name=Anzeigename'] });
    expect([texts, unused]).toEqual([[{ email: ann, name: 'Annie' }], ['Vorname', 'Nachname', 'Sortiername']]);
    expect((await mapped(text, { map: ['last_name_first=Sortiername'] })).texts).toEqual([{ email: ann, name: 'Jan Berg' }]);
  });

  test('are not guessed where two could be meant', async () => {
    const text = 'E-Mail,Mail,name\na@b.org,c@d.org,Ann\n';
    expect(await refusal(mapped(text))).toMatchObject({
      code: 'invalid_input',
      message: 'stdin: "E-Mail" (column 1) and "Mail" (column 2) could both be email.',
      hint: 'Choose one: --map email=E-Mail or --map email=Mail',
    });
    expect((await mapped(text, { ignoreColumn: ['mail'] })).texts).toEqual([{ email: 'a@b.org', name: 'Ann' }]);
  });

  test.each([
    ['Email,Login\nn/a,a@b.org\n', '--map email=Login'],
    ['Name,Login,Contact\nAnn,a@b.org,c@d.org\n', '--map email=Login or --map email=Contact'],
    ['email,name\nAnn,a@b.org\n', '--map email=name'],
    ['Name,Room\nAnn,7\n', '--map email=HEADER'],
  ])('of addresses are never guessed by what stands in them, but named: %j', async (text, option) => {
    const { code, hint } = await refusal(mapped(text));
    expect([code, hint]).toEqual(['invalid_input', expect.stringContaining(option)]);
  });

  test('are refused where the file lacks them, with the one that was meant', async () => {
    const text = `E-Mail;Name\n${ann};Ann\n`;
    expect((await refusal(mapped(text, { map: ['email=E-Mial'] }))).hint).toBe('Did you mean "E-Mail"?');
    expect(await refusal(mapped(text, { map: ['emial=Name'] }))).toMatchObject({
      code: 'usage',
      hint: expect.stringMatching(/^Its fields: email, name/),
    });
    expect((await refusal(mapped(text, { map: ['level_of_suspicion=Name'] }))).code).toBe('unsupported');
    for (const field of ['id', 'exam_id', 'exam']) expect((await refusal(mapped(text, { map: [`${field}=Name`] }))).code).toBe('usage');
  });

  test('with secrets are never read, not even on request', async () => {
    const text = `email;password\n${ann};hunter2\n`;
    for (const given of [{ map: ['name=password'] }, { only: ['password=hunter2'] }])
      expect((await refusal(mapped(text, given))).message).toContain('The column "password" holds secrets');
    const { message } = await refusal(mapped(text));
    expect(message).toContain('"password" (column 2): its values are not shown');
    expect(JSON.stringify((await mapped(text, { ignoreColumn: ['password'] })).texts)).not.toContain('hunter2');
  });

  test('may be further fields of the API, as text', async () => {
    const { texts } = await mapped(`email,Code\n${ann},0123\nben@example.org,\n`, { map: ['code=Code'] });
    expect(texts).toEqual([{ email: ann, code: '0123' }, { email: 'ben@example.org' }]);
  });
});

describe("the student's number", () => {
  const text = `Matrikelnummer;Name;E-Mail\n1;Ann;${ann}\n2;Ben;\n`;

  test('identifies a student without an address where a setting names its field', async () => {
    const { texts, notes } = await mapped(text, { numberKey: 'matriculation_number' });
    expect(texts).toEqual([
      { number: '1', name: 'Ann', email: ann },
      { number: '2', name: 'Ben' },
    ]);
    expect(notes).toEqual([]);
    expect((await mapped('Nr,E-Mail\n7,\n', { numberKey: 'matno', map: ['matno=Nr'] })).texts).toEqual([{ number: '7' }]);
    for (const footer of ['Warteliste', 'Summe: 2'])
      expect((await refusal(mapped(`${text}${footer};;\n`, { numberKey: 'matno' }))).message).toContain(
        'line 4: there is no address or number',
      );
  });

  test('needs no declaration without that setting, which is named; and no student has it as the only identity', async () => {
    const { texts, notes } = await mapped(text.replace('Ben;', 'Ben;ben@example.org'));
    expect(texts.map(({ number }) => number)).toEqual([undefined, undefined]);
    expect(notes).toEqual([expect.stringMatching(/^"Matrikelnummer" is not used\. .*dialect\.sessionNumberKey/)]);
    expect((await refusal(mapped(text))).message).toContain('line 3: there is no address');
    expect((await refusal(mapped(text, { map: ['number=Matrikelnummer'] }))).hint).toContain('dialect.sessionNumberKey');
  });
});

describe('a name', () => {
  test.each([
    ['Vorname;Name;E-Mail\nAnn;Example', 'Ann Example'],
    ['Prénom;Nom;Courriel\nAnn;Exemple', 'Ann Exemple'],
    ['Nombre;Primer apellido;Segundo apellido;Email\nAna;Ejemplo;Pérez', 'Ana Ejemplo Pérez'],
    ['Cognome;Nome;Indirizzo e-mail\nEsempio;Anna', 'Anna Esempio'],
    ['Voornaam;Tussenvoegsel;Achternaam;E-mailadres\nJan;van der;Berg', 'Jan van der Berg'],
    ['foreName;longName;name;Mail\nJan;Berg;BERJAN', 'Jan Berg'],
    ['Name;First Name;Last Name;Mail\nBerg;Jan;Berg', 'Jan Berg'],
    ['Full Name;First name;Email\nAnn Example;Ann', 'Ann Example'],
    ['First name;Last name;Email\n;Example', 'Example'],
    ['Nombre;Correo\nAna Ejemplo', 'Ana Ejemplo'],
    ['Name;E-Mail\nExample, Ann', 'Example, Ann'],
    ['"Last Name, First Name";E-Mail\nBerg, Jan van der', 'Jan van der Berg'],
    ['Nom et prénom;E-Mail\n"Li, Ma"', 'Ma Li'],
  ])('is made of its parts, and turned only where its heading has the last name first: %j', async (text, name) => {
    expect((await mapped(`${text};a@example.org\n`)).texts).toEqual([{ email: 'a@example.org', name }]);
  });

  test.each([
    ['#N/A', 'the name contains an error of the spreadsheet'],
    ['#BLOCKED!', 'the name contains an error of the spreadsheet'],
    ['#GETTING_DATA', 'the name contains an error of the spreadsheet'],
    ['Err:502', 'the name contains an error of the spreadsheet'],
    ['{"first":"Ann"}', 'the name is an object or a list of JSON'],
    ['["Ann","Lee"]', 'the name is an object or a list of JSON'],
    ['Ann\ud83d', 'letters of the name were lost when the file was saved; export it again'],
    ['Ann\nExample', 'the name contains a line break or another control character'],
    ['Ann\u2028Example', 'the name contains a line break or another control character'],
    ['M\ufffdller', 'letters of the name were lost when the file was saved; export it again'],
  ])('that nobody has is refused: %j', (name, reason) => {
    expect(nameFault(name)).toBe(reason);
  });

  test.each(['Jürgen Groß', 'Ann #1', '李小龍', "O'Brien-Ñandú", '[Ann]', '{Ann', 'Ann #b!c'])(
    'that somebody may have is not: %s',
    (name) => expect(nameFault(name)).toBeUndefined(),
  );
});

const [zoe, user, jane] = ['zoë@münchen.example', '用户@例子.公司', 'jane@xn--mnchen-3ya.example'];
const faults: Record<string, string[]> = {
  'it contains no @': ['ann.example.org'],
  'the domain contains no dot': ['ann@gmail', 'ann@'],
  'it contains letters of another width or form': ['ａｎｎ@example.org', 'ann@ﬁrst.org'],
  'it contains more than one @': ['ann@@example.org'],
  'it contains a character that is not shown': ['ann\ufe0f@b.org', 'ann@b\u034f.org'],
  'it contains a space': ['ann example@example.org', 'ann\u00a0@example.org'],
  'what stands before the @ is invalid': [
    ...['@example.org', 'ann\u200b@b.org', '\u202eann@b.org', 'mailto:ann@b.org', '"ann"@b.org'],
    ...["'ann@example.org", '#ann@example.org', '.ann@example.org', 'a..b@example.org', '|ann@example.org'],
  ],
  'the domain is invalid': ['ann@b..org', 'ann@-b.org', 'ann@b.org.', 'ann@b.org\u0007', 'ann@[127.0.0.1]', 'ann@127.0.0.1'],
  'it is too long': [`${'a'.repeat(65)}@example.org`, `ann@${'a'.repeat(250)}.org`],
};

describe('an e-mail address', () => {
  test.each(['ann@example.org', "o'neil+exam_1@sub.example.co.uk", 'a@b.io', zoe, user, jane, `${'a'.repeat(64)}@example.org`])(
    'may be %s',
    (text) => expect(addressFault(text)).toBeUndefined(),
  );

  test.each(Object.entries(faults).flatMap(([reason, all]) => all.map((text) => [text, reason])))('cannot be %j: %s', (text, reason) => {
    expect(addressFault(text)).toBe(reason);
  });

  test.each([', ', ';', ' ', '|'])('is only one, and not two with %j between them', (between) => {
    expect(addressFault(`ann@example.org${between}b@c.de`)).toBe('the cell contains several addresses');
  });
});
