/** Small lists are parsed at once. The law: the result is that of the careful way, or none. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonItems } from '../../src/api/json-items.ts';
import { heldBack, smallList } from '../../src/api/small-list.ts';
import { deepestJson, type Json, parseJson, stringifyJson } from '../../src/model/json.ts';

function carefully(bytes: Buffer): Json[] {
  const list = new JsonItems([], { item: 1e6, head: 1e6 });
  const items = list.push(bytes);
  list.end();
  return items;
}

const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: 1n << 53n, max: 1n << 90n }),
  fc.constantFrom('1e400', '1e-400', '0e-7', '1.5E+3', '0.10000000000000000000001', '2.0', '-0', '123456789012345.6e1').map(parseJson),
);
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('1e5', '12345678901234567890', '}', ']', '\\'));
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    numbers as fc.Arbitrary<Json>,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('id', 'email', 'a b', 'ü', '1'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }) as fc.Arbitrary<Json>,
  ),
}));

describe('a list that is parsed at once', () => {
  test('has the items of the careful way, with each digit, in their order', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), fc.constantFrom(undefined, 2), (items, spaces) => {
        const bytes = Buffer.from(stringifyJson(items, spaces));
        const found = smallList(bytes);
        expect(found?.text).toBe(bytes.toString());
        expect(stringifyJson(found?.items)).toBe(stringifyJson(carefully(bytes)));
      }),
    );
  });

  test.each(['1e400', '1e-400', '-2E+999', '12345678901234567890', '0.12345678901234567'])('keeps the number %s alone', (number) => {
    expect(stringifyJson(smallList(Buffer.from(`[{"a":${number}}]`))?.items)).toBe(`[{"a":${number}}]`);
  });

  test('keeps numbers that JavaScript would round, and the last of two equal keys', () => {
    const written = '[{"a":12345678901234567890,"b":1e400,"c":1e-400,"d":1.00000000000000000001,"e":1,"e":9007199254740993}]';
    expect(stringifyJson(smallList(Buffer.from(written))?.items)).toBe(written.replace('"e":1,', ''));
  });

  const nested = (levels: number) => `[${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}]`;
  test.each([
    ['cut short', '[{"id":1}'],
    ['continued behind its end', '[{"id":1}]]'],
    ['with a stray comma', '[{"id":1},]'],
    ['nested too deeply', nested(deepestJson + 1)],
    ['nested far too deeply, with a number that takes care', nested(100_000).replace('1', '1e400')],
    ['wrapped', '{"data":[{"id":1}]}'],
    ['empty', ''],
  ])('is none if it is %s', (_, written) => {
    expect(smallList(Buffer.from(written))).toBeUndefined();
  });

  test('may be nested as deep as any', () => {
    expect(smallList(Buffer.from(nested(deepestJson)))?.items).toHaveLength(1);
  });

  test('is none if it is not UTF-8', () => {
    expect(smallList(Buffer.from([...Buffer.from('[{"name":"'), 0xe9, ...Buffer.from('"}]')]))).toBeUndefined();
  });
});

describe('a body that is held back', () => {
  async function arriving(chunks: readonly string[], most: number, failure?: Error) {
    let progress = 0;
    async function* body() {
      for (const chunk of chunks) yield Buffer.from(chunk);
      if (failure) throw failure;
    }
    const pieces: [text: string, whole: boolean][] = [];
    let error: unknown;
    try {
      for await (const { bytes, whole } of heldBack({ body: body(), progress: () => (progress += 1) }, most))
        pieces.push([String(bytes), whole]);
    } catch (caught) {
      error = caught;
    }
    return { pieces, progress, error };
  }

  test('is one piece if it is an array of objects and small enough', async () => {
    expect((await arriving(['[{"id"', ':1},', '{"id":2}]'], 19)).pieces).toEqual([['[{"id":1},{"id":2}]', true]]);
    expect((await arriving([' [\n{"id"', ':1}', ']'], 100)).pieces).toEqual([[' [\n{"id":1}]', true]]);
    expect((await arriving(['[]'], 100)).pieces).toEqual([['[]', true]]);
  });

  test('comes as it arrives, and whole, beyond its limit', async () => {
    expect((await arriving(['[{"id"', ':1},', '{"id":2}]'], 12)).pieces).toEqual([
      ['[{"id"', false],
      [':1},', false],
      ['{"id":2}]', false],
    ]);
  });

  test.each(['{"data":[{}]}', '[1,{}]', '["a"]', '', '<html>', 'x[{}]'])('comes as it arrives if it begins otherwise: %j', async (text) => {
    expect((await arriving([text], 100)).pieces).toEqual([[text, false]]);
  });

  test('comes before the error that ends it', async () => {
    const failure = new Error('broken');
    const { pieces, error } = await arriving(['[{"id":1},', '{"id'], 100, failure);
    expect(pieces).toEqual([
      ['[{"id":1},', false],
      ['{"id', false],
    ]);
    expect(error).toBe(failure);
  });

  test('makes progress with each piece in which an object ends, and no other', async () => {
    expect((await arriving(['[{"', 'i', 'd":', '1},{"id":2}', ',{"id":3', '}', ']'], 100)).progress).toBe(2);
  });

  test('is not held back at all if nothing may be held', async () => {
    expect((await arriving(['[{"id":1}]'], 0)).pieces).toEqual([['[{"id":1}]', false]]);
  });
});
