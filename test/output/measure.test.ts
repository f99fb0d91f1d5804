/** How wide texts are: whatever the shorter way says has to be what the tables of Unicode say. */
import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { clip, measureFor } from '../../src/output/cell.ts';
import { wrapped } from '../../src/output/stderr.ts';
import { anyCharacters } from '../support/any-characters.ts';

test('Every character is as wide as the tables of Unicode have it, alone and with a neighbour.', async () => {
  const wrong: string[] = [];
  // Ideographs, Hangul and private characters are alike in their blocks.
  const isAlike = (code: number) => (code > 0x4e00 && code < 0xd7a0) || (code > 0xe000 && code < 0xf8f0);
  for (let code = 0; code < 0x10000; code += isAlike(code) ? 7 : 1) {
    const character = String.fromCharCode(code);
    const text = code % 2 === 0 ? character : `${character}é語`;
    if ((await measureFor([text]))(text) !== stringWidth(text)) wrong.push(text);
  }
  expect(wrong).toEqual([]);
});

const simple = fc.string({ unit: fc.constantFrom(...'aZ 9ßéčŁŉ©®ΩσЖѣ—“”…のカ漢字한글') });

test('Texts of any kind are measured as the tables of Unicode have it, whatever stands beside them.', async () => {
  const texts = fc.array(fc.oneof(fc.string(), simple, fc.string({ unit: 'grapheme' }), anyCharacters), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(texts, async (all) => {
      expect(all.map(await measureFor(all))).toEqual(all.map((text) => stringWidth(text)));
    }),
  );
});

test('A text is never wider than what it is shortened to.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), async (text, width) => {
      const measure = await measureFor([text]);
      expect(stringWidth(clip(text, width, measure))).toBeLessThanOrEqual(width);
      if (stringWidth(text) <= width) expect(clip(text, width, measure)).toBe(text);
    }),
  );
});

const wordsOf = (text: string) => text.split(/[ \n]+/).filter((word) => word !== '');

test('A message is broken between its words only, none of its lines is wider than the terminal, and no word is lost.', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abc.,;:()é語'), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 40, max: 120 }), (words, width) => {
      const text = words.join(' ');
      const lines = wrapped(text, width).split('\n');
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(wordsOf(lines.join(' '))).toEqual(wordsOf(text));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['hint: Undo it with: proctor-cli runs undo 5', 'hint: Undo it with: proctor-cli runs undo 5'],
  [
    'hint: Then send what is left with: proctor-cli runs resume 20261127T071211-abc',
    'hint: Then send what is left with:\nproctor-cli runs resume 20261127T071211-abc',
  ],
  [
    "Look: proctor-cli sessions list --exam 5 --email 'anna maria' --status registered; then report it to the colleague",
    "Look:\nproctor-cli sessions list --exam 5 --email 'anna maria' --status registered;\nthen report it to the colleague",
  ],
  ...[
    'export PROCTOR_CONFIG_DIR=/srv/office/proctor-cli',
    "$env:PROCTOR_CONFIG_DIR = 'D:/office of exams'",
    'set "PROCTOR_CONFIG_DIR=D:/office of the exams"',
    'unset PROCTOR_PROTECT_RUNNING_EXAMS_IN_A_SHELL',
    'Remove-Item Env:PROCTOR_PROTECT_RUNNING_EXAMS',
    'mv /home/ada/config.json /home/ada/config.broken',
  ].map((command) => [`hint: Now: ${command}`, `hint: Now:\n${command}`]),
  ['1\n  proctor-cli exams get 1\n3', '1\n  proctor-cli exams get 1\n3'],
])('A command that a message names can be pasted, however wide the terminal is: %s', (text, lines) => {
  expect(wrapped(text, 48)).toBe(lines);
});

test('Foreign words in the middle of a message never begin a line as if they were ours.', () => {
  for (const width of [12, 20, 30, 40])
    for (const space of [' ', '\u00a0', '\u2003'])
      expect(wrapped(`error: The service says error: LURE${space.repeat(9)}hint: LURE and more.`, width)).not.toMatch(
        /\n(error|warning|hint):/,
      );
});
