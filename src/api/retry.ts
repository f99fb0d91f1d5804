/** How often a request is retried, and the wait before each retry, by the `repeat` class of its operation. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { Repeat } from './operations.ts';
import { TransportFailure } from './transport-failure.ts';

export const tries = 3;
/** Milliseconds: the longest wait before the first retry, and the longest that the service may ask for. */
const backoffBase = 500;
/** So long until a service has noticed that connections are closed. Milliseconds. */
export const untilNoticed = 100;
const longestWait = 30_000;

export function mayRepeat(error: unknown, repeat: Repeat): boolean {
  if (repeat === 'never') return false;
  if (error instanceof TransportFailure) {
    if (error.lasting) return false;
    return repeat === 'safe' || !error.started;
  }
  return repeat === 'safe' && error instanceof CliError && (error.code === 'unavailable' || error.code === 'rate_limited');
}

/** Full jitter, and at least what the service asks for, within a limit. Milliseconds. */
export function waitFor(attempt: number, retryAfter: string | undefined, host: Host): number {
  const jitter = host.random() * backoffBase * 2 ** (attempt - 1);
  return Math.max(jitter, waitAsked(retryAfter, host.now()) ?? 0);
}

/**
 * The wait of a Retry-After header, given in seconds (fractions too) or as a date, within a limit; undefined
 * if it cannot be parsed, and if it is over: a service that rounds 0.4 s down, or whose clock is behind, asks for none.
 * Milliseconds.
 */
export function waitAsked(retryAfter: string | undefined, now: number, limit = longestWait): number | undefined {
  if (retryAfter === undefined) return undefined;
  const asked = /^\d+(\.\d+)?$/.test(retryAfter.trim()) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return asked > 0 ? Math.min(asked, limit) : undefined;
}
