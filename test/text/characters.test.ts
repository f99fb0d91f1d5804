import { describe, expect, test } from 'vitest';
import { escapeHidden, hasHidden, visible, visibleLines } from '../../src/text/characters.ts';

/** Each is on a screen nothing, or commands it. */
const hidden = [
  ...['\u0000', '\u001b', '\u007f', '\u009b', '\r', '\n', '\t'],
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200e', '\u202e', '\u2028', '\u2060', '\u2066'],
  ...['\u2800', '\u3164', '\ufe00', '\ufeff', '\uffa0', '\ufff9', '\u{1d173}', '\u{e0001}', '\u{e0041}', '\u{e007f}'],
  ...['\u200c', '\u200d', '\ufe0f', '\u{e0100}'],
];

describe('hidden characters', () => {
  test.each(hidden.map((character) => [character.codePointAt(0)?.toString(16), character]))('are shown as signs: U+%s', (_, character) => {
    expect(visible(`ada${character}b`)).toMatch(/^ada[\u2400-\u2421\ufffd]b$/u);
    expect(hasHidden(`ada${character}b`)).toBe(true);
  });

  test('shows no sign for what western texts are written with, and the same signs beside it', () => {
    const western = Array.from({ length: 0x2ff - 0x20 }, (_, at) => String.fromCodePoint(0x20 + at)).filter((letter) => !hasHidden(letter));
    expect(western.length).toBeGreaterThan(650);
    const text = `${western.join('')} – „Ä“ … 20 €`;
    expect(visible(text)).toBe(text);
    expect(visibleLines(`${text}\n\t${text}`)).toBe(`${text}\n\t${text}`);
  });

  test('knows each character of the first plane, whether or not it is a common one', () => {
    const letters = Array.from({ length: 0x10000 }, (_, at) => String.fromCharCode(at)).filter((letter) => letter.isWellFormed());
    expect(letters.filter((letter) => (visible(letter) === letter) === hasHidden(letter))).toEqual([]);
    const inJson = letters.slice(0x20);
    expect(inJson.filter((letter) => (escapeHidden(letter) === letter) === hasHidden(letter))).toEqual([]);
    const inARow = letters.map((letter) => letter.repeat(7)).filter((row) => !hasHidden(row));
    expect(inARow.filter((row) => (visible(row) === row) === /^\p{M}/u.test(row))).toEqual([]);
  });

  test('escapes all of them in JSON, which reads as the same value', () => {
    const text = JSON.stringify(hidden.join('x'));
    const escaped = escapeHidden(text);
    expect(escaped).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(escaped)).toBe(hidden.join('x'));
  });

  test('keeps line breaks and tabs in text that has lines', () => {
    expect(visibleLines('a\r\n\tb\u001b[2Jc\u3164')).toBe('a\r\n\tb␛[2Jc�');
  });
});

describe('what writing needs', () => {
  test.each([
    ...['می\u200cخواهم', 'ක්\u200dෂ', '👩\u200d💻', '👩🏽\u200d🚀', '❤\ufe0f', '1\ufe0f\u20e3', '葛\u{e0100}城', 'Đặng Thị Hiền'],
    'שָׁלוֹם',
  ])('is shown as it is: %s', (text) => {
    expect(visible(text)).toBe(text);
    expect(hasHidden(text)).toBe(false);
  });

  test('does not pile up marks without end', () => {
    const shown = visible(`Z${'\u0300\u0301\u0489'.repeat(300)}oe`);
    expect(shown).toMatch(/^Z\p{M}{5}\ufffdoe$/u);
  });
});
