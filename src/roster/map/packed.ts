/**
 * Many short texts held as bytes: a million strings of their own would cost a multiple of what is in
 * them, and the collector would walk over them again and again.
 */

const blockSize = 1 << 20;
const sizeBytes = 4;

export class PackedTexts {
  readonly #blocks: Buffer[] = [];
  #used = blockSize;
  /** Where each text begins, counted through all blocks; its size in bytes stands before it. */
  readonly #starts = new Integers();

  get length(): number {
    return this.#starts.length;
  }

  add(text: string): void {
    const size = sizeBytes + Buffer.byteLength(text);
    if (this.#used + size > blockSize) {
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(blockSize, size)));
      this.#used = 0;
    }
    const block = this.#blocks.at(-1) as Buffer;
    this.#starts.push((this.#blocks.length - 1) * blockSize + this.#used);
    block.write(text, block.writeUInt32LE(size - sizeBytes, this.#used));
    this.#used += size;
  }

  /** The text at a position from 0; undefined beyond the last. */
  at(index: number): string | undefined {
    const start = this.#starts.at(index);
    if (start === undefined) return undefined;
    const block = this.#blocks[Math.floor(start / blockSize)] as Buffer;
    const from = (start % blockSize) + sizeBytes;
    return block.toString('utf8', from, from + block.readUInt32LE(from - sizeBytes));
  }
}

/** Numbers from 0 to 2^32 - 1 in four bytes each. */
export class Integers {
  #values = new Uint32Array(1 << 10);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number | undefined {
    return index < this.length ? this.#values[index] : undefined;
  }
}

/** A set of texts that knows where each was first seen. Open addressing over 32-bit hashes; equality is of the texts. */
export class FirstSeen {
  readonly #texts = new PackedTexts();
  readonly #places = new Integers();
  /** For each slot, the position of a text, plus one; a power of two, at most half full. */
  #slots = new Int32Array(1 << 10);

  /** The place of an earlier text that is the same; undefined, and this place kept, for the first. */
  before(text: string, place: number): number | undefined {
    const slot = this.#slotOf(text);
    const found = this.#slots[slot] ?? 0;
    if (found > 0) return this.#places.at(found - 1);
    this.#texts.add(text);
    this.#places.push(place);
    this.#slots[slot] = this.#places.length;
    if (2 * this.#places.length > this.#slots.length) this.#grow();
    return undefined;
  }

  /** The slot of a text, or the free one where it belongs. */
  #slotOf(text: string): number {
    const mask = this.#slots.length - 1;
    let slot = hash(text) & mask;
    for (let found = this.#slots[slot] ?? 0; found > 0; found = this.#slots[slot] ?? 0) {
      if (this.#texts.at(found - 1) === text) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let index = 0; index < this.#places.length; index++) this.#slots[this.#slotOf(this.#texts.at(index) ?? '')] = index + 1;
  }
}

/** FNV-1a over UTF-16 units, with its bits mixed once more. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return value ^ (value >>> 13);
}
