/** Waiting for what another process has locked: who has it is said once, and it is tried again until the time is over. */
import type { Context } from '../command.ts';
import { durationInWords } from '../model/duration.ts';
import { LockHeld } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';

/** Milliseconds between two tries. */
const untilNextTry = 1000;

/** `wait`: milliseconds at the most. Throws `LockHeld` after that, and an interruption. */
export async function waitForLock<T>({ host, say }: Pick<Context, 'host' | 'say'>, wait: number, take: () => Promise<T>): Promise<T> {
  for (let waited = 0; ; waited += untilNextTry) {
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof LockHeld) || waited >= wait) throw error;
      if (waited === 0) say(sentence`${error.message} This waits for it, ${durationInWords(wait)} at most.`);
    }
    await host.sleep(Math.min(untilNextTry, wait - waited));
  }
}
