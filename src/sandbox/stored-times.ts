/**
 * Points in time: read in the dialect's form, stored and shown as ISO 8601 in UTC, in whole seconds
 * without a fraction.
 */
import type { Json } from '../model/json.ts';

const isoWithOffset = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export function isoUtc(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/** The stored form of a point in time; undefined if the value is not one. */
export function readTime(value: Json, format: string): string | undefined {
  const milliseconds = format === 'epoch-s' && typeof value === 'number' ? value * 1000 : parseIso(value);
  return Math.abs(milliseconds) <= 8.64e15 ? isoUtc(milliseconds) : undefined;
}

function parseIso(value: Json): number {
  const parts = typeof value === 'string' ? isoWithOffset.exec(value) : null;
  if (!parts) return Number.NaN;
  const [text, year, month, day] = parts;
  // Date.parse turns 30 February into 2 March.
  const dayExists = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return dayExists ? Date.parse(text) : Number.NaN;
}
