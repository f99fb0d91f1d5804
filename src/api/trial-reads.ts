/**
 * Reads that try how many requests a service can take: all of them at once, awaited for a limited time, and counted.
 * Nothing is lost with a read that the service refuses, resets or ignores.
 */

/** A trial may take so long, or four times as long as an answer. Milliseconds. */
export const shortestTrial = 1000;

/** A read is late after so many milliseconds, where another took so many. */
export function lateAfter(latency: number): number {
  return Math.max(shortestTrial, 4 * latency);
}

/** How long the first answer is awaited where the time of an answer is not known. Milliseconds. */
const longestSilence = 10_000;
/** A failed trial is repeated with so many times the reads at the most. */
const fewer = 0.75;

/** The end of one read. `wait`: so long the service asked to wait, in milliseconds. */
export type TrialRead = 'answered' | 'failed' | { limited: true; wait: number | undefined };

/**
 * A harmless read. `over`: the trial has ended, and a read that is still in flight is `late`: it would only keep a
 * connection from a write.
 */
export type Trial = (over: AbortSignal) => Promise<TrialRead>;

/** The same read at its turn. `wait`: how long no request may be sent, in milliseconds. */
export type TriedRead = { end: 'answered' | 'failed' | 'limited'; wait: number };

/**
 * How a trial ended. `late`: some reads were answered in time, and others were not; `silent`: none was, or none was sent.
 * `answered`: so many reads. `wait`: the longest that one was asked to wait.
 */
export type TrialResult = { end: TriedRead['end'] | 'late' | 'silent'; answered: number; wait: number };

/**
 * `begins` resolves to whether the trial still makes sense, once no other request is in flight. `latency`: how long an
 * answer takes, if known. `limit`: a time limit, which `over` ends. Milliseconds.
 */
export type TrialOptions = {
  reads: number;
  latency: number | undefined;
  begins: () => Promise<boolean>;
  read: (over: AbortSignal) => Promise<TriedRead>;
  now: () => number;
  limit: (milliseconds: number, over: AbortSignal) => Promise<void>;
};

/** Sends the reads; resolves once all have ended, or their time is over. */
export async function tryReads({ reads, latency, begins, read, now, limit }: TrialOptions): Promise<TrialResult> {
  const over = new AbortController();
  const ends: TriedRead[] = [];
  let first: () => void = () => {};
  const heard = new Promise<void>((resolve) => {
    first = resolve;
  });
  const all = begins().then(async (isWanted) => {
    if (over.signal.aborted || !isWanted) return;
    const one = async () => {
      ends.push(await read(over.signal));
      first();
    };
    await Promise.all(Array.from({ length: reads }, one));
  });
  const wait = (milliseconds: number) => limit(milliseconds, over.signal).catch(() => {});
  const began = now();
  if (latency === undefined) await Promise.race([all, heard, wait(longestSilence)]);
  // The others would take as long to tell no more, where none was answered.
  if (latency !== undefined || ends.length > 0) await Promise.race([all, wait(lateAfter(latency ?? now() - began))]);
  over.abort('late');
  const bad = (['limited', 'failed'] as const).find((bad) => ends.some(({ end }) => end === bad));
  return {
    end: bad ?? (ends.length === reads ? 'answered' : ends.length > 0 ? 'late' : 'silent'),
    answered: ends.filter(({ end }) => end === 'answered').length,
    wait: Math.max(0, ...ends.map(({ wait }) => wait)),
  };
}

/** How many reads to try after a trial with so many failed. Silence takes long to notice: then one shows whether reads are answered at all. */
export function fewerThan(reads: number, { end, answered }: TrialResult): number {
  if (end === 'silent') return reads > 1 ? 1 : 0;
  return answered > 0 ? Math.min(answered, Math.max(1, Math.floor(reads * fewer)), reads - 1) : reads >> 1;
}
