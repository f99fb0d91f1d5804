/** The assumptions about the service, as values of the types that their choices give. */
import { expect, test } from 'vitest';
import { assumptions, defaultDialect, dialectChoices, dialectKeys, dialectOf } from '../../src/api/dialect.ts';

test('A profile overrides the defaults, and nothing else.', () => {
  expect(dialectOf({ timeFormat: 'epoch-s', idKey: 'exam_id', idkey: 'x', paging: undefined })).toEqual({
    ...defaultDialect,
    timeFormat: 'epoch-s',
    idKey: 'exam_id',
  });
});

test('There are no more settings than a person can read in one go.', () => {
  expect(dialectKeys.length).toBeLessThanOrEqual(24);
});

test.each(dialectKeys.filter((key) => dialectChoices(key)))('%s is always one of its choices.', (key) => {
  const choices = dialectChoices(key) ?? [];
  expect(choices).toContain(assumptions[key].default);
  expect(choices.map((choice) => dialectOf({ [key]: choice })[key])).toEqual(choices);
  expect(() => dialectOf({ [key]: 'another' })).toThrow(RangeError);
});
