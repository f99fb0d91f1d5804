/** Draws of fast-check, one after the other: a seed repeats them, and fast-check makes those of a failure smaller. */
import fc, { type GeneratorValue } from 'fast-check';
import { expect } from 'vitest';

const seed = Number(process.env.FUZZ_SEED ?? 20261121);
const times = Number(process.env.FUZZ_TIMES ?? 1);
/** Processor time that one input may take. Milliseconds. */
const mostTime = 5000;
/** How many smaller inputs of a failure are tried. */
const mostSmaller = 300;

/** How often a promise is tried: the same draws each time, unless FUZZ_SEED draws others. */
export const draws = (inputs: number) => ({ seed, numRuns: inputs * times });

/** So many inputs, times FUZZ_TIMES, break no promise. */
export async function holds(inputs: number, judge: (draw: Draw) => Promise<void>): Promise<void> {
  const judged = async (generator: GeneratorValue) => {
    const before = process.cpuUsage();
    await judge(new Draw(generator));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000, 'milliseconds of processor time').toBeLessThan(mostTime);
  };
  await fc.assert(fc.asyncProperty(fc.limitShrink(fc.gen(), mostSmaller), judged), draws(inputs));
}

/** None is made smaller: those of two secrets would be the same. */
const word = (letters: string) => fc.noShrink(fc.string({ unit: fc.constantFrom(...letters), minLength: 20, maxLength: 28 }));
const even = (most: number) => fc.noBias(fc.nat(most));

export class Draw {
  readonly #generator: GeneratorValue;

  constructor(generator: GeneratorValue) {
    this.#generator = generator;
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return this.#generator(even, limit - 1);
  }

  chance(share: number): boolean {
    return this.below(1000) >= 1000 - share * 1000;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** 20 to 28 of these letters. */
  word(letters: string): string {
    return this.#generator(word, letters);
  }

  /** So many draws, at least `least` and at most `most`. */
  several<T>(least: number, most: number, draw: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, draw);
  }

  /**
   * A text, of which each character stands for a byte, with one to four changes that keep most of its grammar: pieces cut, doubled,
   * moved, and replaced by what breaks readers. `others`: texts to take pieces from.
   */
  mutated(text: string, others: readonly string[] = [text]): string {
    const changes = 1 + this.below(4);
    let changed = text;
    for (let change = 0; change < changes; change += 1) changed = this.#changed(changed, others);
    return changed.slice(0, 1 << 18);
  }

  #changed(text: string, others: readonly string[]): string {
    if (this.chance(0.1)) return text.replace(/-?\d+/g, (digits) => (this.chance(0.2) ? this.pick(numbers) : digits));
    const from = this.below(text.length + 1);
    const to = from + this.pick([0, 1, this.below(12), this.below(400), text.length]);
    const piece = text.slice(from, to);
    const other = this.pick(others);
    const start = this.below(other.length + 1);
    const put = this.pick([
      ...['', piece.repeat(this.pick([2, 3, 100])), this.pick(nasty), this.pick(numbers), this.pick(nasty) + piece],
      ...[this.pick(wide).repeat(this.chance(0.02) ? 20_000 : this.pick([2, 20, 300])), String.fromCharCode(this.below(256))],
      other.slice(start, start + this.below(60)),
    ]);
    return text.slice(0, from) + put + text.slice(to);
  }
}

const numbers = ['', '-1', '0', '-0', '1e400', '1e999', '2147483648', '4294967296', '9007199254740993', '12345678901234567.25'];
const nasty = [
  ...['\n', '\r', '\r\n', '\t', '\0', '\u0007', '\u001b[2J', '\u009b31m'],
  ...' |"|""|\'|,|;|:|=|\\|/|<|>|&|[|]|{|}|()|%|#|@|$&|%s|../|-->|]]>|<!--|<![CDATA[|&amp;|&#0;|_x0000_|=1+1|sep=;\n|hint: run this'.split(
    '|',
  ),
  ...['NaN', 'null', 'true', 'undefined', '__proto__', 'constructor', 'toString', 'length', '\\u0000', '\\ud800', '|'],
  // Byte order marks, a letter, a character that turns the line, one without width, half of a pair.
  ...['\ufeff', '\u00e9', '\u202e', '\u200b'].map((each) => Buffer.from(each).toString('latin1')),
  ...['\u00ff\u00fe', '\u00ed\u00a0\u0080'],
];
const wide = ['a', ' ', ',', '"', '[', '(', '<', '{"a":', '\n', '\u00e9', '0', '-', '.', '@', ' ,', 'a@'];
