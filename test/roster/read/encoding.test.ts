import { describe, expect, test } from 'vitest';
import { read, refusal } from './roster.ts';

const text = 'email;name\nzoe@example.org;Zoë Brandstätter\n';
const latin = Buffer.from(text, 'latin1');
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

describe('encodings', () => {
  test('drops a byte order mark and believes it', async () => {
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const bytes of [Buffer.from(`\ufeff${text}`), utf16, swapped(utf16)]) {
      const { header, cells } = await read(bytes);
      expect(header).toEqual(['email', 'name']);
      expect(cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    }
  });

  test('takes no half of a mark for one', async () => {
    for (const byte of [0xfe, 0xff, 0xef]) {
      const { message } = await refusal(read(Buffer.concat([Buffer.of(byte), Buffer.from(text)])));
      expect(message).toBe('stdin, line 1, column 1: invalid UTF-8.');
    }
  });

  test('never guesses: what is not UTF-8 is refused with its place, how a word would read, and the option', async () => {
    expect(await refusal(read(latin))).toEqual({
      code: 'invalid_input',
      message: 'stdin, line 2, column 19: invalid UTF-8.',
      hint: 'As windows-1252, the first word in doubt is "Zoë": if that is right, add --encoding windows-1252. Otherwise name the encoding of the file, or save it as UTF-8.',
    });
  });

  test('is not read in another encoding when it is UTF-8', async () => {
    expect(await refusal(read(text, { encoding: 'windows-1252' }))).toEqual({
      code: 'invalid_input',
      message: 'stdin is UTF-8: read as windows-1252, "Zoë" would become "ZoÃ«".',
      hint: 'Leave out --encoding.',
    });
    expect((await read(latin, { encoding: 'windows-1252' })).cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    expect((await read('email\na@example.org\n', { encoding: 'windows-1252' })).cells).toEqual([['a@example.org']]);
  });

  test('finds the first bad character far into a file', async () => {
    const long = Buffer.concat([Buffer.from(`email;name\n${'ann@example.org;Änn\n'.repeat(50_000)}`), Buffer.from([0x61, 0xe4])]);
    expect((await refusal(read(long))).message).toBe('stdin, line 50002, column 2: invalid UTF-8.');
    const cut = Buffer.from('email\r\na@example.org, \u00e4').subarray(0, -1);
    expect((await refusal(read(cut))).message).toBe('stdin, line 2, column 16: invalid UTF-8.');
  });

  test.each([
    ['windows-1252', [0x80, 0x92, 0x9f, 0xe4], '€’Ÿä'],
    ['Windows-1252', [0xe4], 'ä'],
    ['iso-8859-1', [0xe4, 0xdf], 'äß'],
    ['ISO-8859-15', [0xa4, 0xe4], '€ä'],
    ['cp1252', [0x80, 0xe4], '€ä', 'windows-1252'],
    ['latin1', [0xe4], 'ä', 'windows-1252'],
    ['l9', [0xa4], '€', 'iso-8859-15'],
    ['windows-1250', [0xa3, 0xaf], 'ŁŻ'],
    ['latin2', [0xa3, 0xaf], 'ŁŻ', 'iso-8859-2'],
    ['windows-1251', [0xc6], 'Ж'],
    ['macintosh', [0x8a], 'ä'],
  ])('reads %s where it is named', async (encoding, bytes, name, otherwise = encoding) => {
    const content = Buffer.concat([Buffer.from('email;name\nann@example.org;'), Buffer.from(bytes)]);
    const { cells, format } = await read(content, { encoding });
    expect(cells).toEqual([['ann@example.org', name]]);
    expect(format).toBe(`CSV with semicolons, ${otherwise.toLowerCase()}`);
  });

  test('reads UTF-16 without its mark where it is named, and says how where it is not', async () => {
    const bare = Buffer.from(text, 'utf16le');
    expect((await read(bare, { encoding: 'utf-16le' })).cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    expect((await read(swapped(bare), { encoding: 'utf-16be' })).cells).toEqual([['zoe@example.org', 'Zoë Brandstätter']]);
    expect((await refusal(read(bare))).hint).toBe('If it is UTF-16, add: --encoding utf-16le');
  });

  test('keeps a character whole that the end of a chunk divides', async () => {
    for (const [encoding, padding] of [
      ['utf8', 'xyz'],
      ['utf16le', 'x'],
    ] as const) {
      for (let length = 0; length <= padding.length; length++) {
        const bytes = Buffer.from(`\ufeffemail;name\n${'ann@example.org;𝄞𝄞𝄞\n'.repeat(12_000)}${padding.slice(0, length)};𝄞`, encoding);
        const { cells } = await read(bytes);
        expect(new Set(cells.slice(0, -1).map(([, name]) => name))).toEqual(new Set(['𝄞𝄞𝄞']));
      }
    }
  });

  test('refuses a name that contradicts the mark, is unknown, or does not fit', async () => {
    expect((await refusal(read(`\ufeff${text}`, { encoding: 'windows-1252' }))).message).toContain('begins with a utf-8 byte order mark');
    expect(await refusal(read(text, { encoding: 'ebcdic' }))).toMatchObject({
      code: 'usage',
      message: 'Unknown encoding "ebcdic".',
    });
    expect((await refusal(read(latin, { encoding: 'utf-8' }))).message).toContain('invalid utf-8');
  });
});
