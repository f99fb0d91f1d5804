import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Entries, type Entry } from '../../../src/roster/map/entries.ts';
import { FirstSeen, PackedTexts } from '../../../src/roster/map/packed.ts';

test('packed texts come out as they went in, also those larger than a block', () => {
  const texts = ['', 'ü𝄞', 'x'.repeat(3 << 20), ...Array.from({ length: 3000 }, (_, index) => `text ${index} `.repeat(80)), 'end'];
  const packed = new PackedTexts();
  for (const text of texts) packed.add(text);
  expect(packed.length).toBe(texts.length);
  expect(texts.every((text, index) => packed.at(index) === text)).toBe(true);
  expect(packed.at(texts.length)).toBeUndefined();
});

test('a text is known again, and only it, however many there are', () => {
  const seen = new FirstSeen();
  const known = new Map<string, number>();
  for (let place = 0; place < 20_000; place++) {
    const text = `student.${(place * 7919) % 15_000}`;
    expect(seen.before(text, place)).toBe(known.get(text));
    if (!known.has(text)) known.set(text, place);
  }
});

test('entries come out as they went in', () => {
  const text = fc.string({ unit: 'grapheme' }).map((one) => one.toWellFormed());
  const time = fc.integer({ min: 0, max: 253402300799999 });
  const rest = { email: text, name: text, open_time: time, close_time: time, skip_requirements: fc.boolean() };
  const entry = fc.record({ row: fc.nat(), line: fc.nat(), exam: fc.nat(3), ...rest }, { requiredKeys: ['row', 'line', 'exam'] });
  fc.assert(
    fc.property(fc.array(entry), (all) => {
      const entries = new Entries();
      for (const one of all) entries.add(one as Entry);
      expect([...entries]).toEqual(all);
      for (const exam of [0, 1, 2, 3]) expect([...entries.ofExam(exam)]).toEqual(all.filter((one) => one.exam === exam));
    }),
  );
});
