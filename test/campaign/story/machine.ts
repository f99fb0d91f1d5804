/**
 * A machine on which the program is run: a home with its state, and each invocation under a number of its own, which the service
 * sees. In this process, in the time of the story; or as a process of the built program (`process-machine.ts`).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, type World } from '../../support/run.ts';
import type { Service } from '../../support/service.ts';

export type Ended = {
  /** The number of the invocation, from 1. */
  by: number;
  words: readonly string[];
  /** Null after a signal. */
  code: number | null;
  signal?: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The questions of a terminal. */
  questions: readonly string[];
  /** The end of another process of the same command, which was stopped meanwhile. */
  also?: Ended;
};

export type Given = Pick<World, 'tty' | 'answers' | 'interrupt' | 'env'>;
export type Machine = {
  folder: string;
  /** Runs the program to its end; `starts` says the number of each process, before it is there. */
  run(words: readonly string[], starts: () => number, given?: Given): Promise<Ended>;
};

/** Writes a file into the home of a machine; its path. */
export function fileOn({ folder }: Machine, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What each invocation knows of its world. */
export const environment = (folder: string, { baseUrl }: Service, by: number): Record<string, string> => ({
  PROCTOR_CONFIG_DIR: join(folder, 'config'),
  PROCTOR_STATE_DIR: join(folder, 'state'),
  PROCTOR_BASE_URL: baseUrl,
  PROCTOR_TOKEN: `a-token-of-the-campaign-${by}`,
  PROCTOR_INSTITUTE: '1',
  PROCTOR_TIMEZONE: 'UTC',
});

/** Every run takes place in this process, in the time of the service. */
export function machineHere(service: Service, folder = temporaryFolder()): Machine {
  return {
    folder,
    async run(words, starts, given = {}) {
      const by = starts();
      const env = { ...environment(folder, service, by), ...given.env };
      // A question that the story has no answer to, or a fault outside of all handlers.
      const thrown = (error: unknown) => ({ code: 1, stdout: '', stderr: `thrown: ${String(error)}`, questions: [] });
      const world = { ...given, home: folder, env, elapsed: () => service.clock.now() };
      return { by, words, ...(await service.run(words, world).catch(thrown)) };
    },
  };
}
