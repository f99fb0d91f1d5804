/** What a command has read and created, for the gate: known before the gate itself is loaded, which only a write does. */
import type { Shown } from '../../../api/gate.ts';

/** Answers that are remembered. */
const rememberedAtMost = 256;

export class Known {
  readonly #shown = new Map<string, Shown>();
  readonly #created = new Set<string>();

  saw(shown: Shown): void {
    const key = `${shown.resource} ${shown.id}`;
    this.#shown.delete(key);
    this.#shown.set(key, shown);
    const [oldest = ''] = this.#shown.keys();
    if (this.#shown.size > rememberedAtMost) this.#shown.delete(oldest);
  }

  shown(resource: Shown['resource'], id: string): Shown | undefined {
    return this.#shown.get(`${resource} ${id}`);
  }

  /** What is about to change will not be as it was shown. */
  forget(ids: readonly string[]): void {
    for (const [key, { id }] of this.#shown) if (ids.includes(id)) this.#shown.delete(key);
  }

  created(session: string): void {
    this.#created.add(session);
  }

  isCreated(session: string): boolean {
    return this.#created.has(session);
  }
}
