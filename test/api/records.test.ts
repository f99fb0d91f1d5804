/** Records in other forms: nothing of them is lost, whatever the names of their fields. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { recordOf } from '../../src/api/records.ts';
import { fieldAt, type JsonObject } from '../../src/model/json.ts';

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
});
