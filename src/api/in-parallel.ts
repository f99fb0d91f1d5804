/** The same call for many items, a few at a time: how a feature reads what takes a request each. */

const usualConcurrency = 8;

/**
 * Resolves to the results of `act`, in the order of the items; at most `concurrency` calls are in flight. After an error
 * it begins no further call, and rejects with the first error once those in flight have ended: a client that is closed
 * under them would fail them all.
 */
export async function inParallel<Item, T>(
  items: readonly Item[],
  act: (item: Item) => Promise<T>,
  { concurrency = usualConcurrency }: { concurrency?: number } = {},
): Promise<T[]> {
  const results: T[] = [];
  const left = items.entries();
  let stopped: { by: unknown } | undefined;
  const worker = async () => {
    for (const [at, item] of left) {
      if (stopped) return;
      try {
        results[at] = await act(item);
      } catch (by) {
        stopped ??= { by };
      }
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, worker);
  for (const each of workers) await each;
  if (stopped) throw stopped.by;
  return results;
}
