/** The outside world as one injected value: `process.ts` implements it for this process, tests for an invented world. */
import type { Dispatcher } from 'undici';
import type { Screen, ScreenEvents } from './terminal/full-screen.ts';
import type { Prompts } from './terminal/prompts.ts';

export type { Screen, ScreenEvents } from './terminal/full-screen.ts';
export type { Choice, Prompts } from './terminal/prompts.ts';

/** Thrown by a write when the reader of the pipe has gone; a command that only reads ends quietly. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** A file that cannot be read, or a program that cannot be run; its message is the reason, for the end of a sentence: "it is a folder". */
export class HostFailure extends Error {
  override readonly name = 'HostFailure';
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
  bytes(): AsyncIterable<Uint8Array>;
};

export type Host = {
  /** Arguments after the program's name. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: string;
  node: string;
  pid: number;
  machine: string;
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that nobody sets, which also counts while the process is stopped; absent in an invented world. */
  elapsed?(): number;
  /** The zone of this machine, an IANA name; times are shown in it where no other is set, never read in it. */
  zone(): string;
  /** Waits; rejects when the command is interrupted, or with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  /** Aborted by SIGINT, SIGTERM and SIGHUP, with a `CliError` as its reason. */
  interrupted: AbortSignal;
  questions(): Promise<Prompts>;
  /** Takes the terminal over. It is restored however the process ends. */
  screen(events: ScreenEvents): Promise<Screen>;
  /**
   * Runs a program without a shell and without the token variables; resolves to what it printed. Rejects with a
   * `HostFailure`, or when the command is interrupted.
   */
  execute(file: string, args: readonly string[], limits: { milliseconds: number }): Promise<string>;
  /** Registers the handler of uncaught errors; the process then ends with the status that it returns. */
  onCrash(report: (error: unknown) => Promise<number>): void;
  /** A dispatcher to use instead of our own pool. */
  dispatcher?: (origin: string) => Dispatcher;
};

/** The world as it is outside: `plain` questions come line by line, for screen readers and dumb terminals. Loaded where one is asked. */
export type World = Omit<Host, 'questions'> & { questions(plain: boolean): Promise<Prompts> };

/**
 * Whether prompts are possible: on a terminal, and not if the environment is a CI system or turns prompts off. They are asked on stderr,
 * or on stdout where stderr is redirected.
 */
export function canAsk({ stdin, stdout, stderr, env }: Host, noInput: boolean): boolean {
  return stdin.isTTY && (stderr.isTTY || stdout.isTTY) && !noInput && !inCI({ env });
}

export function inCI({ env }: Pick<Host, 'env'>): boolean {
  return env.CI !== undefined && !['', '0', 'false'].includes(env.CI.toLowerCase());
}
