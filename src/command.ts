/** A command: one record that parser, help, completion, questions, output and tests read. */
import type { Client } from './api/client.ts';
import type { Operation, RequestStep } from './api/operations.ts';
import type { Overrides } from './config/profile-settings.ts';
import type { Settings } from './config/settings.ts';
import type { OutputRule } from './files/output-file.ts';
import type { Host } from './host/host.ts';
import type { JsonObject } from './model/json.ts';
import type { Secrets } from './model/secrets.ts';
import type { DayBound } from './model/typed-time.ts';
import type { Column, Row } from './output/cell.ts';
import type { Format } from './output/formats.ts';
import type { Result, Snapshot } from './output/result.ts';
import type { Progress } from './output/stderr.ts';
import type { RunRecord } from './record/index.ts';
import type { Said, Sentence } from './text/sentence.ts';

export type { Column, Progress, Result, Row, Snapshot };

/** `read` and `local` never ask. The others have `--dry-run`; the last two ask before they act. */
export type Effect = 'local' | 'read' | 'write' | 'destroy' | 'send';

/**
 * What Tab offers, and a picker if the value is missing. The first three come from the service.
 * `settingValues` are those of the setting before; `keys` are the columns to sort by.
 */
export type Completes = 'exams' | 'sessions' | 'users' | CompletionKind;
type CompletionKind = 'profiles' | 'settings' | 'settingValues' | 'runs' | 'zones' | 'files' | 'folders' | 'columns' | 'keys';
export type Offered = Completes | readonly string[];

type Described = {
  description: string;
  /** Other values are accepted as well; not beside `choices`. */
  complete?: Offered;
  choices?: readonly string[];
};

export type Argument = Described & {
  /** Takes one value or more; `-` reads them from stdin, one a line. */
  variadic?: true;
  optional?: true;
};

type OfField = {
  description: string;
  /** The body field that the flag sets. */
  field?: string;
  /** The help lists the flag last. */
  rare?: true;
  /** Its value says nothing of a person, so it is recorded as it was typed. */
  plain?: true;
  /** Whether the rest of the line makes the flag useless; one in `needs` is then not missing. */
  unless?(values: Readonly<Record<string, unknown>>): boolean;
};
/** `value`: placeholder in the help. */
type Valued = OfField & Described & { value: string };
/** `only`: there is nothing but `--no-…`. */
export type BooleanFlag = OfField & { type: 'boolean'; negatable?: true | 'only' };
export type TextFlag = Valued & {
  type: 'text';
  /** Throws where an answer cannot be right: it is asked for again. */
  check?(value: string): unknown;
};
type TextsFlag = Valued & { type: 'texts' };
/** A whole number, or a duration in milliseconds. */
export type NumberFlag = Valued & { type: 'number' | 'duration'; least: number; most: number; standard?: number };
/**
 * Milliseconds since 1970. `after`: the flag of the start, on whose day 11:00 is, and from which 2h
 * counts. `day`: a date alone is the start or the end of that day.
 */
type TimeFlag = OfField & { type: 'time'; after?: string; day?: DayBound };
export type Flag = BooleanFlag | TextFlag | TextsFlag | NumberFlag | TimeFlag;

type ArgumentValue<A> = (A extends { variadic: true } ? string[] : string) | (A extends { optional: true } ? undefined : never);
type FlagType = { boolean: boolean; text: string; texts: string[]; number: number; duration: number; time: number };
type GivenFlag<F> = F extends { type: infer T extends keyof FlagType } ? FlagType[T] : never;
/** A flag that sets a field may be missing although it is needed: `-F` may set the field. */
type IsThere<F, Needed> = F extends { standard: number } ? true : F extends { field: string } | { unless: unknown } ? false : Needed;
type FlagValue<F, Needed> = GivenFlag<F> | (IsThere<F, Needed> extends true ? never : undefined);

export type Arguments = Record<string, Argument>;
export type Flags = Record<string, Flag>;
/** The values of a command's arguments and flags. Those in `N` are never missing. */
export type Values<A extends Arguments, F extends Flags, N = never> = { [K in keyof A]: ArgumentValue<A[K]> } & {
  [K in keyof F]: FlagValue<F[K], K extends N ? true : false>;
};

/** The options that every command takes. */
export type Globals = Overrides & {
  output?: string;
  /** A file that takes the result, in the format of its ending; `force`: in place of another. */
  to?: string;
  force: boolean;
  columns?: string;
  yes: boolean;
  /** Nobody can be asked: by the option, in CI, or off a terminal. */
  noInput: boolean;
  /** Why something is taken from students while their exam runs. */
  duringExam?: string;
  dryRun: boolean;
  quiet: boolean;
  debug: boolean;
  noColor: boolean;
  /** For screen readers; set by the option, the environment or the profile. */
  plain: boolean;
  showSecrets: boolean;
};

