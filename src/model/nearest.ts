/** The closest word, for "did you mean": by optimal string alignment, blind to case. */
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';

/** A whole candidate, or its end behind a hyphen or a dot: headphones for --allow-headphones. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    const ends = [...candidate.matchAll(/^|[-.]\b/g)].map(({ index, 0: mark }) => candidate.slice(index + mark.length));
    for (const end of ends) {
      if (Math.abs(end.length - word.length) >= least) continue;
      const steps = distance(word.toLowerCase(), end.toLowerCase());
      if (steps < least) [best, least] = [candidate, steps];
    }
  }
  return best;
}

/** "Did you mean timezone? ", for a hint; empty where no candidate is near enough. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : `Did you mean ${meant}? `;
}

export function noChoice(what: string, given: string, choices: readonly string[]): InvalidValue {
  const meant = didYouMean(given, choices).trim();
  return new InvalidValue(sentence`${what} must be one of: ${choices.join(', ')}.`, meant ? sentence`${meant}` : undefined);
}

function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let steps = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      const areSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (areSwapped) steps = Math.min(steps, (before[j - 2] ?? 0) + 1);
      row.push(steps);
    }
    [before, above] = [above, row];
  }
  return above[b.length] ?? 0;
}
