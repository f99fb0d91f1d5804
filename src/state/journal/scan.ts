/**
 * Reads a journal line by line, and decides what its end means.
 *
 * A killed process leaves a prefix of what it wrote, cut anywhere. A power cut can lose bytes written since
 * the last sync: they read as zeros, or the file is shorter; synced bytes stay as they were. An intent is
 * acted on only after its whole line, newline included, was synced. So a line that was never acted on can be
 * short or end in zeros, and is then the last in the file. Exactly such a tail is cut off: text that may begin
 * a line, then nothing but zeros, then the end.
 *
 * An interrupted write leaves nothing else, so any other tail may have been acted on: a complete line with a
 * wrong checksum (even the last one), a line with a changed newline, text after zeros, a missing or repeated
 * number. Such a journal is refused, never repaired. The price: after a power cut, a journal is also refused
 * if the disk kept a later block of the last group and lost an earlier one, and a person has to decide.
 */
import { CliError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import type { JournalFile } from './files.ts';
import { type Format, IllegalTransition } from './journal-format.ts';
import { decodeLine, mayBeginLine, type Stamp } from './line.ts';

export type Scanned<H> = {
  header: H;
  /** Number and seed for the next lines, and the byte at which they start. */
  lines: number;
  seed: number;
  end: number;
  /** Bytes of a torn last line, after `end`. */
  torn: number;
  /** The times of the first and the last line. */
  startedAt: number;
  lastAt: number;
};

const chunkSize = 1 << 18;
/** Longer than any line of a journal. */
const longestLine = 1 << 16;
const newline = 0x0a;

/**
 * Passes each record to `take`, in order; memory holds one chunk. Resolves to undefined if even the
 * header is incomplete: nothing was acted on then. Throws `journal_damaged`.
 */
export async function scan<H extends Json, R extends Json>(
  path: string,
  file: JournalFile,
  format: Format<H, R>,
  take: (record: R) => void,
): Promise<Scanned<H> | undefined> {
  const size = await file.size();
  let begun: Pick<Scanned<H>, 'header' | 'seed' | 'startedAt'> | undefined;
  let lines = 0;
  let end = 0;
  let lastAt = 0;

  let rest = Buffer.alloc(0);
  for (let position = 0; position < size && rest.length <= longestLine; position += chunkSize) {
    const chunk = Buffer.concat([rest, await readAt(file, position, Math.min(chunkSize, size - position))]);
    let start = 0;
    for (let stop = chunk.indexOf(newline); stop >= 0; stop = chunk.indexOf(newline, start)) {
      one(chunk.subarray(start, stop));
      start = stop + 1;
    }
    end += start;
    rest = chunk.subarray(start);
  }
  if (!(await isTorn(file, end, size))) throw damaged(path, lines + 1, 'its last line is damaged, and not by an interrupted write');
  return begun && { ...begun, lines, end, torn: size - end, lastAt };

  function one(line: Buffer) {
    const number = lines + 1;
    if (!begun && isNewer(line, format.version)) {
      throw new CliError('journal_damaged', sentence`The journal ${path} was written by a newer proctor-cli.`, {
        hint: 'Resume with the version that wrote it.',
      });
    }
    const decoded = decodeLine(line, begun?.seed ?? 0);
    if (!decoded) throw damaged(path, number, 'its contents have changed since they were written');
    const { n, at, ...value } = decoded.value as Stamp & JsonObject;
    if (n !== number) throw damaged(path, number, n > number ? `lines are missing before number ${n}` : `number ${n} is repeated`);
    try {
      if (!begun) {
        if (!format.isHeader(value)) throw damaged(path, number, 'this version does not know such a header');
        begun = { header: value, seed: decoded.sum, startedAt: at };
      } else {
        if (!format.isRecord(value)) throw damaged(path, number, 'this version does not know such a record');
        take(value);
      }
    } catch (error) {
      if (error instanceof IllegalTransition) throw damaged(path, number, error.message);
      throw error;
    }
    lines = number;
    lastAt = at;
  }
}

/** Whether the bytes after the last complete line are what an interrupted write leaves (see above). */
async function isTorn(file: JournalFile, start: number, size: number): Promise<boolean> {
  const first = await readAt(file, start, Math.min(longestLine, size - start));
  const zeros = first.indexOf(0);
  if (zeros < 0) return start + first.length === size && mayBeginLine(first);
  for (let position = start + zeros; position < size; position += chunkSize) {
    const chunk = await readAt(file, position, Math.min(chunkSize, size - position));
    if (chunk.some((byte) => byte !== 0)) return false;
  }
  return mayBeginLine(first.subarray(0, zeros));
}

/** Reads the whole length, however little each read returns. */
async function readAt(file: JournalFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const count = await file.read(bytes.subarray(filled), position + filled);
    if (count === 0) throw new Error('it became shorter while it was being read');
    filled += count;
  }
  return bytes;
}

function isNewer(line: Buffer, version: number): boolean {
  try {
    const value = JSON.parse(line.toString()) as Json;
    return isJsonObject(value) && typeof value.journal === 'number' && value.journal > version;
  } catch {
    return false;
  }
}

function damaged(path: string, line: number, what: string): CliError {
  return new CliError('journal_damaged', sentence`The journal ${path} is damaged in line ${line}: ${what}.`);
}
