/** What looking before creating or mailing has found, and what was said of it before. */
import type { JsonObject } from '../model/json.ts';
import type { ClaimName } from '../state/state.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Plan } from './step.ts';

/** What flags have said of what is there already. */
export type Consents = {
  allowDuplicate?: boolean | undefined;
  ifNotExists?: boolean | undefined;
  resend?: boolean | undefined;
  unlessMailed?: boolean | undefined;
};

/** `there`: it is there already, and that is a success. `stale`: claims of what provably no longer exists. */
export type Looked =
  | { is: 'free'; plan: Plan; listed: readonly string[]; stale: readonly ClaimName[] }
  | { is: 'there'; resource: 'exam' | 'session'; shown: JsonObject }
  | { is: 'mailed'; why: readonly Sentence[] };
