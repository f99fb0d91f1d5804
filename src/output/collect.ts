/** All rows of an answer, ready to print: a list that fails partway has written nothing. */
import type { Row } from './row.ts';
import type { Answer } from './view.ts';

export async function collect({ rows, shown }: Answer): Promise<Row[]> {
  const collected: Row[] = [];
  for await (const row of rows) collected.push(shown(row));
  return collected;
}
