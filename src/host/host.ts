/**
 * The outside world as one injected value: arguments, environment, streams, clock, signals, prompts, processes,
 * dispatcher. Types, and functions of them; `process.ts` implements it for this process, tests for an invented
 * world.
 */
import type { Dispatcher } from 'undici';
import type { Said, Sentence } from '../text/sentence.ts';

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
  /** Throws `output_failed` if it is known before any write that each would fail; absent where that cannot be known. */
  assertOpen?(): void;
};

export type InputStream = {
  isTTY: boolean;
  /** All of stdin as UTF-8. */
  text(): Promise<string>;
  bytes(): AsyncIterable<Uint8Array>;
};

export type Prompts = {
  /** `initial`: the answer of Enter alone; no, if it is absent. */
  confirm<T extends string>(message: T & Said<T>, options?: { initial?: boolean }): Promise<boolean>;
  text<T extends string>(
    message: T & Said<T>,
    options?: { initial?: string; check?(value: string): Sentence | undefined | Promise<Sentence | undefined> },
  ): Promise<string>;
  password<T extends string>(message: T & Said<T>): Promise<string>;
  /** One of many, found by typing: `find` gives the choices for what has been typed so far, and notes between them. */
  search<T extends string>(message: T & Said<T>, find: (term: string) => readonly (Choice | string)[]): Promise<string>;
  /** Any number of a few; the values of those that were ticked, none of them beforehand. */
  tick<T extends string>(message: T & Said<T>, choices: readonly Choice[]): Promise<string[]>;
};

/** A choice and its label: a line that is safe for a terminal and fits into it. */
export type Choice = {
  value: string;
  label: string;
  /** The typed text itself, not one of the choices. */
  unknown?: boolean;
};

/** The whole terminal, taken over until it is released; what was on it before is then there again. */
export type Screen = {
  columns: number;
  rows: number;
  /** Writes text unchanged, including control sequences. Throws like an output stream. */
  write(text: string): Promise<void>;
  release(): void;
};

export type ScreenEvents = {
  /** Called for a key. Ctrl-C is not reported: it interrupts. */
  key(key: string): void;
  /** Called when the size of the terminal has changed. */
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
  /** The file that was started: the script of the package, or the executable. */
  program(): string;
  /** The process ID, for messages. */
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
  /** 0 to 1, for jitter. */
  random(): number;
  /** Aborted by SIGINT, SIGTERM and SIGHUP, with a `CliError` as its reason. */
  interrupted: AbortSignal;
  prompts: Prompts;
  /** The same questions line by line, for screen readers and dumb terminals. */
  plainPrompts: Prompts;
  /** Takes the terminal over. It is restored however the process ends. */
  screen(events: ScreenEvents): Screen;
  /**
   * Runs a program without a shell and without the token variables; resolves to what it printed. Rejects with a
   * `ProgramFailure`, or when the command is interrupted.
   */
  execute(file: string, args: readonly string[], limits: { milliseconds: number }): Promise<string>;
  /**
   * Runs a line of the shell without the token variables; it reads `input` from stdin, and its output is
   * discarded. Rejects with the reason if it fails or takes too long.
   */
  shell(line: string, options: { input: string; milliseconds: number; signal?: AbortSignal }): Promise<void>;
  /** Registers the handler of uncaught errors; the process then ends with the status that it returns. */
  onCrash(report: (error: unknown) => Promise<number>): void;
  /** Registers what is still done, without waiting, when the process ends: also at a second signal, which ends it at once. */
  onExit?(act: () => void): void;
  /** Takes the records of the log, where one is written (`--log-file`). Never throws. */
  log?: (record: LogRecord) => void;
  /** A dispatcher to use instead of our own pool. */
  dispatcher?: (origin: string) => Dispatcher;
};

/**
 * A record of the log, before its time is added: codes, numbers and names from closed sets, never text of the
 * service or of the user. Milliseconds and bytes.
 */
export type LogRecord =
  | {
      event: 'start';
      command: string;
      /** Names only. */
      options: string[];
      program: string;
      node: string;
      platform: string;
      pid: number;
    }
  | {
      event: 'request';
      request_id: string;
      span_id?: string;
      /** Its name in the table of operations. */
      operation: string | null;
      method: string;
      /** The base URL. */
      service: string;
      /** Below the base URL. */
      path: string;
      /** Names only. */
      query: string[];
      /** The number of this try, from 1. */
      attempt: number;
      /** Whether any part of it may have left this machine. */
      sent: boolean;
      status: number | null;
      /** Why there is no complete answer. */
      failure: string | null;
      duration: number;
      bytes_sent: number;
      bytes_received: number;
    }
  /** `attempt`: the number of the next one. `reason`: an error code. */
  | { event: 'retry'; request_id: string; attempt: number; wait: number; reason: string; status: number | null }
  /** The service asked to slow down. `rate`: requests a second from now on. */
  | { event: 'slow_down'; wait: number; rate: number }
  /** How many requests may be in flight from now on. */
  | { event: 'concurrency'; from: number; to: number }
  | { event: 'wait'; wait: number; reason: 'late_requests' | 'service_away' }
  | { event: 'resume'; run: string }
  /** Requests are sent again, because two reads do not show what they create. */
  | { event: 'resend'; requests: number }
  /** The rest of the items is not sent. */
  | { event: 'stop'; reason: string; status: number | null }
  | { event: 'exit'; exit: number; code: string | null; duration: number };

/** Whether prompts are possible: on a terminal, and not if the environment is a CI system or turns prompts off. */
export function canAsk(host: Host, noInput: boolean): boolean {
  return host.stdin.isTTY && host.stderr.isTTY && !noInput && !inCI(host);
}

export function inCI({ env }: Host): boolean {
  return env.CI !== undefined && !['', '0', 'false'].includes(env.CI.toLowerCase());
}
