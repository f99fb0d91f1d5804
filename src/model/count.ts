/** Things in words: how many there are, and the first of them. */
import { quote } from '../text/characters.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** "1 row", "2 rows". */
export function count(things: number, name: string, plural = `${name}s`): string {
  return `${things} ${things === 1 ? name : plural}`;
}

export function students(number: number): string {
  return count(number, 'student');
}

/** `Math.max` takes no list of any length. */
export function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), -Infinity);
}

const toldAtMost = 20;

export function firstLines<T>(items: readonly T[], line: (item: T) => Sentence, others = 'more'): Sentence[] {
  const lines = items.slice(0, toldAtMost).map(line);
  const left = items.length - toldAtMost;
  return left > 0 ? [...lines, sentence`… and ${left} ${others}.`] : lines;
}

export function quoteAll(texts: readonly string[], most = 8): string {
  return firstInLine(texts, quote, most);
}

/** "a, b and 3 more". */
export function firstInLine<T>(items: readonly T[], text: (item: T) => string, most: number): string {
  const first = items.slice(0, most).map(text).join(', ');
  return items.length > most ? `${first} and ${items.length - most} more` : first;
}
