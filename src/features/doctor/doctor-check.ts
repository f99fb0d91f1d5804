/** A check is a function from its context to a finding. It knows no other check but by name. */
import type { Answer } from '../../api/answer.ts';
import type { Operation } from '../../api/operations.ts';
import type { Settings } from '../../config/settings.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Host } from '../../host/host.ts';

export type State = 'ok' | 'warning' | 'failed' | 'skipped';

export type Finding = {
  state: State;
  detail: string;
  /** What to do; a command line comes last, after a colon. */
  remedy?: string;
  /** The error code of a failure. */
  code?: ErrorCode;
};

/**
 * How a list is requested. `path`: that of another page. `authPrefix`: another word before the token than the one that is set.
 * `again`: once more, although its answer is known.
 */
export type Asking = { path?: string; authPrefix?: string; again?: true };

/** The input of a check. */
export type DoctorContext = {
  host: Host;
  /** The current profile with everything that overrides it. Throws if it is invalid. */
  settings(): Settings;
  /** The source of the service's address. */
  addressSource(): string;
  /** Whether the token comes from a program, which may use the network. */
  tokenRuns(): boolean;
  /** Whether no connection may be opened. */
  offline: boolean;
  /** Aborted at the time limit of all checks, with a `CliError` as its reason; open connections are then closed. */
  deadline: AbortSignal;
  /** The answer to the request for a list, requested once however many checks use it. Throws the client's errors. */
  answer(list: Operation, asking?: Asking): Promise<Answer>;
  /** Reads the beginning of a list as every command reads it. Throws the client's errors. */
  readList(list: Operation): Promise<void>;
  /** Foreign text without secrets. */
  masked(text: string): string;
  /** The options that select the current profile in a command line. */
  profileOption(): string;
};

export type Check = {
  name: string;
  /** Opens connections: skipped with --offline. */
  network?: true;
  /** Checks that must not have failed: otherwise this one would only repeat their failure. */
  needs?: readonly string[];
  /** An error it throws is its failure, with the hint as the remedy. */
  find(context: DoctorContext): Finding | Promise<Finding>;
};

export const ok = (detail: string, remedy?: string): Finding => ({ state: 'ok', detail, ...(remedy === undefined ? {} : { remedy }) });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (code: ErrorCode, detail: string, remedy: string): Finding => ({ state: 'failed', code, detail, remedy });

/** Foreign text to be shown. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
