/** Workbooks of any structure that the standard allows show what was put into them; with one defect they stop, and never show anything else. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../fuzz/draw.ts';
import { anyWorkbook, workbookFile } from './any-workbook.ts';
import { read, refusal } from './reading.ts';

test('A workbook that was made by chance shows what was put into it, or has a defect and stops.', async () => {
  await fc.assert(
    fc.asyncProperty(anyWorkbook, async (made) => {
      const file = workbookFile(made);
      if (made.defect !== null) expect((await refusal(read(file))).code).toBe('invalid_input');
      else expect((await read(file)).cells).toEqual(made.rows.map((row) => row.map(({ shown }) => shown)));
    }),
    draws(300),
  );
});
