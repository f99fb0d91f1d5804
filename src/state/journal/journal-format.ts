/**
 * The format of a kind of journal: its headers and records, and which may follow which. Also the checks
 * of single fields that all formats need.
 */
import { idTypes } from '../../model/id.ts';
import type { Json } from '../../model/json.ts';

/** The contents of a kind of journal: a header in the first line, records in all others. */
export type Format<H extends Json, R extends Json> = {
  /** The header's field `journal`; a greater number comes from a newer program. */
  version: number;
  isHeader(value: Json): value is H;
  isRecord(value: Json): value is R;
};

/** A record that cannot follow the records before it: a bug when writing, damage when reading. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition';
}

/** Whether a field of a record is a non-negative integer. */
export function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function isTextIfAny(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string';
}

export function isIdTypeIfAny(value: Json | undefined): boolean {
  return value === undefined || isOneOf(idTypes, value);
}

export function isOneOf(words: readonly string[], value: Json | undefined): boolean {
  return typeof value === 'string' && words.includes(value);
}
