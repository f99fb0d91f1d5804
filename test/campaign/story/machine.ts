/**
 * A machine on which the program is run: a home with its state, and each invocation under a number of its own, which the service
 * sees. In this process, in the time of the story; or as a process of the built program, which can be killed and stopped.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../support/clock.ts';
import { run, temporaryFolder, type World } from '../../support/run.ts';
import type { Service } from '../../support/service.ts';

export type Ended = {
  /** The number of the invocation, from 1. */
  by: number;
  words: readonly string[];
  /** Null after a signal. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The questions of a terminal. */
  questions: readonly string[];
  /** The end of another process of the same command, which was stopped meanwhile. */
  also?: Ended;
};

export type Given = Pick<World, 'tty' | 'answers' | 'stdin' | 'interrupt' | 'env'>;
export type Machine = {
  folder: string;
  /** Runs the program to its end; `starts` is called with the number of each process, before it is there. */
  run(words: readonly string[], given?: Given, starts?: (by: number) => void): Promise<Ended>;
  /** Writes a file into the home; its path. */
  file(name: string, text: string): string;
};

/** Numbers of the invocations of a story, over all its machines. */
export type Numbers = { last: number };

/** What each invocation knows of its world. */
export function environment(folder: string, service: Pick<Service, 'baseUrl'>, by: number): Record<string, string> {
  return {
    PROCTOR_CONFIG_DIR: join(folder, 'config'),
    PROCTOR_STATE_DIR: join(folder, 'state'),
    PROCTOR_BASE_URL: service.baseUrl,
    PROCTOR_TOKEN: `a-token-of-the-campaign-${by}`,
    PROCTOR_INSTITUTE: '1',
    PROCTOR_TIMEZONE: 'UTC',
  };
}

/** The home, with what both kinds of machines do with its files. */
export const homeOf = (folder: string): Omit<Machine, 'run'> => ({
  folder,
  file(name, text) {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  },
});

/** Every run takes place in this process, in the time of the clock. */
export function machineHere(service: Service, clock: Clock, numbers: Numbers, folder = temporaryFolder()): Machine {
  return {
    ...homeOf(folder),
    async run(words, given = {}, starts = () => {}) {
      numbers.last += 1;
      const by = numbers.last;
      starts(by);
      const world: World = {
        ...given,
        home: folder,
        dispatcher: service.dispatcher,
        now: () => clock.wall(),
        elapsed: () => clock.now(),
        onSleep: (milliseconds, signal) => clock.wait(milliseconds, signal),
        env: { ...environment(folder, service, by), ...given.env },
      };
      try {
        const { code, stdout, stderr, questions } = await run(words, world);
        return { by, words, code, signal: null, stdout, stderr, questions };
      } catch (error) {
        // A question that the story has no answer to, or a fault outside of all handlers.
        return { by, words, code: 1, signal: null, stdout: '', stderr: `thrown: ${String(error)}`, questions: [] };
      }
    },
  };
}
