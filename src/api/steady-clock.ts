/**
 * A clock that never goes back. That of a machine may: it is set by hand or by its network, and what waits for a moment of
 * its former time would wait for as long as it was set back.
 */
import type { Host } from '../host/host.ts';

/** Milliseconds, as those of the host except for the steps back. */
export function steadyClock(host: Pick<Host, 'now'>): () => number {
  let last = Number.NEGATIVE_INFINITY;
  let lost = 0;
  return () => {
    const told = host.now();
    lost += Math.max(0, last - told);
    last = told;
    return told + lost;
  };
}
