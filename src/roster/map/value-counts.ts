/** How often each value stands in a column, and in which line first; of a column with very many values, that it has them. */
import { firstInLine } from '../../model/first-of.ts';
import { quote } from '../read/quote.ts';

/** Different values that are counted; a column with more of them is no choice between a few. */
const mostValues = 1000;
const shownValues = 8;
const longestValue = 200;

export type ValueCount = { value: string; count: number; line: number };

export class ValueCounts {
  readonly #counts = new Map<string, ValueCount>();
  /** There are more values than are counted, and the counts end there. */
  isOverfull = false;

  add(cell: string, line: number): void {
    if (this.isOverfull) return;
    const value = cell.slice(0, longestValue);
    const found = this.#counts.get(value);
    if (found) found.count += 1;
    else if (this.#counts.size < mostValues) this.#counts.set(value, { value, count: 1, line });
    else this.isOverfull = true;
  }

  /** In the order of the file. */
  get all(): ValueCount[] {
    return [...this.#counts.values()];
  }

  /** The values that fit, the rarest first. */
  rarest(): ValueCount[] {
    return this.all.sort((one, other) => one.count - other.count || one.line - other.line);
  }

  /** `"withdrawn" 1 (line 17), "enrolled" 296`, cut after a few. */
  inWords(values: readonly ValueCount[]): string {
    if (!this.isOverfull) return firstInLine(values, (value) => valueCountInWords(value), shownValues);
    return `more than ${mostValues} different values, such as ${values
      .slice(0, 3)
      .map(({ value }) => quote(value))
      .join(', ')}`;
  }
}

export function valueCountInWords({ value, count, line }: ValueCount, notes: readonly string[] = []): string {
  const beside = [...(count === 1 ? [`line ${line}`] : []), ...notes];
  return `${value === '' ? 'empty' : quote(value)} ${count}${beside.length === 0 ? '' : ` (${beside.join(', ')})`}`;
}
