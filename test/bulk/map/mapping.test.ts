import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MapOptions, mapTable } from '../../../src/bulk/map/index.ts';
import { fieldOf, headerKey, isSecretHeader } from '../../../src/bulk/map/vocabulary.ts';
import { opened, refusal, rowsOf } from '../read/roster.ts';

async function mapped(text: string, options: MapOptions = {}) {
  const table = await opened(text, { headers: Object.values(options.map ?? {}) });
  try {
    const mapping = await mapTable(table, options);
    const texts = (await rowsOf(table)).map((row) => mapping.texts(row));
    return { ...mapping, columns: Object.fromEntries(mapping.used.map(({ field, column }) => [field, column])), texts };
  } finally {
    await table.close();
  }
}

describe('the columns of a table', () => {
  it.each([
    ['E-Mail-Adresse', 'email'],
    ['E_MAIL', 'email'],
    ['Adresse électronique', 'email'],
    ['Email Address [Required]', 'email'],
    ['Prénom*', 'first'],
    ['Familien- oder Nachname', 'last'],
    ['Vollständiger Name', 'name'],
    ['Close time', 'close_time'],
    ['Recovery Email', undefined],
    ['Passwort', undefined],
  ])('%s is %s', (header, field) => {
    expect(fieldOf(header)).toBe(field);
  });

  it('are found by the names that the API has, whatever else is there', async () => {
    const { columns, ignored } = await mapped('E-Mail,email,open_time,skip_requirements\nx,ann@example.org,,\n');
    expect(columns).toEqual({ email: 2, open_time: 3, skip_requirements: 4 });
    expect(ignored).toEqual(['E-Mail']);
  });

  it('are not called unused where they say who is a student', async () => {
    const { ignored } = await mapped('email,role,status,room\nann@example.org,student,active,7\n');
    expect(ignored).toEqual(['room']);
  });

  it('are found in any order', async () => {
    const headers = ['email', 'name', 'open_time', 'close_time', 'skip_requirements', 'Raum'];
    const cells = ['ann@example.org', 'Ann', 'o', 'c', 'true', '7'];
    const order = fc.shuffledSubarray([...headers.keys()], { minLength: headers.length });
    await fc.assert(
      fc.asyncProperty(order, async (indexes) => {
        const line = (texts: string[]) => indexes.map((index) => texts[index]).join(';');
        const { texts, ignored } = await mapped(`${line(headers)}\n${line(cells)}\n`);
        expect(texts).toEqual([{ email: 'ann@example.org', name: 'Ann', open_time: 'o', close_time: 'c', skip_requirements: 'true' }]);
        expect(ignored).toEqual(['Raum']);
      }),
      { numRuns: 60 },
    );
  });

  it('can be named by the user, before anything else', async () => {
    const { columns, texts } = await mapped('email;Mail address;Given;Family\nx;ann@example.org;Ann;Example\n', {
      map: { email: 'mail ADDRESS', first_name: 'Given', last_name: 'Family' },
    });
    expect(columns).toEqual({ email: 2, first: 3, last: 4 });
    expect(texts[0]).toMatchObject({ email: 'ann@example.org', name: 'Ann Example' });
  });

  it('are not guessed where two could be meant', async () => {
    expect(await refusal(mapped('E-Mail,Mail,name\na@b.org,c@d.org,Ann\n'))).toMatchObject({
      message: 'stdin: "E-Mail" (column 1) and "Mail" (column 2) could both be email.',
      hint: 'Say which it is: --map email="E-Mail"',
    });
  });

  it('are all named where none is that of the addresses', async () => {
    expect(await refusal(mapped('Name,Room\nAnn,7\n'))).toMatchObject({
      message: 'stdin has no column for e-mail addresses. Its columns: "Name", "Room".',
      hint: 'Say which it is: --map email="Name of the column"',
    });
    expect((await mapped('Name,Room\nAnn,7\n', { allowNoEmail: true })).texts).toEqual([{ name: 'Ann' }]);
  });

  it('are refused where the file lacks them, with the one that was meant', async () => {
    const text = 'E-Mail;Name\nann@example.org;Ann\n';
    expect((await refusal(mapped(text, { map: { email: 'E-Mial' } }))).hint).toBe('Did you mean --map email="E-Mail"?');
    expect(await refusal(mapped(text, { map: { phone: 'Name' } }))).toMatchObject({ code: 'usage' });
    expect(await refusal(mapped(text, { map: { level_of_suspicion: 'Name' } }))).toMatchObject({ code: 'unsupported' });
  });

  it('with secrets are never sent, not even on request', async () => {
    expect(['Password', 'Kennwort', 'mot de passe', 'API token', 'Passwort (neu)'].map(isSecretHeader)).toEqual(Array(5).fill(true));
    const text = 'email;password\nann@example.org;hunter2\n';
    expect((await refusal(mapped(text, { map: { name: 'password' } }))).message).toBe(
      'The column "password" holds secrets, which are never sent.',
    );
    expect(JSON.stringify((await mapped(text)).texts)).not.toContain('hunter2');
  });
});

