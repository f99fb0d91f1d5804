/** The formats, and what their renderers share. */
import type { OutputStream } from '../host/host.ts';
import type { Row } from './cell.ts';

export const formats = ['table', 'json', 'ndjson', 'csv', 'id'] as const;
export type Format = (typeof formats)[number];

export async function* mapped(rows: Iterable<Row> | AsyncIterable<Row>, shown: (row: Row) => Row): AsyncGenerator<Row> {
  for await (const row of rows) yield shown(row);
}

/** The keys of the rows except the given ones. */
export function otherKeys(rows: readonly Row[], given: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const [key, value] of rows.flatMap(Object.entries)) if (value !== undefined) keys.add(key);
  return [...keys].filter((key) => !given.includes(key));
}

/** Characters. Larger blocks save little time. */
const blockSize = 16 * 1024;

/**
 * Writes the lines of rows that arrive together in one block, also before a failure. `live`: each line before the
 * next row is asked for.
 */
export async function writeLines<T>(
  rows: Iterable<T> | AsyncIterable<T>,
  { write }: Pick<OutputStream, 'write'>,
  line: (row: T) => string,
  live = false,
): Promise<void> {
  let block = '';
  let written = Promise.resolve();
  const flush = async () => {
    await new Promise(setImmediate);
    const text = block;
    block = '';
    await write(text);
  };
  try {
    for await (const row of rows) {
      if (block === '') {
        written = written.then(flush);
        written.catch(() => {});
      }
      block += line(row);
      if (live || block.length >= blockSize) await written;
    }
  } finally {
    await written;
  }
}
