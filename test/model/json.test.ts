import { describe, expect, test } from 'vitest';
import { fieldAt, parseJson, stringifyJson } from '../../src/model/json.ts';

describe('JSON', () => {
  test.each([16, 17, 31, 32, 40])('keeps each of %i digits, wherever in the text they stand.', (length) => {
    const digits = '9'.repeat(length);
    for (let before = 0; before < 40; before += 1) {
      const text = `["${'a'.repeat(before)}",${digits},7]`;
      expect(stringifyJson(parseJson(text))).toBe(text);
    }
  });

  test('keeps digits in strings and small numbers unchanged.', () => {
    const value = { card: '1234567890123456789', id: 9007199254740991, share: 0.1234567890123456 };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });
});

test('a path leads to a field of an object, and a field of that very name comes first', () => {
  expect(fieldAt({ exam: { id: 3 } }, 'exam.id')).toBe(3);
  expect(fieldAt({ 'exam.id': 4, exam: { id: 3 } }, 'exam.id')).toBe(4);
  expect(fieldAt({ exam: 3 }, 'exam.id')).toBeUndefined();
  expect(fieldAt({}, 'toString')).toBeUndefined();
});
