/** What --to writes for Excel beside the values: a column keeps its type for what is typed into it, and the header stays in sight. */
import { expect, test } from 'vitest';
import type { Column, Row } from '../../src/command.ts';
import { openPackage } from '../../src/files/office-file.ts';
import { zipped } from '../../src/output/xlsx.ts';
import { list, show } from './paper.ts';

async function written(columns: readonly Column[], rows: readonly Row[], zone: string | null = 'UTC') {
  let file = Buffer.alloc(0);
  const save = (bytes: Uint8Array) => {
    file = Buffer.from(bytes);
  };
  await show(list(rows, columns), 'xlsx', undefined, { save, origin: { service: 'S', profile: 'P', zone: zone ?? undefined, when: 0 } });
  const { parse } = await openPackage(file);
  const found: Record<string, Readonly<Record<string, string>>[]> = {};
  const keep = (path: string, attributes: Readonly<Record<string, string>>) => {
    found[path] = [...(found[path] ?? []), attributes];
  };
  await parse('xl/worksheets/data.xml', keep);
  const formats: string[] = [];
  await parse('xl/styles.xml', (path, { numFmtId = '' }) => void (path === 'cellXfs/xf' && formats.push(numFmtId)));
  const formatOf = (style: string | undefined) => formats[Number(style)];
  return {
    columns: (found['cols/col'] ?? []).map(({ style }) => formatOf(style)),
    cells: (found['row/c'] ?? []).slice(columns.length).map(({ s, t = 'n' }) => [formatOf(s), t]),
    panes: found['sheetView/pane'],
  };
}

const [general, text, minutes, seconds] = ['0', '49', '164', '165'];
const columns: readonly Column[] = [
  { key: 'id' },
  { key: 'close_time' },
  { key: 'start', as: 'day' },
  { key: 'students', as: 'count' },
  { key: 'isOpen', as: 'boolean' },
  { key: 'level_of_suspicion', as: 'suspicion' },
];

test('a column has the format of its type, for what is added to it', async () => {
  expect((await written(columns, [])).columns).toEqual([text, minutes, minutes, general, general, general]);
});

test('IDs and numbers are texts, unless they count; a time shows its seconds where it has some', async () => {
  const row = {
    id: 7,
    close_time: '2031-02-03T09:30:00Z',
    start: '2031-02-03T09:30:15Z',
    students: 12,
    isOpen: '1',
    level_of_suspicion: 2,
  };
  const { cells } = await written(columns, [row]);
  expect(cells).toEqual([
    [text, 'inlineStr'],
    [minutes, 'n'],
    [seconds, 'n'],
    [general, 'n'],
    [general, 'b'],
    [general, 'n'],
  ]);
});

test('a time of the hour that the clocks show twice, a part of a second, an unreadable one, and any without a zone are texts', async () => {
  const times = ['2031-10-26T00:30:00Z', '2031-02-03T09:30:00.5Z', 'soon', '2031-03-30T01:30:00Z'].map((close_time) => ({ close_time }));
  const one = [{ key: 'close_time' }];
  const kinds = async (zone: string) => (await written(one, times, zone)).cells.map(([, type]) => type);
  expect(await kinds('Europe/Vienna')).toEqual(['inlineStr', 'inlineStr', 'inlineStr', 'n']);
  expect((await written(one, times.slice(3), null)).cells).toEqual([[text, 'inlineStr']]);
});

test('the header stays in sight', async () => {
  expect((await written(columns, [])).panes).toMatchObject([{ ySplit: '1', state: 'frozen' }]);
});

test('what no workbook can hold is refused', async () => {
  await expect(written([{ key: 'name' }], [{ name: 'x'.repeat(32_768) }])).rejects.toMatchObject({ code: 'output_failed' });
  expect((await written([{ key: 'name' }], [{ name: 'x'.repeat(32_767) }])).cells).toHaveLength(1);
});

test('the archive is byte for byte the same each time, as the strictest reader wants it', () => {
  const about = '1400 0008 0800 0000 2100 43beb7e8 03000000 01000000 0100 0000';
  const directory = `504b0102 1400 ${about} 0000 0000 0000 00000000 00000000 61`;
  const expected = `504b0304 ${about} 61 4b0400 ${directory} 504b0506 0000 0000 0100 0100 2f000000 22000000 0000`;
  expect(Buffer.from(zipped({ a: 'a' })).toString('hex')).toBe(expected.replaceAll(' ', ''));
});
