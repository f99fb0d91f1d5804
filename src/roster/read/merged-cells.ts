/** Merged cells of a sheet: their one text stands in each row and column that they cover. */
import type { SheetRecord } from './source-table.ts';

/** Cells beyond this column are combined into one, so that the row is longer than any header. */
export const mostColumns = 1024;

/** Rows from 1, as Excel counts them; columns from 0. */
export type MergedRange = { top: number; bottom: number; left: number; right: number };

/** The range of a reference such as B2:C4; undefined where there is none. */
export function mergedRange(reference: string): MergedRange | undefined {
  const [, left = '', top = '', right = '', bottom = ''] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? [];
  const range = { top: Number(top), bottom: Number(bottom), left: columnOf(left) - 1, right: Math.min(columnOf(right), mostColumns) - 1 };
  return range.left >= 0 && range.right >= range.left && range.bottom >= range.top ? range : undefined;
}

/** Number, from 1, of a column such as AB; 0 for none. */
export function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 64;
  return column;
}

/** Fills the rows of one sheet in their order. */
export class MergedCells {
  readonly #starting = new Map<number, MergedRange[]>();
  readonly #overlapping: () => never;
  #open: (MergedRange & { text: string })[] = [];

  /** `overlapping` throws: no spreadsheet writes overlapping ranges, and filling them could take endless time. */
  constructor(ranges: readonly MergedRange[], overlapping: () => never) {
    this.#overlapping = overlapping;
    for (const range of ranges) {
      const others = this.#starting.get(range.top);
      if (others) others.push(range);
      else this.#starting.set(range.top, [range]);
    }
  }

  /** Fills the cells of a row. A row without cells of its own stays empty: a merged cell may reach below the table. */
  fill(line: number, cells: string[]): Pick<SheetRecord, 'across' | 'under'> {
    this.#open = this.#open.filter(({ bottom }) => bottom >= line);
    for (const range of this.#starting.get(line) ?? []) this.#open.push({ ...range, text: cells[range.left] ?? '' });
    const covered = this.#open.reduce((sum, { left, right }) => sum + right - left + 1, 0);
    if (covered > mostColumns) this.#overlapping();
    if (covered === 0 || cells.length === 0) return {};
    const across = new Set<number>();
    let under = false;
    for (const { top, left, right, text } of this.#open) {
      while (cells.length <= right) cells.push('');
      for (let column = left; column <= right; column += 1) {
        cells[column] = text;
        if (column > left) across.add(column);
      }
      under ||= top < line && text !== '';
    }
    return { ...(across.size > 0 && { across }), ...(under && { under: true as const }) };
  }
}
