/** The items of a JSON array, found while it arrives, for rosters. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closesArray, JsonArrayScan } from '../../../src/roster/read/json-array.ts';

/** The texts between the separators of an array, which comes in chunks of so many bytes. */
function pieces(text: string, size: number): string[] {
  const bytes = Buffer.from(text);
  const scan = new JsonArrayScan();
  const found: string[] = [];
  let begun: Buffer[] = [];
  for (let start = 1; start < bytes.length; start += size) {
    const chunk = bytes.subarray(start, start + size);
    for (let from = 0; ; ) {
      const at = scan.next(chunk, from);
      begun.push(chunk.subarray(from, at));
      if (at === chunk.length) break;
      found.push(Buffer.concat(begun).toString());
      begun = [];
      if (closesArray(chunk, at)) return found;
      from = at + 1;
    }
  }
  throw new Error(`no end after ${found.length}`);
}

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\\"', ']', '},{', ',', '[{"', '\u2028'));
const value = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(text, fc.array(text, { maxLength: 3 }), { maxKeys: 3, noNullPrototype: true }),
);

test('Each item is found whole, whatever its strings hold and wherever the array is cut.', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 60 }), (items, size) => {
      const texts = items.map((item) => JSON.stringify(item));
      expect(pieces(`[${texts.join(',')}]`, size)).toEqual(texts);
    }),
  );
});
