/**
 * The outside world as one injected value: arguments, environment, streams, clock, signals,
 * prompts, processes, dispatcher. Nothing else touches `process`, so a test can be the world.
 */
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import type { Dispatcher } from 'undici';
import { CliError } from '../errors.ts';
import { type Said, type Sentence, sentence } from '../text/sentence.ts';
import { stdoutIsClosed } from './closed-stdout.ts';
import { lineByLine } from './terminal/lines.ts';
import { plainPrompts } from './terminal/plain-prompts.ts';
import { inquirerPrompts } from './terminal/prompts.ts';
import { takeScreen } from './terminal/screen.ts';

/** Thrown by a write when the reader of the pipe has gone; a command that only reads ends quietly. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

export type OutputStream = {
  isTTY: boolean;
  /** Width of the terminal; undefined where there is none. */
  columns: number | undefined;
  /** Resolves when the text is on its way; waits for a slow reader. Throws `ClosedPipe`, or `output_failed`. */
  write(text: string): Promise<void>;
};

export type InputStream = {
  isTTY: boolean;
  /** All of stdin as UTF-8. */
  text(): Promise<string>;
  bytes(): AsyncIterable<Uint8Array>;
};

export type Prompts = {
  /** `initial` is the answer of Enter alone: no, where it is absent. */
  confirm<T extends string>(message: T & Said<T>, options?: { initial?: boolean }): Promise<boolean>;
  text<T extends string>(
    message: T & Said<T>,
    options?: { initial?: string; check?(value: string): Sentence | undefined | Promise<Sentence | undefined> },
  ): Promise<string>;
  password<T extends string>(message: T & Said<T>): Promise<string>;
  /** One of many, found by typing: `find` gives the choices for what has been typed so far, and notes between them. */
  search<T extends string>(message: T & Said<T>, find: (term: string) => readonly (Choice | string)[]): Promise<string>;
  /** Any number of a few; the values of those that were ticked. */
  tick<T extends string>(message: T & Said<T>, choices: readonly (Choice & { ticked: boolean })[]): Promise<string[]>;
};

/** What can be chosen, and how it is shown: a line that is fit for a terminal and fits into it. */
export type Choice = {
  value: string;
  label: string;
  /** Only what was typed: of what there is to choose from, nothing has this value. */
  unknown?: boolean;
};

/** The whole terminal, taken over until it is released; what was on it before is then there again. */
export type Screen = {
  columns: number;
  rows: number;
  /** Puts text there as it is, control sequences included. Throws as an output stream does. */
  write(text: string): Promise<void>;
  release(): void;
};

export type ScreenEvents = {
  /** A key was pressed. Ctrl-C is not told: it interrupts, as ever. */
  key(key: string): void;
  /** Columns or rows are others now. */
  resize(): void;
};

export type Host = {
  /** Arguments after the program's name. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: string;
  /** Version of the Node that runs this. */
  node: string;
  /** What tells this process from others, for people. */
  pid: number;
  machine: string;
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  /** Milliseconds since 1970. */
  now(): number;
  /** The zone of this machine, an IANA name; times are shown in it where no other is set, never read in it. */
  zone(): string;
  /** Waits; rejects when the command is interrupted, or with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0 to 1, for jitter. */
  random(): number;
  /** Aborted by SIGINT, SIGTERM and SIGHUP, with a `CliError` as its reason. */
  interrupted: AbortSignal;
  prompts: Prompts;
  /** The same questions line by line, for screen readers and dumb terminals. */
  plainPrompts: Prompts;
  /** Takes the terminal over. However the process ends, the terminal gets back to what it was. */
  screen(events: ScreenEvents): Screen;
  /**
   * Runs a program without a shell and without the token variables; resolves to what it printed. Rejects with a
   * `ProgramFailure`, or when the command is interrupted.
   */
  execute(file: string, args: readonly string[], limits: { milliseconds: number }): Promise<string>;
  /** Runs a line of the shell without the token variables, which reads `input` from stdin and prints to nobody. Rejects, saying why, if it fails or takes too long. */
  shell(line: string, options: { input: string; milliseconds: number; signal?: AbortSignal }): Promise<void>;
  /** Has an error that nothing caught reported; the process then ends with the status that comes back. */
  onCrash(report: (error: unknown) => Promise<number>): void;
  /** The dispatcher to use in place of a pool of our own. */
  dispatcher?: (origin: string) => Dispatcher;
};

