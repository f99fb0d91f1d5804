/** A check is a function from what it may inspect to its finding. It knows no other check. */
import type { Peek } from '../../api/answer.ts';
import type { Operation } from '../../api/operations.ts';
import type { Settings } from '../../config/settings.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Host } from '../../host/host.ts';

export type State = 'ok' | 'warning' | 'failed' | 'skipped';

export type Finding = {
  state: State;
  detail: string;
  /** What to do about it; a command line in it stands at the end, behind a colon. */
  remedy?: string;
  /** Of a failure: what kind it is. */
  code?: ErrorCode;
};

/** Each answer is requested once, however many checks use it. */
export type Asked = { operation: Operation; params?: Record<string, string> };

/** `query`: of a further page. `authPrefix`: another word before the token than the one that is set. */
export type Asking = { query?: Readonly<Record<string, string>>; authPrefix?: string };

/** What is examined. */
export type DoctorContext = {
  host: Host;
  /** The profile in force with all that overrides it. Throws what is wrong with it. */
  settings(): Settings;
  /** Where the address of the service was written down. */
  addressSource(): string;
  /** Whether the token is printed by a program, which may reach for the network. */
  tokenRuns(): boolean;
  /** No connection may be opened. */
  offline: boolean;
  /** Aborted, with a `CliError` as its reason, once the whole has taken too long; what is open is then closed. */
  deadline: AbortSignal;
  answer(asked: Asked, asking?: Asking): Promise<Peek>;
  /** Options that make a command line speak of the profile in force. */
  profileOption(): string;
};

export type Check = {
  name: string;
  /** Opens connections: skipped with --offline. */
  network?: true;
  /** Checks that must succeed first; without them this one would only repeat what is known. */
  after?: readonly string[];
  /** An error it throws is its failure, with the hint as the remedy. */
  find(context: DoctorContext): Finding | Promise<Finding>;
};

export const ok = (detail: string): Finding => ({ state: 'ok', detail });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (code: ErrorCode, detail: string, remedy: string): Finding => ({ state: 'failed', code, detail, remedy });
