/** What looking before creating has found, and what was said of it before. */
import type { JsonObject } from '../model/json.ts';
import type { ClaimName } from '../state/state.ts';
import type { Plan } from './step.ts';

/** What flags have said of what is there already. */
export type Consents = {
  allowDuplicate?: boolean | undefined;
  ifNotExists?: boolean | undefined;
};

/** `there`: it is there already, and that is a success. `stale`: claims of what provably no longer exists. */
export type Looked =
  | { is: 'free'; plan: Plan; listed: readonly string[]; stale: readonly ClaimName[] }
  | { is: 'there'; shown: JsonObject };
