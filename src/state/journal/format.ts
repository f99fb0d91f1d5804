/**
 * The format of a kind of journal: which headers and records there are, and
 * which may follow which. With the checks of single fields that all formats need.
 */
import { idTypes } from '../../model/id.ts';
import type { Json } from '../../model/json.ts';

/** What a kind of journal holds: a header in its first line, records in all others. */
export type Format<H extends Json, R extends Json> = {
  /** The header's field `journal`; what is greater was written by a newer program. */
  version: number;
  isHeader(value: Json): value is H;
  isRecord(value: Json): value is R;
};

/** A record that cannot follow those before it: a bug when writing, damage when reading. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition';
}

/** Whether a field of a record is a whole number from 0. */
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
