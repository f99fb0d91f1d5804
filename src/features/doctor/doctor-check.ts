/** A check is a function from its context to a finding. It knows no other check but by name. */
import type { Reply } from '../../api/answer.ts';
import type { Operation } from '../../api/operations.ts';
import type { SettingKey } from '../../config/profile-settings.ts';
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

/** How a list is requested. `path`: that of another page. `authPrefix`: another word before the token than the one that is set. */
export type Asking = { path?: string; authPrefix?: string };

/** The input of a check. */
export type DoctorContext = {
  host: Host;
  /** The current profile with everything that overrides it. Throws if it is invalid. */
  settings(): Settings;
  /** Where a setting comes from: a flag, a variable, the profile, or "default". */
  sourceOf(key: SettingKey): string;
  /** The answer to the request for a list, requested once however many checks use it. Throws the client's errors. */
  answer(list: Operation, asking?: Asking): Promise<Reply>;
  /** Reads the beginning of a list as every command reads it. Throws the client's errors. */
  readList(list: Operation): Promise<void>;
  /** Foreign text without secrets. */
  masked(text: string): string;
  /** The options that select the current profile in a command line. */
  profileOption(): string;
};

export type Check = {
  name: string;
  /** Checks that must not have failed: otherwise this one would only repeat their failure. */
  needs?: readonly string[];
  /** An error it throws is its failure, with the hint as the remedy. */
  find(context: DoctorContext): Finding | Promise<Finding>;
};

export const ok = (detail: string, remedy?: string): Finding => ({ state: 'ok', detail, ...(remedy === undefined ? {} : { remedy }) });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (code: ErrorCode, detail: string, remedy: string): Finding => ({ state: 'failed', code, detail, remedy });
