import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/command.ts';
import { formats } from '../../src/output/formats.ts';
import { list, one, paper, sessionColumns, show } from './paper.ts';

const rows: Row[] = [
  { id: 1, name: 'Ann', address: { city: 'Wien', zip: 1010 }, tags: ['a'] },
  { id: 2, name: 'Bob', 'address.city': 'Graz', level_of_suspicion: 2 },
];
const chosen = async (columns: string, format: (typeof formats)[number]) =>
  (await show(list(rows, sessionColumns), format, paper(), { columns })).text;

describe('--columns', () => {
  test('picks the same fields in every format, in the order given', async () => {
    expect(await chosen('address.city, id', 'table')).toBe('ADDRESS.CITY  ID\nWien          1\nGraz          2\n');
    expect(await chosen('address.city,id', 'csv')).toBe('address.city,id\r\nWien,1\r\nGraz,2\r\n');
    expect(await chosen('address.city,id', 'json')).toBe('[{"address.city":"Wien","id":1},{"address.city":"Graz","id":2}]\n');
    expect(await chosen('address.city,id,id,', 'ndjson')).toBe('{"address.city":"Wien","id":1}\n{"address.city":"Graz","id":2}\n');
  });

  test('omits from an object the fields missing from the row', async () => {
    expect(await chosen('id,address.zip,tags', 'json')).toBe('[{"id":1,"address.zip":1010,"tags":["a"]},{"id":2}]\n');
  });

  test('shows a declared column in the words of the command, also one that no row has', async () => {
    expect(await chosen('id,level_of_suspicion,skip_requirements', 'table')).toBe(
      'ID  SUSPICION  SKIP REQUIREMENTS\n1   -          -\n2   2 of 3     -\n',
    );
  });

  test('shows the chosen fields of one resource, and no others', async () => {
    const { text } = await show(one(rows[0] as Row, sessionColumns, 'name'), 'table', paper(), { columns: 'name,address.zip' });
    expect(text).toBe('Name         Ann\nAddress.zip  1010\n');
  });

  test.each(formats)('refuses nothing in %s when the list is empty', async (format) => {
    const stdout = paper();
    await show(list([], sessionColumns), format, stdout, { columns: 'whatever' });
    expect(stdout.writes.join('')).toBe({ table: '', json: '[]\n', ndjson: '', csv: 'whatever\r\n', id: '' }[format]);
  });

  test('does not take what every object has for a column', async () => {
    await expect(chosen('constructor', 'json')).rejects.toMatchObject({ code: 'usage' });
    await expect(chosen('name.length', 'json')).rejects.toMatchObject({ code: 'usage' });
  });

  test('names the field of a heading that was typed', async () => {
    await expect(chosen('Suspicion', 'table')).rejects.toMatchObject({ hint: expect.stringContaining('Did you mean level_of_suspicion?') });
  });

  test('needs at least one name', async () => {
    await expect(chosen(' , ', 'json')).rejects.toMatchObject({ code: 'usage', message: 'The option --columns names no column.' });
  });

  test('finds a field of a stream that only a later row has, and then shows all rows', async () => {
    const stream = Array.from({ length: 900 }, (_, id) => (id === 800 ? { id, late: 'x' } : { id }));
    const { text } = await show(list(stream), 'ndjson', paper(), { columns: 'id,late' });
    expect(text.split('\n').length).toBe(901);
    expect(text).toContain('{"id":800,"late":"x"}\n{"id":801}\n');
  });

  test('gives a stream up when its first thousand rows lack the column, having written nothing', async () => {
    let given = 0;
    function* endless() {
      for (;;) yield { id: given++ };
    }
    const stdout = paper();
    await expect(show(list(endless()), 'csv', stdout, { columns: 'idd' })).rejects.toMatchObject({
      hint: expect.stringContaining('Did you mean id?'),
    });
    expect([given, stdout.writes]).toEqual([1000, []]);
  });

  test('of a live result decides by the first row, as nobody knows when the next one comes', async () => {
    async function* moments() {
      yield { rows: [{ id: 1 }] };
      throw new Error('the watch went on');
    }
    const live = { kind: 'live', moments: moments(), columns: [], drawing: () => Promise.reject(), stop() {} } as const;
    await expect(show(live, 'ndjson', paper(), { columns: 'idd' })).rejects.toMatchObject({ code: 'usage' });
  });
});

test('--columns help lists all fields of the answer', async () => {
  const { text } = await show(list(rows, sessionColumns.slice(0, 2)), 'table', paper(), { columns: 'help' });
  const names = ['NAME', 'id', 'name', 'address', 'address.city', 'address.zip', 'tags', 'level_of_suspicion'];
  expect(text).toBe(names.map((name) => `${name}\n`).join(''));
});
