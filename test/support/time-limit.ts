/**
 * The time limit of requests, which a test ends at the moment that it chooses: a service is silent, and no test waits
 * for the limit. A short one would end, on a busy machine, requests that are to succeed as well.
 */
import { onTestFinished } from 'vitest';

/** `option`: of the command line. `end` ends the time of all requests that are in flight. */
export function timeLimit(seconds = 20): { option: string; end(): void } {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const running = new Map<unknown, () => void>();
  globalThis.setTimeout = Object.assign((act: (...args: unknown[]) => void, milliseconds?: number, ...args: unknown[]) => {
    const timer = set(act, milliseconds, ...args);
    if (milliseconds === seconds * 1000) running.set(timer, () => act(...args));
    return timer;
  }, set) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    running.delete(timer);
    clear(timer);
  };
  onTestFinished(() => {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  });
  return {
    option: `--timeout ${seconds}s`,
    end() {
      for (const [timer, act] of [...running]) {
        globalThis.clearTimeout(timer as NodeJS.Timeout);
        act();
      }
    },
  };
}
