/** What the tests use of hucre. */
declare module 'hucre' {
  type CellValue = string | number | boolean | Date | null;
  export type Cell = { value: CellValue; style?: { numFmt?: string } };
  type Merge = { startRow: number; endRow: number; startCol: number; endCol: number };
  type Sheet = { name: string; rows: CellValue[][]; cells?: Map<string, Partial<Cell>>; merges?: Merge[] };
  export function readXlsx(bytes: Uint8Array, options?: { readStyles?: boolean }): Promise<{ sheets: Sheet[] }>;
  export function writeXlsx(book: { sheets: { name: string; rows: CellValue[][] }[] }): Promise<Uint8Array>;
  export function formatValue(value: CellValue, format: string): string;
}
