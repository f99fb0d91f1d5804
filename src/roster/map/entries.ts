/**
 * The valid rows of a roster, ready to be planned and sent: packed, about a hundred bytes for each, so
 * that a million fit in memory and none has to be read from the file again. The exam of each is a small number.
 */
import { type JsonObject, parseJson, stringifyJson } from '../../model/json.ts';
import { Integers, PackedTexts } from './packed.ts';

export type Entry = {
  /** Number of the row, from 1; unique. */
  row: number;
  /** Line of the file where it begins. */
  line: number;
  /** Number of its exam among those of the import, from 0. */
  exam: number;
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
  exam: number,
  email?: string | null,
  name?: string | null,
  open?: number | null,
  close?: number | null,
  skip?: boolean | null,
  extra?: JsonObject | null,
];

export class Entries implements Iterable<Entry> {
  readonly #packed = new PackedTexts();
  /** The places of the entries of each exam, in their order. */
  readonly #places = new Map<number, Integers>();

  get length(): number {
    return this.#packed.length;
  }

  add({ row, line, exam, email, name, open_time, close_time, skip_requirements, extra }: Entry): void {
    const places = this.#places.get(exam) ?? new Integers();
    this.#places.set(exam, places);
    places.push(this.length);
    const values = [row, line, exam, email, name, open_time, close_time, skip_requirements, extra];
    this.#packed.add(stringifyJson(values.slice(0, values.findLastIndex((value) => value !== undefined) + 1)));
  }

  /** The entry at a position from 0; undefined beyond the last. */
  at(index: number): Entry | undefined {
    const text = this.#packed.at(index);
    if (text === undefined) return undefined;
    const [row, line, exam, email = null, name = null, open = null, close = null, skip = null, extra = null] = parseJson(text) as Packed;
    return {
      row,
      line,
      exam,
      ...(email !== null && { email }),
      ...(name !== null && { name }),
      ...(open !== null && { open_time: open }),
      ...(close !== null && { close_time: close }),
      ...(skip !== null && { skip_requirements: skip }),
      ...(extra !== null && { extra }),
    };
  }

  /** The place of the entry that is the `at`th of an exam. */
  placeIn(exam: number, at: number): number | undefined {
    return this.#places.get(exam)?.at(at);
  }

  ofExam(exam: number): Iterable<Entry> {
    const places = this.#places.get(exam);
    const each = function* (this: Entries) {
      for (let at = 0; at < (places?.length ?? 0); at += 1) yield this.at(places?.at(at) ?? 0) as Entry;
    };
    return { [Symbol.iterator]: each.bind(this) };
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Entry;
  }
}
