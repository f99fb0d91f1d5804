/**
 * The closest word, for "did you mean". Edit distance with transpositions (Damerau-Levenshtein, optimal string
 * alignment), blind to case. Addresses are compared by where they have a slip, because those of one institution are all alike.
 */
import { folded } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';
import { addressKey } from './address-key.ts';
import { InvalidValue } from './invalid-value.ts';

/** The candidate nearest to a word; undefined where none is near enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = distance(word.toLowerCase(), candidate.toLowerCase());
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** The error for a value that is not one of a few words: "What must be one of: a, b, c; not "d"", with the word that was probably meant. */
export function noChoice(what: string, given: string, choices: readonly string[]): InvalidValue {
  const meant = nearest(given, choices);
  return new InvalidValue(
    sentence`${what} must be one of: ${choices.join(', ')}.`,
    meant === undefined ? undefined : sentence`Did you mean ${meant}?`,
  );
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let steps = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps = Math.min(steps, (before[j - 2] ?? 0) + 1);
      row.push(steps);
    }
    [before, above] = [above, row];
  }
  return above[b.length] ?? 0;
}

/** For each address the nearest of others, as far as there is one: it takes no step for each pair of them. */
export function nearestAddresses(wanted: readonly string[], others: Iterable<string>): Map<string, string> {
  const traces = Map.groupBy(
    wanted.flatMap((address) => [...tracesOf(address)].map((trace) => ({ trace, address }))),
    ({ trace }) => trace,
  );
  const near = new Map<string, string[]>();
  for (const other of new Set(others))
    for (const trace of new Set(tracesOf(other)))
      for (const { address } of traces.get(trace) ?? []) near.set(address, [...(near.get(address) ?? []), other]);
  return new Map([...near].map(([address, found]) => [address, nearest(address, found) ?? found[0] ?? '']));
}

/** By what an address with a slip is found: itself without accents and tag, its name, and itself without each of its letters. */
function* tracesOf(address: string): Generator<string> {
  const [local = '', ...domain] = folded(addressKey(address)).split('@');
  const plain = [local.split('+')[0], ...domain].join('@');
  const name = plain.indexOf('@');
  yield plain;
  if (name > 3) yield plain.slice(0, name + 1);
  // In a very short name, another letter is another person.
  for (let at = name < 3 ? name + 1 : 0; at < plain.length; at += 1) yield plain.slice(0, at) + plain.slice(at + 1);
}
