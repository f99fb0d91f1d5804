/**
 * Reads a journal line by line, and decides what its end means.
 *
 * A process that dies leaves a beginning of what it wrote, cut anywhere. A power cut can leave less
 * than was written since the last sync, and where it leaves less, the missing bytes read as zeros or
 * the file is shorter; what had been synced is as it was. An intent is acted on only after its whole
 * line, newline included, was synced. So a line that was never acted on can be short or end in zeros, and
 * the file then ends with it. Such a tail is cut off: exactly a text that may begin a line, then
 * nothing but zeros, then the end.
 *
 * Anything else cannot come of an interrupted write, and may have been acted on: a whole line with a
 * wrong checksum (also the last one), a line whose newline was changed, text after zeros, a number
 * missing or twice. It is refused, never repaired. The price: after a power cut, a disk that kept a
 * later block of the last group and lost an earlier one is refused too, and a person has to decide.
 */
import { CliError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import type { JournalFile } from './files.ts';
import { type Format, IllegalTransition } from './format.ts';
import { decodeLine, mayBeginLine, type Stamp } from './line.ts';

export type Scanned<H> = {
  header: H;
  /** Number and seed for the lines that follow, and the byte at which they start. */
  lines: number;
  seed: number;
  end: number;
  /** Bytes of a torn last line, after `end`. */
  torn: number;
  /** When the first line and the last were written. */
  startedAt: number;
  lastAt: number;
};

const chunkSize = 1 << 18;
/** No line of ours comes near it. */
const longestLine = 1 << 16;
const newline = 0x0a;

/**
 * Gives each record to `take`, in order; memory holds one chunk. Resolves to undefined where not even
 * the header was whole: nothing was acted on then. Throws `journal_damaged`.
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

/** Whether what follows the last whole line is what an interrupted write leaves: see above. */
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

/** All of it, however little the system gives at a time. */
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
