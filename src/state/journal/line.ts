/**
 * A record as a line of NDJSON: `{"n":7,"at":1760000000000,…,"sum":"1a2b3c4d"}`. `n` is the number of the
 * line, so that a lost line shows; `sum` is the CRC-32 of everything before it. The CRC continues from
 * the header's, which covers something random, so that a block of another journal is never mistaken for
 * one of this journal.
 */
import { crc32 } from 'node:zlib';
import type { Json } from '../../model/json.ts';

const sumStart = ',"sum":"';
const sumEnd = '"}';
const sumLength = sumStart.length + 8 + sumEnd.length;

/** The fields of a line beside its record: its number, and the time of writing (milliseconds since 1970). */
export type Stamp = { n: number; at: number };

const hex = (sum: number) => sum.toString(16).padStart(8, '0');

/**
 * The complete line with its newline, and its CRC. The header is encoded with the seed 0, and its CRC is
 * the seed of all other lines.
 */
export function encodeLine(value: Stamp & object, seed: number): { text: string; sum: number } {
  const text = JSON.stringify(value).slice(0, -1);
  const sum = crc32(text, seed);
  return { text: `${text}${sumStart}${hex(sum)}${sumEnd}\n`, sum };
}

/**
 * The value of a complete line, given without its newline, and its CRC; undefined if the line is not as
 * it was written.
 */
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
 * Whether bytes without a newline may be the beginning of a line. They may not if more follows than ever
 * comes after a checksum, or if anything follows the end of the object: then the end of the line was
 * damaged. Inside a string, a backslash stands before every quotation mark.
 */
export function mayBeginLine(bytes: Buffer): boolean {
  return !/,"sum":".{11}|[^\\]"\}./s.test(bytes.toString('latin1'));
}
