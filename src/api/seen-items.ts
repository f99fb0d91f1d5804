/**
 * The items of a list that were seen, by their IDs: a service that repeats pages would never end a list. An ID
 * takes four bytes, so a long list stays cheap.
 */
const start = 1 << 12;

export class SeenItems {
  #slots = new Uint32Array(start);
  #used = 0;

  /** Records an ID; returns whether it is new. Of a million IDs a few may be mistaken for others. */
  add(id: string): boolean {
    if (this.#used * 2 >= this.#slots.length) this.#grow();
    const isNew = put(this.#slots, hash(id));
    if (isNew) this.#used += 1;
    return isNew;
  }

  #grow() {
    const larger = new Uint32Array(this.#slots.length * 2);
    for (const value of this.#slots) if (value !== 0) put(larger, value);
    this.#slots = larger;
  }
}

/** The length of `slots` is a power of two, and at least half of them are free. */
function put(slots: Uint32Array, value: number): boolean {
  const mask = slots.length - 1;
  for (let at = value & mask; ; at = (at + 1) & mask) {
    if (slots[at] === value) return false;
    if (slots[at] !== 0) continue;
    slots[at] = value;
    return true;
  }
}

/** FNV-1a with a final mix; never 0, which marks a free slot. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
  return (value ^ (value >>> 15)) >>> 0 || 1;
}
