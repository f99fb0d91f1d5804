/**
 * Writes many lines with few writes and without delay: full blocks are written at once, the rest as soon as the
 * source of the lines waits.
 */
import type { OutputStream } from '../host/host.ts';

/** Larger blocks save little time and cost memory. */
const blockCharacters = 16 * 1024;
const patienceMilliseconds = 20;

export type LineWriter = {
  /** Takes text of whole lines; the promise, where there is one, is to be awaited. Throws what an earlier write threw. */
  add(text: string): Promise<void> | undefined;
  /** Writes what is left. */
  flush(): Promise<void>;
};

/** `prepare` sees each block before it is written; without `blocks`, each line is a block. */
export function lineWriter(
  stdout: OutputStream,
  prepare: (text: string) => string = (text) => text,
  { blocks = true }: { blocks?: boolean } = {},
): LineWriter {
  let block = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written: Promise<void> = Promise.resolve();
  let failure: { error: unknown } | undefined;

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (block !== '') {
      const text = prepare(block);
      block = '';
      written = written.then(() => stdout.write(text));
      written.catch((error: unknown) => {
        failure ??= { error };
      });
    }
    return written;
  };
  return {
    add(text) {
      if (failure) throw failure.error;
      block += text;
      if (!blocks || block.length >= blockCharacters) return flush();
      timer ??= setTimeout(flush, patienceMilliseconds);
      return undefined;
    },
    flush,
  };
}

/**
 * Writes a line for each row as the rows arrive. Where the source fails, the lines of the rows that
 * had arrived are written before the failure is thrown.
 */
export async function writeLines<T>(rows: Iterable<T> | AsyncIterable<T>, writer: LineWriter, line: (row: T) => string): Promise<void> {
  try {
    for await (const row of rows) {
      const full = writer.add(line(row));
      if (full) await full;
    }
  } finally {
    await writer.flush();
  }
}
