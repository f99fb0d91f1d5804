/** Rosters given as text or bytes, opened as `sessions import -` opens them. */

import { CliError } from '../../../src/errors.ts';
import { openRoster, type RosterOptions } from '../../../src/roster/read/index.ts';
import type { Table, TableRow } from '../../../src/roster/read/source-table.ts';

export async function* arriving(content: string | Uint8Array, size = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A text in pieces of so many UTF-16 units. */
export async function* inPortions(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

export async function opened(content: string | Uint8Array, options: RosterOptions = {}): Promise<Table> {
  return openRoster({ stdin: arriving(content) }, options);
}

export async function rowsOf(table: Table): Promise<TableRow[]> {
  const all: TableRow[] = [];
  for await (const rows of table.rows()) all.push(...rows);
  return all;
}

/** The header and the cells of a roster, and the lines where its rows begin. */
export async function read(content: string | Uint8Array, options: RosterOptions = {}) {
  const table = await opened(content, options);
  try {
    const rows = await rowsOf(table);
    const { header, format, notes } = table;
    const ragged = rows.flatMap((row) => row.ragged ?? []);
    return { header, format, notes, cells: rows.map((row) => row.cells), lines: rows.map((row) => row.line), ragged };
  } finally {
    await table.close();
  }
}

/** The sentence and hint with which something is refused. */
export async function refusal(work: Promise<unknown>): Promise<{ code: string; message: string; hint: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CliError) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error('nothing was refused');
}
