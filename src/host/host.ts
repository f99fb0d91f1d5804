/**
 * The outside world as one injected value: arguments, environment, streams, clock, signals, prompts,
 * processes, dispatcher. Types, and what can be told from such a value; the process is behind it in
 * `process.ts`, and a test can be the world.
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

/** A choice and its label: a line that is safe for a terminal and fits into it. */
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
  /** The process ID, for messages. */
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
  /**
   * Runs a line of the shell without the token variables; it reads `input` from stdin, and its output is
   * discarded. Rejects with the reason if it fails or takes too long.
   */
  shell(line: string, options: { input: string; milliseconds: number; signal?: AbortSignal }): Promise<void>;
  /** Has an error that nothing caught reported; the process then ends with the status that comes back. */
  onCrash(report: (error: unknown) => Promise<number>): void;
  /** The dispatcher to use in place of a pool of our own. */
  dispatcher?: (origin: string) => Dispatcher;
};

/** Whether prompts are possible: on a terminal, and not if the environment is a CI system or turns prompts off. */
export function canAsk(host: Host, noInput: boolean): boolean {
  return host.stdin.isTTY && host.stderr.isTTY && !noInput && !inCI(host);
}

export function inCI({ env }: Host): boolean {
  return env.CI !== undefined && !['', '0', 'false'].includes(env.CI.toLowerCase());
}
