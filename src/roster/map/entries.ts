/**
 * The valid rows of a roster, ready to be planned and sent: packed, about a hundred bytes for each, so
 * that a million fit in memory and none has to be read from the file again.
 */
import { type JsonObject, parseJson, stringifyJson } from '../../model/json.ts';
import { PackedTexts } from './packed.ts';

export type Entry = {
  /** Number of the row, from 1; unique. */
  row: number;
  /** Line of the file where it begins. */
  line: number;
  email?: string;
  name?: string;
  /** Milliseconds since 1970. */
  open_time?: number;
  close_time?: number;
  skip_requirements?: boolean;
  /** Further fields of the API. */
  extra?: JsonObject;
};

type Packed = [
  row: number,
  line: number,
  email?: string | null,
  name?: string | null,
  open?: number | null,
  close?: number | null,
  skip?: boolean | null,
  extra?: JsonObject | null,
];

export class Entries implements Iterable<Entry> {
  readonly #packed = new PackedTexts();

  get length(): number {
    return this.#packed.length;
  }

  add({ row, line, email, name, open_time, close_time, skip_requirements, extra }: Entry): void {
    const values = [row, line, email, name, open_time, close_time, skip_requirements, extra];
    this.#packed.add(stringifyJson(values.slice(0, values.findLastIndex((value) => value !== undefined) + 1)));
  }

  /** The entry at a position from 0; undefined beyond the last. */
  at(index: number): Entry | undefined {
    const text = this.#packed.at(index);
    if (text === undefined) return undefined;
    const [row, line, email = null, name = null, open = null, close = null, skip = null, extra = null] = parseJson(text) as Packed;
    return {
      row,
      line,
      ...(email !== null && { email }),
      ...(name !== null && { name }),
      ...(open !== null && { open_time: open }),
      ...(close !== null && { close_time: close }),
      ...(skip !== null && { skip_requirements: skip }),
      ...(extra !== null && { extra }),
    };
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Entry;
  }
}
