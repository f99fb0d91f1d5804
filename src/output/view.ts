/** How a result is shown: what renderers take, and the writing of lines. */

import type { Host, OutputStream } from '../host/host.ts';
import type { Said } from '../text/sentence.ts';
import type { Column, Row } from './cell.ts';

export const formats = ['table', 'json', 'ndjson', 'csv', 'id'] as const;
export type Format = (typeof formats)[number];

export type View = {
  format: Format;
  /** As given with --columns: fields separated by commas, or `help`. */
  columns?: string | undefined;
  /** What stands under the name of a secret is shown. */
  showSecrets: boolean;
  /** A text without the values that are never shown, such as the token. */
  masked(text: string): string;
  timeZone: string;
  color: boolean;
  /** For screen readers: nothing is cut to fit, and words stand in place of symbols. */
  plain: boolean;
  stdout: OutputStream;
  note<T extends string>(text: T & Said<T>): void;
  /** A write may have been carried out: what it changed is shown even if --columns is wrong, which `warn` is told. */
  afterWrite?: { warn: View['note'] } | undefined;
  /** The terminal and the clock, for what fills a whole screen; absent where the terminal is not to be taken over. */
  terminal?: Pick<Host, 'screen' | 'now'> | undefined;
};

export type Answer = {
  kind: 'list' | 'one';
  /** As they may be shown: secrets masked and, with --columns, only the fields asked for. */
  rows: Iterable<Row> | AsyncIterable<Row>;
  columns: readonly Column[];
  /** The columns are those of --columns: these and no others. */
  chosen: boolean;
  only?: string | undefined;
  /** Field that stands for a row; null where nothing does; `id` where it is absent. */
  id?: string | null | undefined;
  /** The rows come now and then: each is printed at once. */
  live: boolean;
};
export type Renderer = (answer: Answer, view: View) => Promise<void>;

export async function* mapped(rows: Answer['rows'], shown: (row: Row) => Row): AsyncGenerator<Row> {
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
