/**
 * A machine on which the program is run: a home with its state, and each invocation under a number of its own, which the service
 * sees. In this process, in the time of the story; or as a process of the built program, which can be killed and stopped.
 */
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  /** After a kill, how many steps of the latest run are in doubt. */
  doubt?: number | undefined;
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
  /** Copies the state, and puts the copy back, as a backup does. */
  backUp(): void;
  restore(): boolean;
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
export function homeOf(folder: string): Omit<Machine, 'run'> {
  const [state, backup] = [join(folder, 'state'), join(folder, 'backup')];
  return {
    folder,
    file(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    backUp() {
      rmSync(backup, { recursive: true, force: true });
      if (existsSync(state)) cpSync(state, backup, { recursive: true, preserveTimestamps: true });
    },
    restore() {
      if (!existsSync(backup)) return false;
      // The database and what belongs to it. Of a whole folder, with the key and the number of the last commit, nobody could tell its age.
      for (const folder of [state, backup])
        for (const name of readdirSync(folder).filter((one) => one.startsWith('runs.sqlite'))) {
          if (folder === state) rmSync(join(state, name));
          else cpSync(join(backup, name), join(state, name), { preserveTimestamps: true });
        }
      return true;
    },
  };
}

/** Every run takes place in this process, in the time of the clock. `env`, `flags`: of each run. */
export function machineHere(
  service: Service,
  clock: Clock,
  numbers: Numbers,
  { env = {}, flags = [] }: { env?: Record<string, string>; flags?: readonly string[] } = {},
): Machine {
  const folder = temporaryFolder();
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
        onSleep: (milliseconds, signal) => clock.wait(milliseconds, signal),
        env: { ...environment(folder, service, by), ...env, ...given.env },
      };
      try {
        const { code, stdout, stderr, questions } = await run([...words, ...flags], world);
        return { by, words, code, signal: null, stdout, stderr, questions };
      } catch (error) {
        // A question that the story has no answer to, or a fault outside of all handlers.
        return { by, words, code: 1, signal: null, stdout: '', stderr: `thrown: ${String(error)}`, questions: [] };
      }
    },
  };
}
