/** Records as commands read them: out of their wrapper, with the ID under `id`. */
import { expect, test } from 'vitest';
import { unwrap, unwrapItem } from '../../src/api/answer.ts';
import { defaultDialect } from '../../src/api/dialect.ts';
import { operations } from '../../src/api/operations.ts';

const dialect = { ...defaultDialect, idKey: 'uid' };

test.each([
  [{ uid: 5, name: 'a' }],
  [{ uid: 5, name: 'a', id: 'another' }],
  [{ exam: { uid: 5, name: 'a' } }],
  [{ data: { uid: 5, name: 'a' } }],
])('a record shows the ID of the dialect as id: %j', (data) => {
  expect(unwrap(data, operations.getExam, dialect)).toEqual({ id: 5, uid: 5, name: 'a' });
});

test('a record without the ID of the dialect has none', () => {
  expect(unwrap({ id: 5, name: 'a' }, operations.getExam, dialect)).toEqual({ name: 'a' });
});

test.each([
  [{ exam: { id: 5 } }, { id: 5 }],
  [{ data: { id: 5 } }, { id: 5 }],
  [
    { exam: { id: 5 }, more: 1 },
    { exam: { id: 5 }, more: 1 },
  ],
  [{ student: { id: 5 } }, { student: { id: 5 } }],
  [
    { id: 7, exam: { id: 5 } },
    { id: 7, exam: { id: 5 } },
  ],
])('an item of a list is taken out of its wrapper only if nothing is beside it: %j', (item, record) => {
  expect(unwrapItem(item, operations.listExams, defaultDialect)).toEqual(record);
});
