/** How many requests are in flight: what people and features ask for. `ConcurrencyLevel` finds the number within it. */

/** So many, or as many as help: `from` so many, 8 where it is absent, up to a cap. */
export type Concurrency = number | { from?: number; upTo: number };

/** Where a concurrency that finds its level begins and ends, unless a user or a feature says otherwise. */
export const usualConcurrency = { from: 8, upTo: 64 } as const;

/** The number of requests that are in flight at most. */
export function mostInFlight(concurrency: Concurrency): number {
  return typeof concurrency === 'number' ? concurrency : concurrency.upTo;
}

/** The number of requests that are in flight at first. */
export function firstLevel(concurrency: Concurrency): number {
  return typeof concurrency === 'number' ? concurrency : Math.min(concurrency.from ?? usualConcurrency.from, concurrency.upTo);
}

/** How long an answer may be expected to take for more requests to be in flight, by the time limit of a request. Milliseconds. */
export function patienceWithin(timeoutMilliseconds: number): number {
  return timeoutMilliseconds / 4;
}
