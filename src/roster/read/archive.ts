/**
 * ZIP archives, read from the file they lie in: their entries by name, each as bytes that are unpacked
 * while they are read, no further than the archive says they go, and compared with their checksum.
 */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise } from 'yauzl';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import type { Bytes } from './encoding.ts';
import { quote } from './quote.ts';

export type Archive = {
  names: readonly string[];
  /** The entry of this name; undefined where there is none. */
  entry(name: string): (Bytes & { size: number }) | undefined;
};

const mostEntries = 10_000;
/** The largest unpacked size of an entry. Bytes. */
const mostUnpacked = 2 ** 31;

export async function openArchive(name: string, handle: FileHandle): Promise<Archive> {
  const broken = (error: unknown) =>
    new CliError(
      'invalid_input',
      sentence`${name} is a damaged archive: ${String(error instanceof Error ? error.message : error).replace(/\.$/, '')}.`,
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
          name: `${name}, ${shown(path)}`,
          size: entry.uncompressedSize,
          async *bytes() {
            try {
              if (entry.isEncrypted()) throw new Error('it is locked with a password');
              if (entry.uncompressedSize > mostUnpacked) throw new Error(`${quote(path)} unpacks to more than 2 GB`);
              let sum = 0;
              for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
                sum = crc32(chunk, sum);
                yield chunk;
              }
              if (sum !== entry.crc32) throw new Error(`the checksum of ${quote(path)} does not match`);
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

/** A name that is plain text as it is; any other with its escapes. */
function shown(path: string): string {
  return quote(path) === `"${path}"` ? path : quote(path);
}
