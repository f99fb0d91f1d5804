/**
 * A set of texts, such as the IDs of a long list, of which only a hash is kept: eight bytes of a table that is at most three
 * quarters full. Even among a hundred million texts none is mistaken for another.
 */
const start = 1 << 7;

export class SeenTexts {
  /** Two numbers for each text; a first one of 0 marks a free place. */
  #slots = new Uint32Array(start);
  #used = 0;

  has(text: string): boolean {
    return this.#slots[this.#placeOf(hash(text, first), hash(text, second))] !== 0;
  }

  /** Whether the text is new. */
  add(text: string): boolean {
    if (8 * this.#used >= 3 * this.#slots.length) this.#grow();
    const isNew = this.#put(hash(text, first), hash(text, second));
    if (isNew) this.#used += 1;
    return isNew;
  }

  #grow() {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += 2) if (old[at]) this.#put(old[at] as number, old[at + 1] as number);
  }

  #put(one: number, other: number): boolean {
    const place = this.#placeOf(one, other);
    if (this.#slots[place] !== 0) return false;
    this.#slots[place] = one;
    this.#slots[place + 1] = other;
    return true;
  }

  /** Where a text is, or the free place where it belongs. */
  #placeOf(one: number, other: number): number {
    const mask = this.#slots.length - 1;
    for (let at = (one * 2) & mask; ; at = (at + 2) & mask) {
      if (this.#slots[at] === 0 || (this.#slots[at] === one && this.#slots[at + 1] === other)) return at;
    }
  }
}

const first = 0x811c9dc5;
const second = 0x9e3779b9;

/** FNV-1a with a final mix; never 0. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
  return (value ^ (value >>> 15)) >>> 0 || 1;
}