/** What a command may use. */
export type Context = {
  host: Host;
  globals: Globals;
  secrets: Secrets;
  settings(): Settings;
  /** "at ORIGIN (profile NAME)", for a question. Needs a client. */
  place(): Sentence;
  /** The zone in which times are shown, an IANA name. */
  zone(): string;
  /** The client of the settings in force, or of others that are not stored yet. */
  client(settings?: Settings): Promise<Client>;
  /** A client whose requests an interruption does not cut off: for commands that stop by themselves. */
  uninterruptedClient(): Promise<Client>;
  /** Tells a person something on stderr. `waits`, `warn`: a program, too; `warn` also with --quiet. */
  say<T extends string>(text: T & Said<T>): void;
  waits<T extends string>(text: T & Said<T>): void;
  warn<T extends string>(text: T & Said<T>): void;
  /** The format of the result. As `id` it may be read by another command: only what was done is printed. */
  readonly format: Format;
  /** `typed` must be typed in place of "yes". Throws `needs_confirmation` without a terminal. */
  confirm(question: () => Promise<Sentence> | Sentence, typed?: string): Promise<void>;
  /** Drawn on stderr. */
  progress(total: number): Progress;
  /** Shows a sign of life during the work; the requests of clients show it anyway. */
  whileWaiting<T>(work: () => Promise<T>): Promise<T>;
  /** The private files that were open to others until this command closed them. */
  closed: readonly string[];
  /** Says it, too. */
  reportClosed(paths: readonly string[]): void;
  /** What people read of the command's rows. */
  columns: readonly Column[];
  /** The command as runs record it. `operands`: in place of the values of its arguments. */
  recorded(operands?: readonly string[]): string;
  /** The record of runs. Throws `state_failed` and its like. */
  record(): Promise<RunRecord>;
  /** The text of a file, or of stdin for `-`. Throws `invalid_input`. */
  read(file: string): Promise<string>;
  /** The command reads this file: from then on it writes nothing over it. */
  reads(path: string): void;
  /** Whether a file may take the place of one: by --force, or a yes; off a terminal --force is needed. */
  mayReplace(path: string): Promise<boolean>;
  /** A file is never written over what was read, nor over one of `reads`. */
  outputRule(given: { force: boolean; reads: readonly string[] }): OutputRule;
  /** Reads a time as milliseconds since 1970; a date alone only with `day`. Throws `InvalidValue`. */
  time(text: string, day?: DayBound): Promise<number>;
};

/**
 * `body`: of the field flags, `-F`, `-f` and `--body`. `typedTimes`: times as they were typed, by
 * field: what is relative to now is another time when the command is run again.
 */
export type Body = { body: JsonObject; typedTimes: Readonly<Record<string, string>> };

/** `end` is called once no more rows are read. */
export type RowFilter = { keep(row: Row): boolean; end?(): void };

export type Command<A extends Arguments = Arguments, F extends Flags = Flags, N extends keyof F & string = never> = {
  /** Noun and verb, as they are typed. */
  name: string;
  summary: string;
  details?: string;
  effect: Effect;
  /** The command may take something from students of a running exam: `--during-exam` gives the reason. */
  takes?: true;
  /** Whether it yields what --to can write, or its line does; unless set, reads do, and lines with --check. */
  yields?: boolean | ((given: Readonly<Record<string, unknown>>) => boolean);
  args?: A;
  flags?: F;
  columns?: readonly Column[];
  /** Whole command lines, each with what it does. */
  examples: Readonly<Record<string, string>>;
  /**
   * The resource whose fields `values.body` has. Adds `-F`, `-f` and `--body`; `adds` and `constants`
   * add `-F` alone. `adds`: to a body of the command's own, so that no field is needed, and a field
   * may be one that only an update sets.
   */
  writes?: (NonNullable<Operation['writes']> & { adds?: true }) | 'anything' | 'constants';
  /** Flags that cannot be missing; one that sets a field may be where the body has the field. */
  needs?: readonly N[];
  /** Exactly one of these is given; if none is, the first is missing. */
  oneOf?: readonly (keyof (A & F) & string)[];
  /** At least one of these is given; if none is, the first is missing. */
  anyOf?: readonly (keyof (A & F) & string)[];
  /** The rows of a list to show, where the service does not filter. */
  filter?(values: Values<A, F, N>, context: Context): Promise<RowFilter | undefined> | RowFilter | undefined;
  /** The field that a table on a terminal is in the order of; data keep the service's order. */
  sortedBy?: string;
  /** How people read a row in a table. */
  inTable?(values: Values<A, F, N>, context: Context): Promise<(row: Row) => Promise<Row>>;
  /** The request of a command that reads one thing or one list. */
  request?(values: Values<A, F, N> & Body, context: Context): RequestStep;
  /** Carries out a command that is no single read. */
  run?(context: Context, values: Values<A, F, N> & Body): Promise<Result>;
};

/** Infers the types of a command's values. */
export function defineCommand<const A extends Arguments, const F extends Flags, const N extends keyof F & string = never>(
  command: Command<A, F, N>,
): Command<A, F, N> {
  return command;
}
