/** Names that stand twice are found in any JSON text; where none does, none is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatedField, shownPath } from '../../src/model/json-fields.ts';

test('no JSON that was written from a value has a name twice', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(repeatedField(JSON.stringify(value, undefined, indent))).toBeUndefined();
    }),
  );
});

test('a name that is written a second time is found at its place, whatever stands around it', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, noNullPrototype: true }),
      fc.nat(),
      (object, index) => {
        const name = Object.keys(object)[index % Object.keys(object).length] ?? '';
        const before = `[0, {"deep": ${JSON.stringify(object).slice(0, -1)}, `;
        const found = repeatedField(`${before}${JSON.stringify(name)}: null}}]`);
        expect(found).toEqual({ path: [1, 'deep', name], offset: before.length });
      },
    ),
  );
});

test('the same name in two objects, in a text or as a value is no repetition', () => {
  expect(
    repeatedField('{"a": {"b": 1}, "c": {"b": 2}, "d": [{"b": 1}, {"b": "b"}], "e": "{\\"a\\": 1, \\"a\\": 2}", "b": 3}'),
  ).toBeUndefined();
  expect(repeatedField('7')).toBeUndefined();
});

test('a path is shown as it is written in programs', () => {
  expect(shownPath(['faults', 0, 'rate'])).toBe('faults[0].rate');
});
