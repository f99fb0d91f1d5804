/** Overlaps of sittings: all of them, and no others. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { overlapsByExam, type Sitting } from '../../../src/features/preflight/overlaps.ts';

const sittings = fc.array(
  fc.record({
    exam: fc.constantFrom('1', '2', '3', '4'),
    person: fc.constantFrom('ada', 'bo', 'cy'),
    id: fc.constant('9'),
    from: fc.integer({ min: 0, max: 20 }),
    to: fc.integer({ min: 0, max: 20 }),
  }),
  { maxLength: 20 },
);

const meet = (a: Sitting, b: Sitting) =>
  a.person === b.person && a.exam !== b.exam && a.from < a.to && b.from < b.to && a.from < b.to && b.from < a.to;

test('two sittings of one person in different exams overlap if they share a moment; each exam is told', () => {
  fc.assert(
    fc.property(sittings, (all) => {
      const found = overlapsByExam(all);
      const expected = all.flatMap((own) => all.filter((other) => meet(own, other)).map((other) => ({ own, other })));
      const told = [...found].flatMap(([exam, overlaps]) => {
        expect(overlaps.every(({ own }) => own.exam === exam)).toBe(true);
        return overlaps;
      });
      expect(told).toHaveLength(expected.length);
      expect(told).toEqual(expect.arrayContaining(expected));
    }),
  );
});

test('one exam that begins when the other ends is no overlap', () => {
  const sitting = { person: 'ada', id: '9' };
  expect(
    overlapsByExam([
      { ...sitting, exam: '1', from: 0, to: 10 },
      { ...sitting, exam: '2', from: 10, to: 20 },
    ]).size,
  ).toBe(0);
});
