import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonItems } from '../../../src/roster/read/json-roster.ts';
import { placeOf } from '../../../src/roster/read/source-table.ts';
import { inPortions, opened, read, refusal, rowsOf } from './roster.ts';

describe('rosters nested without end', () => {
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  test.each([`[{"email":${nested}}]`, `{"email":${nested}}\n`, `[{"email":${nested},"n":12345678901234567890}]`])(
    'are refused',
    async (text) => {
      expect((await refusal(read(text))).message).toContain('nested too deep');
    },
  );
});

describe('JSON', () => {
  test('is an array of objects; a key of any of them is a column', async () => {
    const { header, cells, lines, format } = await read(
      '[\n  {"email":"ann@example.org","name":null},\n  {"skip_requirements":true,"email":"ben@example.org"}\n]\n',
    );
    expect(format).toBe('JSON');
    expect(header).toEqual(['email', 'name', 'skip_requirements']);
    expect(cells).toEqual([
      ['ann@example.org', '', ''],
      ['ben@example.org', '', 'true'],
    ]);
    expect(lines).toEqual([2, 3]);
  });

  test('may be written without a line break: the item says which one it is', async () => {
    const table = await opened('[{"email":"ann@example.org"},{"email":"ben@example.org"}]');
    const rows = await rowsOf(table);
    expect(rows.map((row) => placeOf(table, row))).toEqual(['line 1, item 1', 'line 1, item 2']);
    await table.close();
  });

  test('keeps every digit, and shows what is nested as JSON', async () => {
    expect((await read('[{"email":"a@example.org","id":12345678901234567890,"x":{"y":[1]}}]')).cells).toEqual([
      ['a@example.org', '12345678901234567890', '{"y":[1]}'],
    ]);
  });

  test.each([
    ['an item that is no object', '[{"email":"a@b.org"},\n 7]', 'stdin, line 2, column 2: not an object.'],
    ['a list of texts', '["a@b.org"]', 'stdin, line 1, column 2: not an object.'],
    [
      'an item nested without end',
      `[{"email":"a@b.org"},\n {"x":${'['.repeat(5000)}${']'.repeat(5000)}}]`,
      'stdin, line 2, column 2: invalid JSON, or nested too deep.',
    ],
    [
      'a key that stands twice in an item',
      '[{"email":"a@b.org"},\n {"email":"b@b.org","email":"c@b.org"}]',
      'stdin, line 2, column 2: "email" occurs twice in one object.',
    ],
    [
      'a key that stands twice on a line',
      '{"email":"a@b.org"}\n{"x":{"y":1,"y":2}}\n',
      'stdin, line 2, column 1: "y" occurs twice in one object.',
    ],
    ['a slip inside an item', '[{"email":"a@b.org"},\n {"email" "c"}]', 'stdin, line 2, column 2: invalid JSON, or nested too deep.'],
    ['an array that is cut off', '[{"email":"a@b.org"}', 'stdin, line 1, column 20: the array is incomplete.'],
    ['a comma too many', '[{"email":"a@b.org"},]', 'stdin, line 1, column 22: the array is incomplete.'],
    ['more behind the array', '[{"email":"a@b.org"}]\n[', 'stdin, line 2, column 1: the array is incomplete.'],
    ['an empty array', '[]', 'stdin contains no students.'],
  ])('refuses %s', async (_, text, message) => {
    expect((await refusal(read(text))).message).toBe(message);
  });

  test('is taken apart alike however it is spaced and cut into portions', async () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '[]{},', '\n'), fc.array(fc.string(), { maxLength: 3 }), fc.boolean());
    const items = fc.array(fc.dictionary(fc.constantFrom('email', 'na"me', 'x'), value), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(items, fc.nat(3), fc.integer({ min: 1, max: 40 }), async (expected, indent, size) => {
        const found: unknown[] = [];
        const text = JSON.stringify(expected, undefined, indent);
        for await (const portion of jsonItems(inPortions(text, size), 'r.json')) found.push(...portion.map((item) => item.value));
        expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 300 },
    );
  });
});

describe('NDJSON', () => {
  test('has an object on each line', async () => {
    const { format, cells, lines } = await read('{"email":"ann@example.org"}\n\n{"email":"ben@example.org"}');
    expect(format).toBe('NDJSON');
    expect(cells).toEqual([['ann@example.org'], ['ben@example.org']]);
    expect(lines).toEqual([1, 3]);
  });

  test('refuses a line that is not one, with its place', async () => {
    expect((await refusal(read('{"email":"a@b.org"}\n{"email":\n'))).message).toBe(
      'stdin, line 2, column 1: invalid JSON, or nested too deep.',
    );
  });
});
