/** Which failed requests are sent again, by the `repeat` class of their operation, and the wait that a service asks for. */
import { CliError } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import type { Outgoing } from './request.ts';
import { TransportFailure } from './transport-failure.ts';

/** How often a request is sent that gets no clear answer. */
export const tries = 3;

/** Whether a request that failed so may be sent again: a read always, a write only if the service provably did nothing. */
export function mayRepeat(error: unknown, { repeat, method }: Outgoing, { limitedMeans }: Pick<Dialect, 'limitedMeans'>): boolean {
  if (repeat === 'never') return false;
  if (error instanceof TransportFailure) return !error.lasting && (repeat === 'safe' || !error.started);
  if (!(error instanceof CliError)) return false;
  if (error.code === 'rate_limited') return repeat === 'safe' || method !== 'POST' || limitedMeans === 'refused';
  return repeat === 'safe' && error.code === 'unavailable';
}

/**
 * The wait of a Retry-After header, given in seconds (fractions too) or as a date; undefined if it cannot be parsed, and if
 * it is over: a service that rounds 0.4 s down, or whose clock is behind, asks for none. Milliseconds.
 */
export function waitAsked(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  const asked = /^\d+(\.\d+)?$/.test(retryAfter.trim()) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return asked > 0 ? asked : undefined;
}
