/** Draws that a seed repeats: the same number gives the same input on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 to 1, mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** So many draws, at least `least` and at most `most`. */
  several<T>(least: number, most: number, draw: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, draw);
  }
}

/** The draws for these names: the same seed and names give the same draws, in whatever order requests arrive. */
export function drawn(seed: number, ...names: (string | number)[]): Random {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of names.join('\n')) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const random = new Random(hash);
  random.next();
  return random;
}
