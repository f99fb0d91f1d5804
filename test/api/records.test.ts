/** Records and lists in other forms: nothing of them is lost, whatever the names of their fields. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { KeyedItems, keyedList, recordOf } from '../../src/api/records.ts';
import { fieldAt, type JsonObject } from '../../src/model/json.ts';

const read = (text: string, names: readonly string[] = ['exams', 'data.exams'], limit = 1000) => {
  const reader = new KeyedItems(names, 'id', limit);
  for (const byte of Buffer.from(text)) reader.push(Buffer.from([byte]));
  return { items: reader.end(), siblings: reader.siblings };
};

describe('a list that is a map by ID', () => {
  test.each<[string, unknown[], unknown]>([
    ['{}', [], undefined],
    ['[]', [], undefined],
    [
      '{"12":{"name":"A"},"x":{"name":"B"}}',
      [
        { id: 12, name: 'A' },
        { id: 'x', name: 'B' },
      ],
      undefined,
    ],
    ['{"12":{"id":"a-12"}}', [{ id: 'a-12' }], undefined],
    ['{"007":{}}', [{ id: '007' }], undefined],
    ['{"exams":{"12":{}},"total":1}', [{ id: 12 }], { total: 1 }],
    ['{"data":{"exams":{"12":{}},"took":2}}', [{ id: 12 }], { data: { took: 2 } }],
    ['{"exams":[],"total":0}', [], { total: 0 }],
    ['{"12":{"name":"A"},"meta":{"total":9}}', [{ id: 12, name: 'A' }], { meta: { total: 9 } }],
  ])('is read: %s', (text, items, siblings) => {
    expect(read(text)).toEqual({ items, siblings });
  });

  test.each([
    '{"entries":{"12":{"name":"A"}}}',
    '{"12":{"name":"A"},"total":1}',
    '{"message":"no"}',
    '7',
    '',
    '{"12":{}',
    '{"12":{}}}',
    'null',
  ])('is refused where it is none: %j', (text) => {
    expect(() => read(text)).toThrow();
  });

  test('is refused beyond the largest answer', () => {
    expect(() => read(`{"12":{"name":"${'x'.repeat(2000)}"}}`)).toThrow(/too large to be read/);
  });
});

describe('a record', () => {
  const dialect = { ...defaultDialect, recordKeys: 'attributes,student', examIdKey: 'exam_id', sessionIdKey: 'session_id' };

  test('has the fields of its inner objects, and keeps what is there twice', () => {
    const item = { id: 1, name: 'own', attributes: { name: 'inner', email: 'a@example.org' }, student: { id: 7 } };
    expect(recordOf(item, 'session', dialect)).toEqual({
      id: 1,
      name: 'own',
      email: 'a@example.org',
      attributes: { name: 'inner' },
      student: { id: 7 },
    });
  });

  test('has its ID under the one name, and names its exam as before', () => {
    expect(recordOf({ session_id: 5, exam_id: 2 }, 'session', dialect)).toEqual({ id: 5, session_id: 5, exam_id: 2 });
    expect(recordOf({ exam_id: 2 }, 'exam', dialect)).toEqual({ id: 2, exam_id: 2 });
    expect(recordOf({ id: 9, exam_id: 2 }, 'exam', dialect)).toEqual({ id: 9, exam_id: 2 });
    expect(recordOf({ exam_id: 2 }, 'proctor', dialect)).toEqual({ exam_id: 2 });
  });

  test('loses nothing, whatever its fields are called', () => {
    const leaves = (value: unknown): string[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [JSON.stringify(value)];
    const key = fc.oneof(fc.constantFrom('attributes', 'student', 'id', '__proto__', 'constructor', 'name'), fc.string());
    const scalars = fc.dictionary(key, fc.integer());
    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(fc.integer(), scalars)), (item) => {
        const parsed = JSON.parse(JSON.stringify(item)) as JsonObject;
        expect(leaves(recordOf(parsed, 'user', dialect)).sort()).toEqual(leaves(parsed).sort());
      }),
    );
  });
});

test('a path leads to a field of an object, and a field of that very name comes first', () => {
  expect(fieldAt({ exam: { id: 3 } }, 'exam.id')).toBe(3);
  expect(fieldAt({ 'exam.id': 4, exam: { id: 3 } }, 'exam.id')).toBe(4);
  expect(fieldAt({ exam: 3 }, 'exam.id')).toBeUndefined();
  expect(fieldAt({}, 'toString')).toBeUndefined();
  expect(keyedList({ constructor: {} }, ['toString'], 'id')?.items).toEqual([{ id: 'constructor' }]);
});
