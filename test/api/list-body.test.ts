/** The two ways to read a list: they agree, and what is no list is refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { arrayItems, listIn, NotAList } from '../../src/api/list-body.ts';
import { parseJson } from '../../src/model/json.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function itemsOf(text: string, size: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { items } of arrayItems(inPieces(text, size))) all.push(...items);
  return all;
}

describe('An array that arrives in pieces', () => {
  const value = fc.oneof(fc.jsonValue(), fc.record({ id: fc.nat(), email: fc.string() }));

  test('has the items that a parser finds, wherever it is cut.', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 2),
        async (items, size, indent) => {
          const text = JSON.stringify(items, undefined, indent);
          expect(await itemsOf(text, size)).toEqual(parseJson(text));
        },
      ),
    );
  });

  test('is refused where a parser refuses it, however it is broken and cut.', async () => {
    const broken = fc
      .tuple(fc.array(value, { maxLength: 4 }), fc.nat(), fc.constantFrom('', ',', ']', '[', '"', '}', ' x'))
      .map(([items, at, piece]) => {
        const text = JSON.stringify(items);
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + (piece === '' ? 1 : 0));
      });
    const isArray = (text: string) => {
      try {
        return Array.isArray(JSON.parse(text));
      } catch {
        return false;
      }
    };
    await fc.assert(
      fc.asyncProperty(broken, fc.integer({ min: 1, max: 20 }), async (text, size) => {
        const read = itemsOf(text, size);
        if (isArray(text)) expect(await read).toEqual(parseJson(text));
        else await expect(read).rejects.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  test.each(['[1,,2]', '[,1]', '[1,]', '[1] ]', '[1', '', '{"a":[1]}', '\ufeff [1]'])('%j', async (text) => {
    const read = itemsOf(text, 1);
    if (text.startsWith('\ufeff')) expect(await itemsOf(text, 40)).toEqual([1]);
    else await expect(read).rejects.toThrow();
    await read.catch(() => {});
  });
});

describe('The list in a body', () => {
  const found = (body: Parameters<typeof listIn>[0], wrapperKeys: string = defaultDialect.wrapperKeys) =>
    listIn(body, 'session', { wrapperKeys });

  test.each<[Parameters<typeof listIn>[0], unknown[], number]>([
    [[1], [1], 0],
    [{ student_sessions: [1] }, [1], 1],
    [{ data: { students: [1] }, took: 2 }, [1], 2],
    [{ data: [1], student_sessions: [] }, [1], 1],
    [{ data: [], items: [] }, [], 1],
  ])('is found: %j', (body, items, envelopes) => {
    const listed = found(body);
    expect([listed?.items, listed?.envelopes.length]).toEqual([items, envelopes]);
  });

  test.each([undefined, null, 7, 'x', {}, { rows: [1] }, { exams: [1] }, { data: { rows: [1] } }])('is not found: %j', (body) => {
    expect(found(body)).toBeUndefined();
  });

  test('is refused where there are two, unless its field is declared.', () => {
    const two = { students: [1], student_sessions: [2] };
    expect(() => found(two)).toThrow(NotAList);
    expect(found(two, 'student_sessions,data')?.items).toEqual([2]);
    expect(found({ payload: { rows: [3] }, data: [1] }, 'payload.rows')?.items).toEqual([3]);
  });
});
