/**
 * What our reader of workbooks and hucre, an independent one, show differently. Where they may, a row of `reasons` says why; any other
 * difference is a mistake of one of them.
 */
import { type Cell, formatValue, readXlsx } from 'hucre';
import { CliError } from '../../src/errors.ts';
import { lettersOf } from '../../src/files/column-letters.ts';
import { workbookTable } from '../../src/roster/workbook.ts';

/** `reason`: of the table below; undefined for one that nobody has explained. */
export type Difference = { sheet: string; place: string; ours: string; theirs: string; reason: string | undefined };

type Shown = { ours: string; cell: Partial<Cell> | undefined; isMerged: boolean };

/** Name, and what holds of a cell that is shown differently for it. */
export const reasons: Readonly<Record<string, (shown: Shown) => boolean>> = {
  'a merged cell: we show its text in each row, so that no line lacks its value': ({ ours, cell, isMerged }) =>
    isMerged && ours !== '' && (cell?.value ?? null) === null,
  'a length of time: we write hours, they a day that is counted from 1900 or 1904': ({ ours, cell }) => {
    const [hours = '', minutes, seconds] = /^\d+:\d\d:\d\d(?: h)?$/.test(ours) ? ours.split(/\D/).map(Number) : [];
    const length = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    const since = [Date.UTC(1899, 11, 31), Date.UTC(1904, 0, 1)].map((zero) => Number(cell?.value) - zero);
    return cell?.value instanceof Date && since.some((time) => Math.abs(time - length * 1000) < 1000);
  },
  'a % in quotes or behind \\ is a word, so that 25 shows 25%: they show 2500%': ({ ours, cell }) =>
    /"[^"]*%"|\\%/.test(cell?.style?.numFmt ?? '') && ours === `${cell?.value}%`,
};

export async function differencesIn(bytes: Buffer): Promise<Difference[]> {
  const { sheets } = await readXlsx(bytes, { readStyles: true });
  const found: Difference[] = [];
  for (const { name, rows, cells, merges = [] } of sheets) {
    const ours = await workbookTable(bytes, 'the file', name).catch((error: CliError) => {
      if (error instanceof CliError) return error;
      throw error;
    });
    if (ours instanceof CliError) {
      found.push({ sheet: name, place: '', ours: `refused: ${ours.message}`, theirs: 'read', reason: undefined });
      continue;
    }
    const lines = new Map(ours.rows.map(({ line, cells: texts }) => [line, texts]));
    const last = Math.max(rows.length, ...lines.keys());
    for (let line = 1; line <= last; line += 1) {
      const texts = lines.get(line) ?? [];
      const values = rows[line - 1] ?? [];
      for (let at = 0; at < Math.max(texts.length, values.length); at += 1) {
        const cell = { value: values[at] ?? null, ...cells?.get(`${line - 1},${at}`) };
        const text = texts[at] ?? '';
        if (isShownSo(text, cell)) continue;
        const isMerged = merges.some(
          ({ startRow, endRow, startCol, endCol }) => startRow < line && line <= endRow + 1 && startCol <= at && at <= endCol,
        );
        const [reason] = Object.entries(reasons).find(([, holds]) => holds({ ours: text, cell, isMerged })) ?? [];
        const { value, style } = cell;
        const theirs = `${value instanceof Date ? value.toISOString() : String(value)}${style?.numFmt ? ` by ${style.numFmt}` : ''}`;
        found.push({ sheet: name, place: `${lettersOf(at + 1)}${line}`, ours: text, theirs, reason });
      }
    }
  }
  return found;
}

/** Our reader shows dates as ISO and numbers unrounded; with their zeros and words only where the format has such. */
function isShownSo(ours: string, { value, style }: Partial<Cell>): boolean {
  if (value === null || value === undefined || value === '') return ours === '';
  if (typeof value === 'boolean') return ours === String(value);
  if (value instanceof Date) {
    const local = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?$/.test(ours)
      ? Date.parse(`${ours.padEnd(19, 'T00:00:00'.slice(ours.length - 10))}Z`)
      : Number.NaN;
    return Math.abs(local - value.getTime()) < 1000;
  }
  if (typeof value !== 'number') return ours === String(value);
  if (Number(ours) === value && ours !== '') return true;
  if (ours.endsWith('%') && Math.abs(Number(ours.slice(0, -1)) / 100 - value) < 1e-5) return true;
  return style?.numFmt !== undefined && ours === formatValue(value, style.numFmt).trim();
}
