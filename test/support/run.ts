/**
 * The whole program in process: `run(argv, world)` gives it an invented world and returns what it
 * printed and its exit status. No module is mocked; folders are real and temporary.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import { ClosedPipe, type Host, type OutputStream, pause } from '../../src/host.ts';
import { main } from '../../src/main.ts';

export type World = {
  /** Whether stdin, stdout and stderr are a terminal. */
  tty?: boolean;
  columns?: number;
  env?: Record<string, string>;
  stdin?: string;
  /** Answers to the questions, in order; a question without one fails the test. */
  answers?: (boolean | string)[];
  now?: string;
  zone?: string;
  /** A folder for configuration and state; a fresh one where it is absent. */
  home?: string;
  /** Called with each wait; nothing is ever waited for. */
  onSleep?: (milliseconds: number) => void | Promise<void>;
  random?: number;
  interrupt?: AbortSignal;
  /** Closes stdout after so many characters, as `head` does. */
  closeStdoutAfter?: number;
  execute?: Host['execute'];
};

export type Run = { code: number; stdout: string; stderr: string; questions: string[] };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone when the tests of the file are. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-test-'));
  folders.push(folder);
  return folder;
}

export async function run(argv: readonly string[], world: World = {}): Promise<Run> {
  const home = world.home ?? temporaryFolder();
  const printed: Run = { code: -1, stdout: '', stderr: '', questions: [] };
  const answers = [...(world.answers ?? [])];
  const answer = (question: string) => {
    printed.questions.push(question);
    if (answers.length === 0) throw new Error(`A question without an answer: ${question}`);
    return answers.shift();
  };
  const stream = (name: 'stdout' | 'stderr'): OutputStream => ({
    isTTY: world.tty === true,
    columns: world.tty ? (world.columns ?? 120) : undefined,
    async write(text) {
      if (name === 'stdout' && world.closeStdoutAfter !== undefined && printed.stdout.length >= world.closeStdoutAfter)
        throw new ClosedPipe();
      printed[name] += text;
    },
  });
  const interrupted = world.interrupt ?? new AbortController().signal;
  const clock = world.now === undefined ? undefined : Date.parse(world.now);
  const host: Host = {
    argv,
    env: { PROCTOR_CONFIG_DIR: join(home, 'config'), PROCTOR_STATE_DIR: join(home, 'state'), ...world.env },
    home,
    platform: 'linux',
    pid: process.pid,
    machine: 'test',
    stdin: { isTTY: world.tty === true, text: async () => world.stdin ?? '', bytes: () => Readable.from([Buffer.from(world.stdin ?? '')]) },
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    now: () => clock ?? Date.now(),
    zone: () => world.zone ?? 'UTC',
    async sleep(milliseconds) {
      await world.onSleep?.(milliseconds);
      if (interrupted.aborted) throw interrupted.reason;
      await pause(0, interrupted);
    },
    random: () => world.random ?? 0.5,
    interrupted,
    prompts: {
      confirm: async (message) => answer(message) as boolean,
      text: async (message) => answer(message) as string,
      password: async (message) => answer(message) as string,
    },
    execute: world.execute ?? (() => Promise.reject(new Error('no program may be run in this test'))),
  };
  printed.code = await main(host);
  return printed;
}
