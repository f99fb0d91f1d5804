/** Extended JSON is read as what it says; what is not clear, or no such notation, stays as it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainFields } from '../../src/model/extended-json.ts';
import type { Json } from '../../src/model/json.ts';

const oid = '507f1f77bcf86cd799439011';

test.each<[value: Json, plain: Json]>([
  [{ $oid: oid }, oid],
  [{ $uuid: '123e4567-e89b-12d3-a456-426614174000' }, '123e4567-e89b-12d3-a456-426614174000'],
  [{ $date: '2027-02-01T09:00:00Z' }, '2027-02-01T09:00:00Z'],
  [{ $date: 1_801_472_400_000 }, '2027-02-01T09:00:00.000Z'],
  [{ $date: { $numberLong: '1801472400000' } }, '2027-02-01T09:00:00.000Z'],
  // The notation counts in milliseconds: this is in January 1970, and no guess at seconds.
  [{ $date: 1_801_472_400 }, '1970-01-21T20:24:32.400Z'],
  [{ $numberInt: '2' }, 2],
  [{ $numberDouble: '2.50' }, 2.5],
  [
    [{ $oid: oid }, 7],
    [oid, 7],
  ],
  [{ exam: { id: { $oid: oid } } }, { exam: { id: oid } }],
])('%j is %j', (value, plain) => {
  expect(plainFields({ id: 1, value })).toEqual({ id: 1, value: plain });
});

test.each<Json>([
  { $oid: 'short' },
  { $oid: oid, more: 1 },
  { $date: '2027-02-01T09:00' },
  { $date: 'soon' },
  { $date: 1.5 },
  { $date: 1e300 },
  { $numberLong: '1e3' },
  { $numberDouble: 'NaN' },
  { $regex: '.*' },
  { $date: null },
  { oid },
  {},
  [],
])('%j stays as it is', (value) => {
  const record = { id: 1, value };
  expect(plainFields(record)).toBe(record);
});

test('a long number keeps every digit', () => {
  expect(plainFields({ value: { $numberLong: '9223372036854775807' } })).toEqual({ value: 9223372036854775807n });
});

test('a record without the notation is the same object, whatever it holds', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true }), (record) => {
      fc.pre(!JSON.stringify(record).includes('"$'));
      expect(plainFields(record as Record<string, Json>)).toBe(record);
    }),
  );
});

test('a field of the name __proto__ stays a field', () => {
  const record = JSON.parse(`{"__proto__": {"a": {"$oid": "${oid}"}}}`);
  expect(JSON.stringify(plainFields(record))).toBe(`{"__proto__":{"a":"${oid}"}}`);
});
