/** The outside world as one injected value: that of this process, or one that tests invent. */
import type { Dispatcher } from 'undici';
import type { Screen, ScreenEvents } from './terminal/full-screen.ts';
import type { Choice, Prompts } from './terminal/prompts.ts';

export type { Choice, Prompts, Screen, ScreenEvents };

/** The reader of the pipe has gone. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** A file cannot be read, or a program not be run. The message ends a sentence: "it is a folder". */
export class HostFailure extends Error {
  override readonly name = 'HostFailure';
}

export type OutputStream = {
  isTTY: boolean;
  columns: number | undefined;
  /** Waits for a slow reader. Throws `ClosedPipe`, or `output_failed`. */
  write(text: string): Promise<void>;
};

/** The limits of a program that is run. `onEnd` is called before the promise settles, however the program ended. */
export type Limits = { milliseconds: number; onEnd?(written: { stdout: string; stderr: string }): void };

export type Host = {
  /** Arguments after the program's name. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: string;
  node: string;
  pid: number;
  machine: string;
  stdin: { isTTY: boolean; bytes(): AsyncIterable<Uint8Array> };
  stdout: OutputStream;
  stderr: OutputStream;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a monotonic clock, which nobody can set. */
  elapsed(): number;
  /** An IANA name. Times may be shown in this machine's zone, and are never read in it. */
  zone(): string;
  /** Rejects with the reason of the signal, or of an interruption. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  /** Aborted by SIGINT, SIGTERM or SIGHUP, with a `CliError` as its reason. */
  interrupted: AbortSignal;
  /** Runs long work in one turn, in which no signal is heard, before anything was sent: a signal ends the process at once. */
  atOnce<T>(work: () => T): Promise<T>;
  questions(): Promise<Prompts>;
  screen(events: ScreenEvents): Promise<Screen>;
  /** Like `printedBy`. */
  execute(file: string, args: readonly string[], limits: Limits): Promise<string>;
  /** After an uncaught error, the process ends with the status that `report` returns. */
  onCrash(report: (error: unknown) => Promise<number>): void;
  /** Used instead of our own pool. */
  dispatcher?: (origin: string) => Dispatcher;
};

/** The world as it is outside. `plain` questions come line by line. */
export type World = Omit<Host, 'questions'> & { questions(plain: boolean): Promise<Prompts> };

/** Questions are asked on stderr, or on stdout where stderr is redirected. */
export function canAsk({ stdin, stdout, stderr, env }: Host, noInput: boolean): boolean {
  return stdin.isTTY && (stderr.isTTY || stdout.isTTY) && !noInput && !inCI({ env });
}

export function inCI({ env }: Pick<Host, 'env'>): boolean {
  return env.CI !== undefined && !['', '0', 'false'].includes(env.CI.toLowerCase());
}
