/** The rows of an answer, all of them and as they may be shown: what fails half-way has then written nothing. */
import type { Row } from './row.ts';
import type { Answer } from './view.ts';

export async function collect({ rows, shown }: Answer): Promise<Row[]> {
  const collected: Row[] = [];
  for await (const row of rows) collected.push(shown(row));
  return collected;
}
