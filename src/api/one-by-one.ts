/**
 * The items of batches, one after the other. An async generator takes three turns of the queue of promises
 * for each item; a list of a million has to do with one. The next item is asked for once the last one is
 * there, as `for await` does.
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
