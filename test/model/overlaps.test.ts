/** Overlaps of exams: every pair of sittings of one person that share time, and no other. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { overlapsIn, type Sitting, studentWindow } from '../../src/model/overlaps.ts';

const sitting = fc.record({
  exam: fc.constantFrom('1', '2', '3', '4'),
  person: fc.constantFrom('ada', 'bob'),
  name: fc.constant('Ada'),
  from: fc.integer({ min: 0, max: 20 }),
  to: fc.integer({ min: 0, max: 20 }),
});
const pair = (a: Sitting, b: Sitting, all: readonly Sitting[]) => [all.indexOf(a), all.indexOf(b)].sort((x, y) => x - y).join('-');

test('each pair of sittings of one person in different exams that share time is found once', () => {
  fc.assert(
    fc.property(fc.array(sitting, { maxLength: 12 }), (all) => {
      const expected = all.flatMap((a, index) =>
        all.slice(index + 1).flatMap((b) => {
          const shared = Math.min(a.to, b.to) - Math.max(a.from, b.from);
          const both = a.person === b.person && a.exam !== b.exam && a.from < a.to && b.from < b.to;
          return both && shared > 0 ? [pair(a, b, all)] : [];
        }),
      );
      const found = overlapsIn(all);
      expect(found.map(({ own, other }) => pair(own, other, all)).sort()).toEqual(expected.sort());
      for (const { own, other } of found) expect(own.from).toBeLessThanOrEqual(other.from);
    }),
    { numRuns: 500 },
  );
});

describe('an exam takes up a student', () => {
  const exam = { start: 100, end: 200 };
  const window = (opens?: number, closes?: number) => studentWindow(exam, { opens, closes });

  test.each([
    ['from its start to its end', [], { from: 100, to: 200 }],
    ['from a later opening', [150], { from: 150, to: 200 }],
    ['not before it starts, however early the check opens', [50], { from: 100, to: 200 }],
    ['until a later close time', [undefined, 250], { from: 100, to: 250 }],
    ['until its end, though the close time for starting is earlier', [undefined, 120], { from: 100, to: 200 }],
    ['at its own time, where the opening is left over from another one', [300], { from: 100, to: 200 }],
  ])('%s', (_what, [opens, closes], taken) => {
    expect(window(opens, closes)).toEqual(taken);
  });

  test('for an unknown time, where it shows no start or no end', () => {
    expect(studentWindow({ start: 100, end: undefined }, { opens: 120, closes: 130 })).toBeUndefined();
    expect(studentWindow({ start: undefined, end: 200 }, { opens: undefined, closes: undefined })).toBeUndefined();
  });
});
