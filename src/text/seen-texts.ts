/**
 * The items of a list that were seen, by their IDs. An ID takes eight bytes of a table that is at most half full, so a
 * long list stays cheap, and even among a hundred million IDs none is mistaken for another.
 */
const start = 1 << 12;

export class SeenItems {
  /** Two numbers for each ID; a first one of 0 marks a free place. */
  #slots = new Uint32Array(start);
  #used = 0;

  /** The number of different IDs. */
  get size(): number {
    return this.#used;
  }

  has(id: string): boolean {
    return this.#slots[this.#placeOf(hash(id, first), hash(id, second))] !== 0;
  }

  add(id: string) {
    if (this.#used * 4 >= this.#slots.length) this.#grow();
    if (this.#put(hash(id, first), hash(id, second))) this.#used += 1;
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

  /** Where an ID is, or the free place where it belongs. */
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
