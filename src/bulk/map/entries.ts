/**
 * The valid rows of a roster, ready to be planned and sent: packed as bytes, about a hundred for each,
 * so that a million fit in memory and none has to be read from the file again.
 */

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
};

const blockSize = 1 << 20;

export class Entries implements Iterable<Entry> {
  readonly #blocks: Buffer[] = [];
  #used = blockSize;
  /** For each entry, the block and the offset in it. */
  readonly #starts: number[] = [];

  get length(): number {
    return this.#starts.length;
  }

  add(entry: Entry): void {
    const { row, line, email, name, open_time, close_time, skip_requirements } = entry;
    const text = `${JSON.stringify([row, line, email ?? 0, name ?? 0, open_time ?? null, close_time ?? null, skip_requirements ?? null])}\n`;
    const size = Buffer.byteLength(text);
    if (this.#used + size > blockSize) {
      this.#blocks.push(Buffer.allocUnsafe(Math.max(blockSize, size)));
      this.#used = 0;
    }
    this.#starts.push((this.#blocks.length - 1) * blockSize + this.#used);
    this.#used += this.#blocks.at(-1)?.write(text, this.#used) ?? 0;
  }

  /** The entry at a position from 0; undefined beyond the last. */
  at(index: number): Entry | undefined {
    const start = this.#starts[index];
    if (start === undefined) return undefined;
    const block = this.#blocks[Math.floor(start / blockSize)] ?? Buffer.alloc(0);
    const from = start % blockSize;
    const [row, line, email, name, open, close, skip] = JSON.parse(block.toString('utf8', from, block.indexOf(0x0a, from)));
    return {
      row,
      line,
      ...(email !== 0 && { email }),
      ...(name !== 0 && { name }),
      ...(open !== null && { open_time: open }),
      ...(close !== null && { close_time: close }),
      ...(skip !== null && { skip_requirements: skip }),
    };
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Entry;
  }
}
