/**
 * The bytes of a roster, to be read as often as needed: a regular file where it lies, anything else
 * (stdin, a pipe) spooled to a private temporary file that has lost its name before a byte is in it.
 * Every reading begins at the first byte, and a file that changes meanwhile is refused.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, type Stats } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CliError } from '../../errors.ts';
import { openInputFile, pipeBytes, UnreadableFile } from '../../host/input-file.ts';
import { sentence } from '../../text/sentence.ts';
import { quote } from './quote.ts';

/** `signal` ends the wait for a pipe. `name`: what messages call bytes that came from elsewhere than stdin. */
export type RosterSource = { path: string; signal?: AbortSignal } | { stdin: AsyncIterable<Uint8Array>; name?: string };

export type SourceFile = {
  /** What messages call it. */
  name: string;
  handle: FileHandle;
  /** All bytes from the beginning; each chunk is good until the next is asked for. Throws `invalid_input` if the file is not what it was when it was opened. */
  bytes(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
};

/** Small, so that few rows are alive at a time and the memory of a run stays that of its entries. Bytes. */
const chunkSize = 16 << 10;

/** Opens a roster. `folder` is where one that cannot be read twice is spooled to. */
export async function openSource(source: RosterSource, folder: string = tmpdir()): Promise<SourceFile> {
  if ('stdin' in source) return spooled(source.name ?? 'stdin', source.stdin, folder);
  const { path, signal = new AbortController().signal } = source;
  const name = basename(path);
  try {
    const { kind, descriptor } = openInputFile(path);
    if (kind === 'pipe') return await spooled(name, pipeBytes(descriptor, { signal }), folder);
    closeSync(descriptor);
    const handle = await open(path, 'r');
    return sourceFile(name, handle, await handle.stat(), async () => handle.close());
  } catch (error) {
    throw error instanceof UnreadableFile ? unreadable(path, error) : error;
  }
}

function unreadable(path: string, cause: UnreadableFile): CliError {
  if (cause.code === 'ENOENT') {
    return new CliError('invalid_input', sentence`No such file: ${quote(path)}.`, {
      hint: 'Check the path; - means stdin.',
      cause,
    });
  }
  return new CliError('invalid_input', sentence`${quote(path)} cannot be read: ${cause.reason}.`, {
    hint: 'Give a file or a pipe that you can read; - means stdin.',
    cause,
  });
}

async function spooled(name: string, bytes: AsyncIterable<Uint8Array>, folder: string): Promise<SourceFile> {
  const path = join(folder, `proctor-cli-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw writeErrorOf(name, error);
  });
  // Where an open file can lose its name, nothing is left behind even if this process is killed.
  let removed = await unlink(path).then(
    () => true,
    () => false,
  );
  const close = async () => {
    await handle.close();
    if (!removed) await unlink(path);
    removed = true;
  };
  try {
    for await (const chunk of bytes) await handle.appendFile(chunk);
  } catch (error) {
    await close();
    throw error instanceof CliError ? error : writeErrorOf(name, error);
  }
  return sourceFile(name, handle, await handle.stat(), close);
}

function writeErrorOf(name: string, cause: unknown): CliError {
  return new CliError(
    'invalid_input',
    sentence`${name} could not be copied to a temporary file (${(cause as NodeJS.ErrnoException).code ?? String(cause)}).`,
    {
      hint: 'Free some space in the folder for temporary files, or give a file instead of a pipe.',
      cause,
    },
  );
}

function sourceFile(name: string, handle: FileHandle, before: Stats, close: () => Promise<void>): SourceFile {
  return {
    name,
    handle,
    async *bytes() {
      const buffer = Buffer.allocUnsafe(chunkSize);
      for (let position = 0; ; ) {
        const { bytesRead } = await handle.read(buffer, 0, chunkSize, position);
        if (bytesRead === 0) break;
        yield buffer.subarray(0, bytesRead);
        position += bytesRead;
      }
      const after = await handle.stat();
      if (after.size === before.size && after.mtimeMs === before.mtimeMs) return;
      throw new CliError('invalid_input', sentence`${name} changed while it was being read.`, {
        hint: 'Run the command again when it is complete.',
      });
    },
    close,
  };
}