/** Whether somebody is there to answer: on a terminal, and not where the environment tells a CI system or prompts are not wanted. */
export function canAsk(host: Host, noInput: boolean): boolean {
  return host.stdin.isTTY && host.stderr.isTTY && !noInput && !inCI(host);
}

export function inCI({ env }: Host): boolean {
  return env.CI !== undefined && !['', '0', 'false'].includes(env.CI.toLowerCase());
}

/** The world that this process lives in. */
export function realHost(): Host {
  const interruption = new AbortController();
  // Each request under way listens, however many there are.
  setMaxListeners(0, interruption.signal);
  const stop = (code: 'interrupted' | 'terminated', name: string) => () => {
    if (interruption.signal.aborted) process.exit(code === 'interrupted' ? 130 : 143);
    interruption.abort(new CliError(code, sentence`Stopped by ${name}.`));
  };
  const interrupt = stop('interrupted', 'Ctrl-C');
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', stop('terminated', 'SIGTERM'));
  process.on('SIGHUP', stop('terminated', 'SIGHUP'));
  const stdout = outputStream(1, () => process.stdout, 'the output');
  const orInterrupted = (signal?: AbortSignal) => (signal ? AbortSignal.any([interruption.signal, signal]) : interruption.signal);
  return {
    argv: process.argv.slice(2),
    env: process.env,
    home: process.env.HOME ?? process.env.USERPROFILE ?? '',
    platform: process.platform,
    node: process.versions.node,
    pid: process.pid,
    machine: hostname(),
    stdin: {
      isTTY: isatty(0),
      async text() {
        const parts: Buffer[] = [];
        for await (const part of stdinBytes(interruption.signal)) parts.push(part);
        return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
      },
      bytes: () => stdinBytes(interruption.signal),
    },
    stdout,
    stderr: outputStream(2, () => process.stderr, 'to stderr'),
    now: Date.now,
    zone: () => globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    sleep: (milliseconds, signal) => pause(milliseconds, orInterrupted(signal)),
    random: Math.random,
    interrupted: interruption.signal,
    prompts: inquirerPrompts(interruption.signal),
    plainPrompts: plainPrompts(lineByLine(interruption.signal)),
    screen: (events) => takeScreen(events, { interrupt, write: stdout.write }),
    async execute(file, args, { milliseconds }) {
      const { printedBy } = await import('./child-processes.ts');
      return printedBy(file, args, { milliseconds, signal: interruption.signal, env: environmentOfChildren() });
    },
    async shell(line, { input, milliseconds, signal }) {
      const { runLine } = await import('./child-processes.ts');
      return runLine(line, input, { milliseconds, signal: orInterrupted(signal), env: environmentOfChildren() });
    },
    onCrash(report) {
      process.once('uncaughtException', (error) => {
        // A second one while the first is reported changes nothing.
        process.on('uncaughtException', () => {});
        void report(error).then(process.exit, () => process.exit(1));
      });
    },
  };
}

/** The programs that people have us run get no token: what they start in turn could read it. */
function environmentOfChildren(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PROCTOR_TOKEN/i.test(name)));
}

/** Waits; an abort ends the wait with the signal's reason. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** A standard stream, opened at the first write: opening all three would cost as much as the program itself. */
function outputStream(descriptor: number, open: () => NodeJS.WriteStream, what: string): OutputStream {
  let stream: NodeJS.WriteStream | undefined;
  let closed: boolean | undefined;
  const opened = () => {
    stream ??= open().on('error', () => {});
    return stream;
  };
  return {
    isTTY: isatty(descriptor),
    get columns() {
      return this.isTTY ? opened().columns : undefined;
    },
    async write(text) {
      closed ??= descriptor === 1 && stdoutIsClosed(process.ppid);
      if (closed) throw new CliError('output_failed', sentence`Could not write ${what}: stdout is closed.`);
      return new Promise((resolve, reject) => {
        opened().write(text, (error?: (Error & { code?: string }) | null) => {
          if (!error) return resolve();
          const closed = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'EOF';
          reject(
            closed
              ? new ClosedPipe()
              : new CliError('output_failed', sentence`Could not write ${what}: ${error.message}.`, { cause: error }),
          );
        });
      });
    },
  };
}

/** The bytes of stdin until it ends. Throws the reason of an interruption: whoever writes there may never end. */
async function* stdinBytes(interrupted: AbortSignal): AsyncGenerator<Buffer> {
  interrupted.throwIfAborted();
  const stop = () => process.stdin.destroy(interrupted.reason);
  interrupted.addEventListener('abort', stop, { once: true });
  try {
    for await (const part of process.stdin) yield part as Buffer;
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}
