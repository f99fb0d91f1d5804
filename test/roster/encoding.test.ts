import { describe, expect, test } from 'vitest';
import { read, refusal, refused } from './reading.ts';

const text = 'email;name\nzoe@example.org;Zoë Brandstätter\n';
const latin = Buffer.from(text, 'latin1');
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

describe('encodings', () => {
  test.each([
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', swapped(Buffer.from(`\ufeff${text}`, 'utf16le'))],
  ])('are believed where the file begins with the mark of %s', async (encoding, bytes) => {
    const table = await read(bytes);
    expect(table).toMatchObject({ header: ['email', 'name'], cells: [['zoe@example.org', 'Zoë Brandstätter']], encoding });
    expect(await refused(read(bytes, { encoding: 'windows-1252' }))).toMatch(/is UTF-8|NUL character/);
  });

  test('are never guessed: what is not UTF-8 is refused with its place, how a word would read, and the option', async () => {
    expect(await refusal(read(latin))).toEqual({
      code: 'invalid_input',
      message: 'stdin, line 2, column 19: invalid UTF-8.',
      hint: 'As windows-1252, the first word in doubt is "Zoë": if that is right, add --encoding windows-1252. Otherwise name the encoding of the file, or save it as UTF-8.',
    });
  });

  test('are not read as another when the file is UTF-8', async () => {
    expect(await refusal(read(text, { encoding: 'windows-1252' }))).toEqual({
      code: 'invalid_input',
      message: 'stdin is UTF-8: read as windows-1252, "Zoë" would become "ZoÃ«".',
      hint: 'Leave out --encoding.',
    });
    expect((await read('email\na@example.org\n', { encoding: 'windows-1252' })).cells).toEqual([['a@example.org']]);
  });

  test.each([
    ['windows-1252', [0x80, 0x92, 0x9f, 0xe4], '€’Ÿä'],
    ['iso-8859-1', [0xe4, 0xdf], 'äß', 'windows-1252'],
    ['latin2', [0xa3, 0xaf], 'ŁŻ', 'iso-8859-2'],
    ['windows-1251', [0xc6], 'Ж'],
  ])('are read as %s where it is named', async (encoding, bytes, name, otherwise = encoding) => {
    const content = Buffer.concat([Buffer.from('email;name\nann@example.org;'), Buffer.from(bytes)]);
    expect(await read(content, { encoding })).toMatchObject({
      cells: [['ann@example.org', name]],
      format: `CSV with semicolons, ${otherwise}`,
      encoding: otherwise,
    });
  });

  test('may be UTF-16 without its mark where it is named; where it is not, the hint says how', async () => {
    const bare = Buffer.from(text, 'utf16le');
    expect((await read(bare, { encoding: 'utf-16le' })).cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    expect((await read(swapped(bare), { encoding: 'utf-16be' })).cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    expect((await refusal(read(Buffer.from(text.replace(/[^\0-\x7f]/g, 'x'), 'utf16le')))).hint).toBe(
      'If it is UTF-16, add: --encoding utf-16le. Otherwise remove it.',
    );
  });

  test('are refused by a name that is unknown or does not fit', async () => {
    expect(await refusal(read(text, { encoding: 'ebcdic' }))).toMatchObject({ code: 'usage', message: 'Unknown encoding "ebcdic".' });
    expect(await refused(read(latin, { encoding: 'utf-8' }))).toBe('stdin, line 2, column 19: invalid UTF-8.');
  });
});
