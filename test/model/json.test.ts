import { describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/model/json.ts';

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
