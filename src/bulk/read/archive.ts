/**
 * ZIP archives, read from the file they lie in: their entries by name, each as bytes that are unpacked
 * while they are read, and no further than the archive says they go.
 */
import type { FileHandle } from 'node:fs/promises';
import { type Entry, fromFdPromise } from 'yauzl';
import { CliError } from '../../errors.ts';
import type { Bytes } from './encoding.ts';

export type Archive = {
  names: readonly string[];
  /** The entry of this name; undefined where there is none. */
  entry(name: string): (Bytes & { size: number }) | undefined;
};

const mostEntries = 10_000;

export async function openArchive(name: string, handle: FileHandle): Promise<Archive> {
  const broken = (error: unknown) =>
    new CliError(
      'invalid_input',
      `${name} is a damaged archive: ${String(error instanceof Error ? error.message : error).replace(/\.$/, '')}.`,
      {
        hint: 'Download or save it again.',
        cause: error,
      },
    );
  try {
    const zip = await fromFdPromise(handle.fd, { autoClose: false, lazyEntries: true });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/') && !entry.fileName.startsWith('__MACOSX/')) entries.set(entry.fileName, entry);
      if (entries.size > mostEntries) throw new Error(`more than ${mostEntries} files`);
    }
    return {
      names: [...entries.keys()],
      entry(path) {
        const entry = entries.get(path);
        if (!entry) return undefined;
        return {
          name: `${name}, ${path}`,
          size: entry.uncompressedSize,
          async *bytes() {
            try {
              if (entry.isEncrypted()) throw new Error('it is locked with a password');
              yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
            } catch (error) {
              throw broken(error);
            }
          },
        };
      },
    };
  } catch (error) {
    throw broken(error);
  }
}
