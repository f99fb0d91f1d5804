/** The formats, and what their renderers share: rows one by one, their keys, and lines as they are written. */
import type { OutputStream } from '../host/host.ts';
import type { Row } from './cell.ts';

export const formats = ['table', 'json', 'ndjson', 'csv', 'id'] as const;
export type Format = (typeof formats)[number];

export async function* mapped(rows: Iterable<Row> | AsyncIterable<Row>, shown: (row: Row) => Row): AsyncGenerator<Row> {
  for await (const row of rows) yield shown(row);
}

/** The keys of the rows except the given ones, in the order of their first occurrence. */
export function otherKeys(rows: readonly Row[], given: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const [key, value] of Object.entries(row)) if (value !== undefined && !given.includes(key)) keys.add(key);
  return [...keys];
}

/** Larger blocks save little time and cost memory. Characters. */
const blockSize = 16 * 1024;

/**
 * Writes a line for each row, those that arrive together in one block; `live`: each before the next one is asked for. Where the rows end in a
 * failure, the lines of those that had arrived are written before.
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
