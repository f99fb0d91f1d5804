/** Which failed requests are sent again, and the wait that a service asks for. */
import { CliError } from '../errors.ts';
import type { Outgoing } from './request.ts';
import { TransportFailure } from './transport-failure.ts';

/** How often a request is sent that gets no clear answer. */
export const tries = 3;

/** Whether a request that failed so may be sent again by itself: a read; a step of a run is sent once, and the run decides. */
export function mayRepeat(error: unknown, { write }: Pick<Outgoing, 'write'>): boolean {
  if (write) return false;
  if (error instanceof TransportFailure) return !error.lasting;
  return error instanceof CliError && (error.code === 'rate_limited' || error.code === 'unavailable');
}

/**
 * The wait of a Retry-After header, given in seconds (fractions too) or as a date, the longest of several; undefined if it cannot be
 * parsed, and if it is over: a service that rounds 0.4 s down, or whose clock is behind, asks for none. Milliseconds.
 */
export function waitAsked(retryAfter: string | undefined, now: number): number | undefined {
  // The comma behind the weekday belongs to a date.
  const values = (retryAfter ?? '').split(/(?<!mon|tue|wed|thu|fri|sat|sun|day),/i);
  const asked = values.map((value) => (/^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now));
  const longest = Math.max(...asked.filter((wait) => wait > 0));
  return longest > 0 ? longest : undefined;
}
