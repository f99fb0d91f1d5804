/** Draws of a story: each is named, so that one more request elsewhere does not change what becomes of another. */
import { Random } from './random.ts';

/** The draws for these names: the same seed and names give the same draws, in whatever order requests arrive. */
export function drawn(seed: number, ...names: (string | number)[]): Random {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of names.join('\n')) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const random = new Random(hash);
  random.next();
  return random;
}
