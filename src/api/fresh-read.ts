/**
 * A write that replaces or deletes what a read has shown is sent only while that read is young. If the service's limit delays the
 * write for too long, its caller reads again first.
 */
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** How old the read before a write may be when the write leaves. Milliseconds. */
const freshFor = 10_000;

export class OutdatedRead extends CliError<Sentence> {
  constructor(does: string) {
    super(
      'rate_limited',
      sentence`The request to ${does} was not sent: the service limits requests, and the wait made the read before it more than 10 s old.`,
    );
  }
}

/** Throws `OutdatedRead` for a write that would leave too late. `readAt`: when the write's read was made. */
export function assertFresh({ does, readAt }: { does: string; readAt?: number | undefined }, now: number): void {
  if (readAt !== undefined && now - readAt > freshFor) throw new OutdatedRead(does);
}

/** Reads and writes; both once more if the write came too late. */
export async function withFreshRead<T>(readAndWrite: () => Promise<T>): Promise<T> {
  try {
    return await readAndWrite();
  } catch (error) {
    if (error instanceof OutdatedRead) return readAndWrite();
    throw error;
  }
}
