/**
 * The outside world as one injected value: arguments, environment, streams, clock, signals,
 * prompts, processes, dispatcher. Nothing else touches `process`, so a test can be the world.
 */
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import type { Dispatcher } from 'undici';
import { CliError } from './errors.ts';

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
  confirm(message: string): Promise<boolean>;
  text(
    message: string,
    options?: { initial?: string; check?(value: string): string | undefined | Promise<string | undefined> },
  ): Promise<string>;
  password(message: string): Promise<string>;
};

export type Host = {
  /** Arguments after the program's name. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: string;
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
  /** Waits; rejects when the command is interrupted. */
  sleep(milliseconds: number): Promise<void>;
  /** 0 to 1, for jitter. */
  random(): number;
  /** Aborted by SIGINT, SIGTERM and SIGHUP, with a `CliError` as its reason. */
  interrupted: AbortSignal;
  prompts: Prompts;
  /** Runs a program without a shell; resolves to what it printed. Rejects if it fails or takes too long. */
  execute(file: string, args: readonly string[], limits: { milliseconds: number }): Promise<string>;
  /** The dispatcher to use in place of a pool of our own. */
  dispatcher?: (origin: string) => Dispatcher;
};

/** The environment tells a CI system or asks for no prompts. */
export function canAsk(host: Host, noInput: boolean): boolean {
  const inCI = host.env.CI !== undefined && !['', '0', 'false'].includes(host.env.CI.toLowerCase());
  return host.stdin.isTTY && host.stderr.isTTY && !noInput && !inCI;
}

/** The world that this process lives in. */
export function realHost(): Host {
  const interruption = new AbortController();
  // Each request under way listens, however many there are.
  setMaxListeners(0, interruption.signal);
  const stop = (code: 'interrupted' | 'terminated', name: string) => () => {
    if (interruption.signal.aborted) process.exit(code === 'interrupted' ? 130 : 143);
    interruption.abort(new CliError(code, `Stopped by ${name}.`));
  };
  process.on('SIGINT', stop('interrupted', 'Ctrl-C'));
  process.on('SIGTERM', stop('terminated', 'SIGTERM'));
  process.on('SIGHUP', stop('terminated', 'SIGHUP'));
  return {
    argv: process.argv.slice(2),
    env: process.env,
    home: process.env.HOME ?? process.env.USERPROFILE ?? '',
    platform: process.platform,
    pid: process.pid,
    machine: hostname(),
    stdin: {
      isTTY: isatty(0),
      async text() {
        const parts: Buffer[] = [];
        for await (const part of process.stdin) parts.push(part as Buffer);
        return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
      },
      bytes: () => process.stdin,
    },
    stdout: outputStream(1, () => process.stdout, 'the output'),
    stderr: outputStream(2, () => process.stderr, 'to stderr'),
    now: Date.now,
    zone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    sleep: (milliseconds) => pause(milliseconds, interruption.signal),
    random: Math.random,
    interrupted: interruption.signal,
    prompts: inquirerPrompts(interruption.signal),
    async execute(file, args, { milliseconds }) {
      const { execFile } = await import('node:child_process');
      return new Promise((resolve, reject) => {
        const options = { timeout: milliseconds, killSignal: 'SIGKILL' as const, maxBuffer: 1 << 20, encoding: 'utf8' as const };
        const child = execFile(file, [...args], options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
        child.stderr?.pipe(process.stderr);
      });
    },
  };
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
  const opened = () => {
    stream ??= open().on('error', () => {});
    return stream;
  };
  return {
    isTTY: isatty(descriptor),
    get columns() {
      return this.isTTY ? opened().columns : undefined;
    },
    write(text) {
      return new Promise((resolve, reject) => {
        opened().write(text, (error?: (Error & { code?: string }) | null) => {
          if (!error) return resolve();
          const closed = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'EOF';
          reject(closed ? new ClosedPipe() : new CliError('output_failed', `Could not write ${what}: ${error.message}.`, { cause: error }));
        });
      });
    },
  };
}

type Asking = { output: NodeJS.WritableStream; signal: AbortSignal };

/** Prompts on stderr, so that stdout stays data; loaded at the first question. */
function inquirerPrompts(interrupted: AbortSignal): Prompts {
  const asked = async <T>(ask: (context: Asking) => Promise<T>): Promise<T> => {
    // At the end of the input (Ctrl-D) the prompt stops reading, and would wait for ever without a word.
    const over = new AbortController();
    const stop = () => over.abort();
    process.stdin.once('pause', stop);
    try {
      return await ask({ output: process.stderr, signal: AbortSignal.any([interrupted, over.signal]) });
    } catch (error) {
      if (interrupted.aborted) throw interrupted.reason;
      if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name)) {
        throw new CliError('interrupted', 'Stopped at the question.', { hint: 'Nothing was sent.' });
      }
      throw error;
    } finally {
      process.stdin.off('pause', stop);
    }
  };
  return {
    async confirm(message) {
      const { confirm } = await import('@inquirer/prompts');
      return asked((context) => confirm({ message, default: false }, context));
    },
    async text(message, { initial, check } = {}) {
      const { input } = await import('@inquirer/prompts');
      const validate = async (value: string) => (await check?.(value)) ?? true;
      return asked((context) => input({ message, validate, ...(initial === undefined ? {} : { default: initial }) }, context));
    },
    async password(message) {
      const { password } = await import('@inquirer/prompts');
      return asked((context) => password({ message, mask: '*' }, context));
    },
  };
}
