/** A check is a function from its context to a finding. It knows no other check. */
import type { Peek } from '../../api/answer.ts';
import type { Operation } from '../../api/operations.ts';
import type { Settings } from '../../config/settings.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Host } from '../../host/host.ts';

/** `note`: nothing is wrong, and something could be more convenient. */
export type State = 'ok' | 'note' | 'warning' | 'failed' | 'skipped';

export type Finding = {
  state: State;
  detail: string;
  /** The remedy; a command line comes last, after a colon. */
  remedy?: string;
  /** The error code of a failure. */
  code?: ErrorCode;
};

/** Each answer is requested once, however many checks use it. */
export type Asked = { operation: Operation; params?: Record<string, string> };

/** `query`: of a further page. `authPrefix`: another word before the token than the one that is set. */
export type Asking = { query?: Readonly<Record<string, string>>; authPrefix?: string };

/** The input of a check. */
export type DoctorContext = {
  host: Host;
  /** The profile in force with everything that overrides it. Throws if it is invalid. */
  settings(): Settings;
  /** The source of the service's address. */
  addressSource(): string;
  /** Whether the token comes from a program, which may use the network. */
  tokenRuns(): boolean;
  /** The completion scripts, by their shells, each with the line that installs it. */
  completions: Readonly<Record<string, { script: string; install: string }>>;
  /** Whether no connection may be opened. */
  offline: boolean;
  /** Aborted at the time limit of all checks, with a `CliError` as its reason; open connections are then closed. */
  deadline: AbortSignal;
  answer(asked: Asked, asking?: Asking): Promise<Peek>;
  /** The options that select the profile in force in a command line. */
  profileOption(): string;
};

export type Check = {
  name: string;
  /** Opens connections: skipped with --offline. */
  network?: true;
  /** Checks that must succeed first; otherwise this one would only repeat their failure. */
  after?: readonly string[];
  /** An error it throws is its failure, with the hint as the remedy. */
  find(context: DoctorContext): Finding | Promise<Finding>;
};

export const ok = (detail: string): Finding => ({ state: 'ok', detail });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const note = (detail: string, remedy: string): Finding => ({ state: 'note', detail, remedy });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (code: ErrorCode, detail: string, remedy: string): Finding => ({ state: 'failed', code, detail, remedy });
