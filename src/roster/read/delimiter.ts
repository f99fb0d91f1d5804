/**
 * Which character separates the cells of a text: what `sep=` in its first line says, otherwise the
 * one under which the most headers are known and the rows are of equal length.
 */
import { CliError } from '../../errors.ts';
import { delimitedRecords } from './delimited.ts';
import { type HeaderNames, headRecords, isBlank } from './header.ts';
import type { Record } from './source-table.ts';

/** The separators that are looked for, and how they are called. */
export const delimiters = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** The separator that the line `sep=;` names, as Excel writes it. */
export function namedDelimiter(text: string): string | undefined {
  return /^sep=(.)(?=\r|\n|$)/i.exec(text)?.[1];
}

/** The separator of a text, from its beginning. */
export async function delimiterOf(beginning: string, name: string, { known, named }: HeaderNames): Promise<string> {
  let best = { delimiter: ',', headers: 0, even: 0 };
  for (const delimiter of Object.keys(delimiters)) {
    const records = await firstRecords(beginning, name, delimiter);
    const headers = Math.max(0, ...records.map((record) => record.cells.filter((cell) => known(cell) || named(cell)).length));
    const found = { delimiter, headers, even: evenness(records) };
    if (found.headers > best.headers || (found.headers === best.headers && found.even > best.even)) best = found;
  }
  return best.delimiter;
}

async function firstRecords(beginning: string, name: string, delimiter: string): Promise<Record[]> {
  const found: Record[] = [];
  try {
    for await (const records of delimitedRecords(once(beginning), name, delimiter)) found.push(...records);
  } catch (error) {
    // Under a wrong separator a quote may well stand in the middle of a cell; what came before counts.
    if (!(error instanceof CliError)) throw error;
  }
  return found.filter((record) => !isBlank(record)).slice(0, headRecords);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** The share of the records that have the most usual number of cells; 0 where that is one. */
function evenness(records: readonly Record[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [cells, share] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [1, 0]);
  return cells > 1 ? share / records.length : 0;
}
