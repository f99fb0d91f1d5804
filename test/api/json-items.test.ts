/** A list split into items while it arrives. The law: chunks make no difference, and an incomplete list is an error. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonItems, NotAList } from '../../src/api/json-items.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../src/model/json.ts';

const names = ['exams', 'data'];

function read(bytes: Buffer, cuts: readonly number[]): { items: Json[]; siblings: JsonObject | undefined } {
  const list = new JsonItems(names, { item: 1e6, head: 1e6 });
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const items = edges.slice(1).flatMap((edge, index) => list.push(bytes.subarray(edges[index], edge)));
  list.end();
  return { items, siblings: list.siblings };
}

/** Each byte alone. */
const everywhere = (bytes: Buffer) => Array.from({ length: bytes.length }, (_, index) => index);

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"', '\\', '\\"', ']', '[', '},{', ',', '\u2028', '😀', 'ü', '\u0000', '{"exams":[', '\\u0022'),
);
// Node 26's JSON.parse takes any escaped key of one character for "\\" once it has seen an object with that key.
const key = text.filter((name) => !['__proto__', '\\', ...names].includes(name));
const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt({ min: 1n << 53n, max: 1n << 90n }),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));
const siblings = fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true });
const cuts = fc.array(fc.nat(), { maxLength: 12 });
const indent = fc.constantFrom(undefined, 1, 2);

/** JSON text as it would come back, -0 and all. */
const plain = (item: unknown) => parseJson(stringifyJson(item));

describe('a list that is whole comes out equal', () => {
  test('bare, in any spelling and any chunks', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), indent, cuts, (items, spaces, at) => {
        const bytes = Buffer.from(stringifyJson(items, spaces));
        expect(read(bytes, at)).toEqual({ items: plain(items), siblings: undefined });
      }),
    );
  });

  test('wrapped, with anything before and behind it', () => {
    fc.assert(
      fc.property(
        siblings,
        fc.array(value, { maxLength: 5 }),
        siblings,
        fc.constantFrom(...names),
        indent,
        cuts,
        (before, items, behind, name, spaces, at) => {
          const { items: found, siblings: beside } = read(Buffer.from(stringifyJson({ ...before, [name]: items, ...behind }, spaces)), at);
          expect(found).toEqual(plain(items));
          expect({ ...beside, [name]: items }).toEqual({ ...(plain({ ...before, ...behind }) as JsonObject), [name]: items });
        },
      ),
    );
  });

  test('cut at every byte, inside characters and escapes', () => {
    const items = ['ü😀\u2028', 'a\\"]},[', '\u0000\n"', { 'k"[': [[], {}, [1, [2, ',']]] }, 1.5e-7, 9007199254740993n, '', null];
    for (const body of [stringifyJson(items), stringifyJson(items, 2), `\uFEFF \r\n\t${stringifyJson(items)} \n`]) {
      const bytes = Buffer.from(body);
      expect(read(bytes, everywhere(bytes)).items).toEqual(items);
      for (let cut = 0; cut <= bytes.length; cut += 1) expect(read(bytes, [cut]).items).toEqual(items);
    }
    const wrapped = { before: 'ü[]', exams: items, 'behind ü': { next: '😀' } };
    const bytes = Buffer.from(stringifyJson(wrapped));
    for (const at of [everywhere(bytes), ...everywhere(bytes).map((cut) => [cut])]) {
      expect(read(bytes, at)).toEqual({ items, siblings: { ...wrapped, exams: [] } });
    }
  });

  test('items come out as soon as they are whole', () => {
    const list = new JsonItems(names, { item: 1e6, head: 1e6 });
    expect(list.push(Buffer.from('[{"id":1},{"id"'))).toEqual([{ id: 1 }]);
    expect(list.push(Buffer.from(':2'))).toEqual([]);
    expect(list.push(Buffer.from('},'))).toEqual([{ id: 2 }]);
    expect(list.push(Buffer.from('{"id":3}]'))).toEqual([{ id: 3 }]);
    list.end();
  });
});

describe('a list that is not whole is an error', () => {
  const fails = (bytes: Buffer, at: number[] = []) => {
    try {
      read(bytes, at);
    } catch (error) {
      return error instanceof SyntaxError || error instanceof NotAList;
    }
    return false;
  };

  test('every proper prefix of every list', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), siblings, fc.boolean(), cuts, (items, beside, bare, at) => {
        const bytes = Buffer.from(stringifyJson(bare ? items : { exams: items, ...beside }));
        for (let length = 0; length < bytes.length; length += 1) expect(fails(bytes.subarray(0, length), at)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    '[1] x',
    '[1],[2]',
    '[1]]',
    '[1]}',
    '[] 0',
    '[1}',
    '[1,]',
    '[,1]',
    '[1,,2]',
    '[,]',
    '[1 2]',
    '[}{]',
    '["a" "b"]',
    '[01]',
    "['a']",
    '[NaN]',
    '[\u00a0]',
    '{"exams":[1]',
    '{"exams":[1]}}',
    '{"exams":[1]} x',
    '{"exams":[1],}',
    '{"exams":[1] "a":2}',
    '{exams:[1]}',
    '{"a" "exams":[1]}',
    '[1]\u0000',
  ])('%s, in whatever chunks', (body) => {
    const bytes = Buffer.from(body);
    expect(fails(bytes)).toBe(true);
    expect(fails(bytes, everywhere(bytes))).toBe(true);
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(fails(bytes, [cut])).toBe(true);
  });

  test.each([
    Buffer.concat([Buffer.from('["'), Buffer.from([0xff]), Buffer.from('"]')]),
    Buffer.concat([Buffer.from('{"exams":[],"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('","exams":[]}')]),
  ])('bytes that are not UTF-8 (%#)', (bytes) => {
    expect(fails(bytes)).toBe(true);
    expect(fails(bytes, everywhere(bytes))).toBe(true);
  });

  test.each([
    ['', 'an empty body'],
    ['  \n', 'an empty body'],
    ['{}', 'an object without a list (fields: )'],
    ['{"message":"no","errors":["x"]}', 'an object without a list (fields: message, errors)'],
    ['{"meta":{"exams":[1]}}', 'an object without a list (fields: meta)'],
    ['{"exams":null}', 'null in "exams"'],
    ['{"exams":"[1]"}', 'an object without a list (fields: exams)'],
    ['{"a":"exams","b":[1]}', 'an object without a list (fields: a, b)'],
    ['null', 'null instead of a list'],
    ['"[1]"', 'a single value'],
    ['12', 'a single value'],
  ])('%j is no list: %s', (body, words) => {
    expect(() => read(Buffer.from(body), [])).toThrow(expect.objectContaining({ name: 'NotAList', message: words }));
  });
});
