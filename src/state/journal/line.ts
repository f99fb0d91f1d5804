/**
 * A record as a line of NDJSON: `{"n":7,"at":1760000000000,…,"sum":"1a2b3c4d"}`. `n` is the number of
 * the line, so a lost one shows; `sum` is the CRC-32 of all before it. The CRC starts from that of
 * the header, in which something is random, so that a block left by another journal is not taken for this one's.
 */
import { crc32 } from 'node:zlib';
import type { Json } from '../../model/json.ts';

const sumStart = ',"sum":"';
const sumEnd = '"}';
const sumLength = sumStart.length + 8 + sumEnd.length;

/** What stands in a line beside its record: its number, and when it was written (milliseconds since 1970). */
export type Stamp = { n: number; at: number };

const hex = (sum: number) => sum.toString(16).padStart(8, '0');

/** The whole line, its end included, and its CRC. The header's is encoded with the seed 0, and is the seed of all others. */
export function encodeLine(value: Stamp & object, seed: number): { text: string; sum: number } {
  const text = JSON.stringify(value).slice(0, -1);
  const sum = crc32(text, seed);
  return { text: `${text}${sumStart}${hex(sum)}${sumEnd}\n`, sum };
}

/** The value of a whole line, given without its end, and its CRC; undefined where the line is not as it was written. */
export function decodeLine(line: Buffer, seed: number): { value: Json; sum: number } | undefined {
  const length = line.length - sumLength;
  if (length < 1) return undefined;
  const sum = crc32(line.subarray(0, length), seed);
  if (line.toString('latin1', length) !== `${sumStart}${hex(sum)}${sumEnd}`) return undefined;
  try {
    return { value: JSON.parse(`${line.toString('utf8', 0, length)}}`) as Json, sum };
  } catch {
    return undefined;
  }
}

/**
 * Whether bytes without a line's end may be the beginning of a line. They may not where more follows
 * than ever comes after a checksum, or anything after the end of the object: then it was the end of
 * the line that was damaged. Inside a string, a backslash stands before every quotation mark.
 */
export function mayBeginLine(bytes: Buffer): boolean {
  return !/,"sum":".{11}|[^\\]"\}./s.test(bytes.toString('latin1'));
}
