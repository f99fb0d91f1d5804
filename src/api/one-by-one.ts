/**
 * The items of batches, one after the other. An async generator takes three microtasks for each item, too slow for
 * a list of a million; this iterator takes one. Like `for await`, it expects one call of `next` at a time.
 */
export function oneByOne<T>(batches: AsyncGenerator<readonly T[], void>): AsyncIterableIterator<T> {
  let batch: readonly T[] = [];
  let at = 0;
  const ended = { done: true, value: undefined } as const;

  async function refilled(): Promise<IteratorResult<T>> {
    do {
      const next = await batches.next();
      if (next.done) return ended;
      batch = next.value;
    } while (batch.length === 0);
    at = 1;
    return { done: false, value: batch[0] as T };
  }

  return {
    next: () => (at < batch.length ? Promise.resolve({ done: false, value: batch[at++] as T }) : refilled()),
    async return() {
      batch = [];
      await batches.return();
      return ended;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
