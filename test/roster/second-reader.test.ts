/** Our reader of workbooks and another one show the same, but for what a row of `reasons` names: of any structure, and of four writers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeXlsx } from 'hucre';
import { expect, test } from 'vitest';
import { workbookTable } from '../../src/roster/workbook.ts';
import { draws } from '../fuzz/draw.ts';
import { anyText, list, show } from '../output/paper.ts';
import { anyWorkbook, workbookFile } from './any-workbook.ts';
import { type Difference, differencesIn, reasons } from './second-reader.ts';

const unexplained = (found: readonly Difference[]) => found.filter(({ reason }) => reason === undefined);

const folder = join(import.meta.dirname, '../fixtures/workbooks');
const files = readdirSync(folder).filter((name) => name.endsWith('.xlsx'));

test('workbooks of openpyxl, xlsxwriter and LibreOffice are there', () => {
  const writers = new Set(files.map((name) => name.split(/[-.]/)[0]));
  expect([...writers].sort()).toEqual(['libreoffice', 'openpyxl', 'xlsxwriter']);
});

test.each(files)('both show the same of %s', async (name) => {
  const found = await differencesIn(readFileSync(join(folder, name)));
  expect(unexplained(found)).toEqual([]);
});

test('both show the same of a workbook of any structure', async () => {
  await fc.assert(
    fc.asyncProperty(anyWorkbook, async (made) => {
      if (made.defect === null) expect(unexplained(await differencesIn(workbookFile(made)))).toEqual([]);
    }),
    draws(200),
  );
});

const value = fc.oneof(
  anyText.filter((text) => text.isWellFormed() && !text.includes('\r')),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e14, max: 1e14 }),
  fc.date({ min: new Date('1901-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true }),
);

test('both show the same of what hucre writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(value, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }), async (rows) => {
      const made = await writeXlsx({ sheets: [{ name: 'A', rows }] });
      expect(unexplained(await differencesIn(Buffer.from(made)))).toEqual([]);
    }),
    draws(100),
  );
});

test('both read what --to writes, to the same values', async () => {
  const row = fc.record({
    text: anyText,
    count: fc.integer(),
    truth: fc.boolean(),
    time: fc.date({ min: new Date('1901-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true }),
  });
  const columns = [{ key: 'text' }, { key: 'count', as: 'count' }, { key: 'truth', as: 'boolean' }, { key: 'time', as: 'time' }] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (rows) => {
      const seconds = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;
      let file = Buffer.alloc(0);
      const save = (bytes: Uint8Array) => {
        file = Buffer.from(bytes);
      };
      const origin = { service: '', profile: '', zone: 'UTC', when: 0 };
      await show(
        list(
          rows.map((each) => ({ ...each, time: seconds(each.time) })),
          columns,
        ),
        'xlsx',
        undefined,
        { save, origin },
      );
      const [, ...lines] = (await workbookTable(file, 'the file', 'data')).rows;
      expect(lines.map(({ cells }) => cells)).toEqual(
        rows.map(({ text, count, truth, time }) => [text, String(count), String(truth), seconds(time).slice(0, 19)]),
      );
      expect(unexplained(await differencesIn(file))).toEqual([]);
    }),
    draws(100),
  );
});

test('each reason is one that a workbook has', async () => {
  const found = (await Promise.all(files.map((name) => differencesIn(readFileSync(join(folder, name)))))).flat();
  expect(new Set(found.map(({ reason }) => reason))).toEqual(new Set(Object.keys(reasons)));
});
