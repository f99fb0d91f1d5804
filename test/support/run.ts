/**
 * The whole program in process: `run(argv, world)` gives it an invented world and returns what it
 * printed and its exit status. No module is mocked; folders are real and temporary.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ClosedPipe, type Host, type OutputStream, type World as Outside, type Prompts } from '../../src/host/host.ts';
import { main } from '../../src/main.ts';

export type World = {
  /** Whether stdin, stdout and stderr are a terminal. */
  tty?: boolean;
  columns?: number;
  env?: Record<string, string>;
  stdin?: string;
  /**
   * Answers to the prompts, in order; a prompt without an answer fails the test. After a refused text comes
   * the next one; in a picker a text is typed before Enter; a list is ticked. A function runs while the prompt
   * is open.
   */
  answers?: (boolean | string | string[] | ((question: string) => Promise<boolean | string>))[];
  /** The wall clock: a moment at which it starts, or a clock of the test's own. */
  now?: string | (() => number);
  /** The clock that nobody sets. Milliseconds. */
  elapsed?: () => number;
  zone?: string;
  /** Such as `win32`; this machine's where it is absent. */
  platform?: string;
  /** A folder for configuration and state; a fresh one where it is absent. */
  home?: string;
  /** Called with each wait, which takes as long as this does. */
  onSleep?: (milliseconds: number, signal?: AbortSignal) => void | Promise<void>;
  /** Each wait moves the clock on by as long as it would have taken; so it does where the test has no clock of its own. */
  clockRuns?: true;
  random?: number;
  interrupt?: AbortSignal;
  /** Closes stdout after so many characters, as `head` does. */
  closeStdoutAfter?: number;
  /** The error thrown by stdout, as a bug would. */
  breakStdout?: Error;
  execute?: Host['execute'];
  /** Takes the requests in place of the network. */
  dispatcher?: Dispatcher;
  /** Pressed, one by one, once something has been drawn on the whole screen. */
  keys?: string;
};

export type Run = {
  code: number;
  stdout: string;
  stderr: string;
  questions: string[];
  /** The messages for refused answers. */
  refusals: string[];
  /** The choices of each picker for the typed text, and of each list to tick. */
  offered: string[][];
};

const folders: string[] = [];
/**
 * After each file of tests (each-file.ts), and at the end of this process. A process that a test has just ended may
 * still write into its folder, which then stays until the next time.
 */
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      folders.push(folder);
    }
  }
}
process.on('exit', removeTemporaryFolders);

/** A folder that is gone when the tests of the file are. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-test-'));
  folders.push(folder);
  return folder;
}

/**
 * A folder in which the gate of the running exam is off, for tests of requests that the gate is not about: it
 * may read an exam before a write (`test/cli/gate`).
 */
