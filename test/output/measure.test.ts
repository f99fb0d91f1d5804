/** How wide texts are: whatever the shorter way says has to be what the tables of Unicode say. */
import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { clip, measureFor } from '../../src/output/measure.ts';

test('Every character is as wide as the tables of Unicode have it, alone and with a neighbour.', async () => {
  const wrong: string[] = [];
  for (let code = 0; code < 0x10000; code += 1) {
    const character = String.fromCharCode(code);
    const text = code % 2 === 0 ? character : `${character}é語`;
    if ((await measureFor([text]))(text) !== stringWidth(text)) wrong.push(text);
  }
  expect(wrong).toEqual([]);
});

const simple = fc.string({ unit: fc.constantFrom(...'aZ 9ßéčŁŉ©®ΩσЖѣ—“”…のカ漢字한글') });

test('Texts of any kind are measured as the tables of Unicode have it, whatever stands beside them.', async () => {
  const texts = fc.array(fc.oneof(fc.string(), simple, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), { maxLength: 5 });
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
