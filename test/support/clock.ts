/**
 * The time of a story. An invented clock stands still while anything is at work, and jumps to the next moment for which
 * something waits; a real one is the machine's. Both can have a wall clock that is wrong, which only the program sees.
 */
import { setTimeout as pause } from 'node:timers/promises';

export type Clock = {
  /** The service's time. Milliseconds since 1970. */
  now(): number;
  /** What the program sees. */
  wall(): number;
  /** Sets the wall clock on, or back. */
  jump(milliseconds: number): void;
  /** Waits; rejects never, and ends early when the signal is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Does something later, once the time has come by itself: nothing waits for it. */
  later(milliseconds: number, act: () => void): void;
  /** Sets both to a moment, without what would have happened meanwhile. */
  set(moment: string): void;
  /** Lets time pass while no program runs, as at a prompt or between two runs. */
  pass(milliseconds: number): Promise<void>;
  /** Says that something is at work until the function that it returns is called. */
  busy(): () => void;
};

/** Turns of the event loop without work after which everybody is taken to be waiting. */
const quietTurns = 10;

export function inventedClock(start = '2027-01-04T08:00:00Z'): Clock {
  let now = Date.parse(start);
  let wrong = 0;
  let working = 0;
  let driving = false;
  const waiting = new Set<{ at: number; go: () => void }>();
  const due: { at: number; act: () => void }[] = [];

  function reach(moment: number) {
    due.sort((one, other) => one.at - other.at);
    while (due[0] && due[0].at <= moment) {
      const first = due.shift();
      if (first) now = Math.max(now, first.at);
      first?.act();
    }
    now = Math.max(now, moment);
  }

  async function drive() {
    driving = true;
    while (waiting.size > 0) {
      for (let turns = 0; turns < quietTurns; turns += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (working > 0) turns = -1;
      }
      let next: { at: number; go: () => void } | undefined;
      for (const each of waiting) if (!next || each.at < next.at) next = each;
      if (!next) break;
      waiting.delete(next);
      reach(next.at);
      next.go();
    }
    driving = false;
  }

  return {
    now: () => now,
    // A clock shows whole milliseconds.
    wall: () => Math.floor(now + wrong),
    jump(milliseconds) {
      wrong += milliseconds;
    },
    wait(milliseconds, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const mine = { at: now + Math.max(0, milliseconds), go: resolve };
        waiting.add(mine);
        signal?.addEventListener('abort', () => {
          waiting.delete(mine);
          resolve();
        });
        if (!driving) void drive();
      });
    },
    later(milliseconds, act) {
      due.push({ at: now + milliseconds, act });
    },
    set(moment) {
      now = Date.parse(moment);
    },
    async pass(milliseconds) {
      reach(now + milliseconds);
    },
    busy() {
      working += 1;
      let over = false;
      return () => {
        if (!over) working -= 1;
        over = true;
      };
    },
  };
}

export function realClock(): Clock {
  let wrong = 0;
  return {
    now: () => Date.now(),
    wall: () => Date.now() + wrong,
    jump(milliseconds) {
      wrong += milliseconds;
    },
    wait: (milliseconds, signal) => pause(milliseconds, undefined, signal ? { signal } : {}).catch(() => {}),
    later: (milliseconds, act) => void setTimeout(act, milliseconds),
    set() {},
    pass: (milliseconds) => pause(milliseconds),
    busy: () => () => {},
  };
}
