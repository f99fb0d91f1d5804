/** A line that is interrupted at each of its requests in turn, and run again. */
import { interruption } from '../../runs/small-office.ts';
import type { Run } from '../../support/run.ts';
import type { Office } from '../times/exams.ts';

/** `then`: with the second run of the line, and what is to be said of a failure. */
export async function interruptedAtEach<It extends Office>(
  stage: () => Promise<It> | It,
  lineOf: (it: It) => Promise<string> | string,
  then: (it: It, again: Run, about: string) => void,
): Promise<void> {
  for (let at = 1, reached = true; reached; at += 1) {
    const it = await stage();
    const line = await lineOf(it);
    const stop = new AbortController();
    let requests = 0;
    it.service.fault = () => {
      requests += 1;
      if (requests === at) stop.abort(interruption);
      return undefined;
    };
    const stopped = await it.run(line, { interrupt: stop.signal });
    reached = requests >= at;
    it.service.fault = () => undefined;
    const again = await it.run(line);
    then(it, again, `after ${at}: ${stopped.stderr}\n${again.stderr}`);
  }
}
