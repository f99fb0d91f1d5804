import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lettersAndDigits } from '../../src/text/letters.ts';

test('Letters and digits are kept, of any writing, and nothing else.', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('x-total_count', 'größe (m²)', '名前')), (text) => {
      const small = text.toLowerCase();
      expect(lettersAndDigits(small)).toBe(small.replace(/[^\p{L}\p{N}]/gu, ''));
      expect(lettersAndDigits(small, ' ')).toBe(small.replace(/[^\p{L}\p{N}]+/gu, ' '));
    }),
  );
});
