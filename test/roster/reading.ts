/** Tables given as text or bytes, opened as `sessions import -` opens them. */
import { CliError } from '../../src/errors.ts';
import { type OpenOptions, openTable } from '../../src/roster/open-table.ts';
import type { HeaderNames } from '../../src/roster/table.ts';

const known = new Set(['email', 'e-mail', 'e-mail-adresse', 'mail', 'name', 'close_time', 'status', 'role']);

/** `headers`: further names by which a header is found. */
export function names(headers: readonly string[] = [], rows: HeaderNames['rows'] = 'students'): HeaderNames {
  return { rows, isKnown: (header) => known.has(header.trim().toLowerCase()) || headers.includes(header.trim()) };
}

/** The table, with the cells of its rows, the lines where they begin, and what is wrong with them. */
export async function read(content: string | Uint8Array, options: OpenOptions = {}, headers: HeaderNames = names()) {
  const table = await openTable(Buffer.from(content), 'stdin', headers, options);
  const { rows } = table;
  return {
    ...table,
    cells: rows.map((row) => row.cells),
    lines: rows.map((row) => row.line),
    problems: rows.flatMap(({ problem }) => problem ?? []),
  };
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

/** The sentence alone. */
export const refused = async (work: Promise<unknown>) => (await refusal(work)).message;
