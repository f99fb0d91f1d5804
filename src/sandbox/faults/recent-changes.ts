/** What requests have changed in the last moments, for lists that lag. Older changes are forgotten. */
import type { Change } from '../handlers.ts';

export class RecentChanges {
  readonly #now: () => number;
  readonly #longest: number;
  #changes: (Change & { at: number })[] = [];

  /** `longest`: the longest time that is asked for, in milliseconds; 0 keeps nothing. */
  constructor(now: () => number, longest: number) {
    this.#now = now;
    this.#longest = longest;
  }

  /** What one request has changed, in this order. */
  add(changes: readonly Change[]): void {
    if (this.#longest === 0) return;
    const at = this.#now();
    this.#forget(at);
    this.#changes.push(...changes.map((change) => ({ ...change, at })));
  }

  /** The changes of the last milliseconds, in their order. */
  within(milliseconds: number, concerns: (change: Change) => boolean): Change[] {
    const now = this.#now();
    this.#forget(now);
    return this.#changes.filter((change) => now - change.at < milliseconds && concerns(change));
  }

  #forget(now: number): void {
    const kept = this.#changes.findIndex(({ at }) => now - at < this.#longest);
    if (kept !== 0) this.#changes = kept < 0 ? [] : this.#changes.slice(kept);
  }
}
