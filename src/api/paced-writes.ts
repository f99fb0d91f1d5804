/** A read of one resource as a trial, and the pace of writes that such reads try first. */
import type { Host } from '../host/host.ts';
import type { Client } from './client.ts';
import type { Operation } from './operations.ts';
import { Pace, type PaceOptions } from './pace.ts';
import type { RequestInput } from './request.ts';
import { waitAsked } from './retry.ts';
import type { Trial } from './trial-reads.ts';

/** `operation`: a GET. */
export type TrialOf = { operation: Operation; input: RequestInput };

/** Nothing is lost with it: Ctrl-C ends it, where a write is awaited. */
export function trialOf(client: Client, host: Pick<Host, 'now' | 'interrupted'>, { operation, input }: TrialOf): Trial {
  return async (over) => {
    const how = { isTrial: true, signal: AbortSignal.any([over, host.interrupted]) };
    const { status, headers } = await client.peek(operation, input, how);
    if (status === 429) return { limited: true, wait: waitAsked(headers['retry-after'], host.now()) };
    return status === 408 || status >= 500 ? 'failed' : 'answered';
  };
}

/** So many writes are worth the reads that try the service: fewer take hardly more connections than one. */
const worthwhile = 4;

type WriteOptions = Partial<Pick<PaceOptions, 'concurrency' | 'patience'>> & {
  writes: number;
  /** Undefined: no read can try it. */
  trial: TrialOf | undefined;
};

/** The pace of so many writes, one at a time unless more may be in flight, once reads have shown what the service can take. */
export async function paceOfWrites(
  client: Client,
  host: Pick<Host, 'now' | 'sleep' | 'interrupted'> & Partial<Pick<Host, 'log'>>,
  { writes, trial, concurrency = 1, ...options }: WriteOptions,
): Promise<Pace> {
  const pace = new Pace(host, {
    ...options,
    concurrency,
    rate: undefined,
    ...(trial && writes >= worthwhile ? { trial: trialOf(client, host, trial) } : {}),
  });
  await pace.explore(writes);
  return pace;
}
