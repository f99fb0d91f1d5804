/**
 * Prepares items ahead of their turn, in groups, so that none waits for the disk when its turn comes. Invariants:
 * an item is handed out once, and only when it is ready; what is ready is handed out also when nothing more is to
 * be begun, because each item that is ready has to be abandoned explicitly.
 */
type PrefetchOptions<T> = {
  /** The number of items to keep ready at the moment. */
  most(): number;
  /** Whether no further item may begin. */
  stopping(): boolean;
  makeReady(items: readonly T[]): Promise<unknown>;
  /** Told what failed: `stopping` is true from then on. */
  fail(error: unknown): void;
};

/** Resolves to the next item each time; to undefined when there are no more. */
export function prefetch<T>(items: Iterable<T>, { most, stopping, makeReady, fail }: PrefetchOptions<T>): () => Promise<T | undefined> {
  const iterator = items[Symbol.iterator]();
  const ready: T[] = [];
  let ended = false;
  let refilling: Promise<void> | undefined;

  async function refill() {
    try {
      const next: T[] = [];
      while (next.length < 2 * most() && !ended && !stopping()) {
        const { done, value } = iterator.next();
        if (done) ended = true;
        else next.push(value);
      }
      await makeReady(next);
      ready.push(...next);
    } catch (error) {
      fail(error);
    }
  }

  return async () => {
    for (;;) {
      if (ready.length < most() && !ended && !stopping()) {
        refilling ??= refill().finally(() => {
          refilling = undefined;
        });
      }
      const taken = ready.shift();
      if (taken !== undefined || !refilling) return taken;
      await refilling;
    }
  };
}