describe('names', () => {
  it.each([
    ['Vorname;Name;E-Mail\nAnn;Example;a@example.org\n', 'Ann Example'],
    ['vorname;name;email\nAnn;Example;a@example.org\n', 'Ann Example'],
    ['Prénom;Nom;Courriel\nAnn;Exemple;a@example.org\n', 'Ann Exemple'],
    ['Name;E-Mail\nExample, Ann;a@example.org\n', 'Example, Ann'],
    ['First name;Last name;Email\n;Example;a@example.org\n', 'Example'],
    ['Full Name;First name;Email\n;Ann;a@example.org\n', 'Ann'],
    ['E-Mail;x\n"""Ann, Dr. Example"" <a@example.org>";1\n', 'Ann, Dr. Example'],
  ])('%j gives %j', async (text, name) => {
    expect((await mapped(text)).texts[0]).toMatchObject({ email: 'a@example.org', name });
  });
});

describe('people who are no students', () => {
  it.each([
    ['role', 'Teacher', 'role teacher'],
    ['role', 'Student', undefined],
    ['role', 'student, tutor', undefined],
    ['Rolle', 'Dozent/in', undefined],
    ['Rolle', 'Dozentin', 'role dozentin'],
    ['role', 'Candidate of the second kind', undefined],
    ['role', '', undefined],
    ['status', 'to be deleted', 'status to be deleted'],
    ['status', 'Suspended', undefined],
  ])('%s "%s": %s', async (header, cell, reason) => {
    const table = await opened(`email;${header}\nann@example.org;"${cell}"\n`);
    const [row] = await rowsOf(table);
    expect((await mapTable(table)).leftOut(row?.cells ?? [])).toBe(reason);
    await table.close();
  });
});

describe('constants', () => {
  const text = 'email,name\nann@example.org,Ann\n';

  it('stand in for columns, and others go along as they are', async () => {
    const { texts, constants } = await mapped(text, { constants: { close_time: '+2h', room: 7 } });
    expect(texts[0]?.close_time).toBe('+2h');
    expect(constants.extra).toEqual({ room: 7 });
  });

  it('are refused beside a column, for the address, and where nothing can set them', async () => {
    expect((await refusal(mapped(text, { constants: { name: 'x' } }))).message).toBe(
      'The field name is given twice: by -F and by a column.',
    );
    expect((await refusal(mapped(text, { constants: { email: 'x' } }))).code).toBe('usage');
    expect((await refusal(mapped(text, { constants: { level_of_suspicion: 0 } }))).code).toBe('unsupported');
    expect((await refusal(mapped(text, { constants: { close_time: 5 } }))).code).toBe('invalid_input');
  });
});

describe('the digest of a mapping', () => {
  it('is the same for the same decisions and another for others', async () => {
    const text = 'email,name,Mail\nann@example.org,Ann,x@example.org\n';
    const digest = async (options: MapOptions) => (await mapped(text, options)).digest;
    const plain = await digest({});
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest({ map: { email: 'email' } })).toBe(plain);
    expect(await digest({ constants: { a: 1, b: 2 } })).toBe(await digest({ constants: { b: 2, a: 1 } }));
    const all = [
      plain,
      await digest({ map: { email: 'Mail' } }),
      await digest({ constants: { a: 1 } }),
      await digest({ allowNoEmail: true }),
    ];
    expect(new Set(all).size).toBe(4);
  });
});

it('a header is compared by its letters and digits', () => {
  expect(['E-Mail', 'e mail', 'É_MAIL*'].map(headerKey)).toEqual(['email', 'email', 'email']);
});