export function ungatedFolder(folder = temporaryFolder(), profile = 'default'): string {
  if (existsSync(join(folder, 'config'))) return folder;
  mkdirSync(join(folder, 'config'), { recursive: true, mode: 0o700 });
  const profiles = { [profile]: { protectRunningExams: 'off' } };
  writeFileSync(join(folder, 'config', 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
  return folder;
}

/** What is told on stderr beside a result in JSON, as a person reads it. */
export function told(stderr: string): string {
  const inWords = (line: string) => {
    const [[as, { message }] = ['error', {}]] = Object.entries(JSON.parse(line) as Record<string, { message?: string }>);
    return as === 'error' ? line : `${as === 'warning' ? 'warning: ' : ''}${message}`;
  };
  return stderr.replace(/^\{.*$/gm, inWords);
}

export async function run(argv: readonly string[], world: World = {}): Promise<Run> {
  const printed = { ...nothing, questions: [], refusals: [], offered: [] };
  printed.code = await main(hostOf(world, argv, printed));
  return printed;
}

const nothing: Run = { code: -1, stdout: '', stderr: '', questions: [], refusals: [], offered: [] };

/** The surroundings of one invocation; what it prints and asks is put into `printed`. */
export function hostOf(world: World = {}, argv: readonly string[] = [], printed: Run = nothing): Host & Outside {
  const home = world.home ?? temporaryFolder();
  const answers = [...(world.answers ?? [])];
  const answer = (question: string) => {
    printed.questions.push(question);
    if (answers.length === 0) throw new Error(`A question without an answer: ${question}`);
    return answers.shift();
  };
  const asked = async <T>(question: string) => {
    const given = answer(question);
    return (typeof given === 'function' ? await given(question) : given) as T;
  };
  const stream = (name: 'stdout' | 'stderr'): OutputStream => ({
    isTTY: world.tty === true,
    // Messages are wrapped only where a test says how wide its terminal is.
    columns: world.tty ? (world.columns ?? (name === 'stdout' ? 120 : undefined)) : undefined,
    async write(text) {
      if (name === 'stdout' && world.closeStdoutAfter !== undefined && printed.stdout.length >= world.closeStdoutAfter)
        throw new ClosedPipe();
      if (name === 'stdout' && world.breakStdout) throw world.breakStdout;
      printed[name] += text;
    },
  });
  const interrupted = world.interrupt ?? new AbortController().signal;
  const { now } = world;
  const start = typeof now === 'string' ? Date.parse(now) : undefined;
  const clock = typeof now === 'function' ? now : () => start ?? Date.now();
  let slept = 0;
  const prompts: Prompts = {
    async confirm(message, initial = false) {
      const given = await asked<boolean | ''>(message);
      // Enter alone.
      return given === '' ? initial : given;
    },
    async text(message, { initial = '', check } = {}) {
      let given = await asked<string>(message);
      for (;;) {
        const problem = await check?.(given || initial);
        if (problem === undefined) return given || initial;
        printed.refusals.push(problem);
        if (answers.length === 0) throw new Error(`An answer that is refused: ${problem}`);
        given = answers.shift() as string;
      }
    },
    password: async (message) => answer(message) as string,
    async search(message, find) {
      // Where nothing can be chosen, another word is typed.
      for (;;) {
        const found = find(await asked<string>(message));
        printed.offered.push(found.map((choice) => (typeof choice === 'string' ? choice : choice.label)));
        const first = found.find((choice) => typeof choice !== 'string');
        if (first) return first.value;
      }
    },
    async tick(message, choices) {
      printed.offered.push(choices.map(({ label }) => `[ ] ${label}`));
      // Where nothing is ticked, the question stays.
      for (;;) {
        const given = await answer(message);
        if (Array.isArray(given) && given.length > 0) return given;
      }
    },
  };
  return {
    argv,
    // Colours are for the tests of colours.
    env: { NO_COLOR: '1', PROCTOR_CONFIG_DIR: join(home, 'config'), PROCTOR_STATE_DIR: join(home, 'state'), ...world.env },
    home,
    platform: world.platform ?? process.platform,
    node: process.versions.node,
    pid: process.pid,
    machine: 'test',
    stdin: { isTTY: world.tty === true, bytes: () => Readable.from([Buffer.from(world.stdin ?? '')]) },
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    now: () => clock() + slept,
    elapsed: () => (world.elapsed ?? clock)() + slept,
    atOnce: async (work) => work(),
    zone: () => world.zone ?? 'UTC',
    async sleep(milliseconds, signal) {
      if (world.clockRuns ?? typeof world.now !== 'function') slept += milliseconds;
      const ends = signal ? AbortSignal.any([interrupted, signal]) : interrupted;
      await world.onSleep?.(milliseconds, ends);
      if (interrupted.aborted) throw interrupted.reason;
      // A timer, however short, would let an invented clock run on.
      await new Promise((resolve) => setImmediate(resolve));
      ends.throwIfAborted();
    },
    random: () => world.random ?? 0.5,
    interrupted,
    questions: async () => prompts,
    async screen({ key }) {
      const keys = [...(world.keys ?? '')];
      return {
        columns: world.columns ?? 120,
        rows: 30,
        async write(text) {
          printed.stdout += text;
          for (const each of keys.splice(0)) key(each);
        },
        release() {},
      };
    },
    onCrash() {},
    ...(world.dispatcher ? { dispatcher: () => world.dispatcher as Dispatcher } : {}),
    execute: world.execute ?? (() => Promise.reject(new Error('no program may be run in this test'))),
  };
}
