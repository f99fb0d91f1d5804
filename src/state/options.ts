/** What opens a state, and what one says of itself. */
import type { CliError } from '../errors.ts';
import type { TeamPlace } from '../model/team-place.ts';
import type { Sentence } from '../text/sentence.ts';
import type { StateFolder } from './open-database.ts';
import type { RunRecord, State } from './state.ts';
import type { NamedLock } from './store.ts';

export type TeamAccess = {
  place: TeamPlace;
  /** undefined: none is sent. */
  password(): Promise<string | undefined>;
  /** PEM file of the certificate authorities to trust instead of the usual ones. */
  authorities?: string | undefined;
};

export type StateOptions = StateFolder & {
  /** How messages show a moment, in milliseconds since 1970; as ISO 8601 where it is absent. */
  inWords?: (instant: number) => string;
  /** How long finished runs of the current profile are kept, in milliseconds; for ever without it. Asked when a run begins. */
  keepRuns?: () => number;
  /** The file of the key; the one beside the database where it is absent. */
  keyFile?: string | undefined;
  /** Where the state is; on this machine where it is absent. */
  team?: TeamAccess | undefined;
  /** Who is at work, as a team's record names it. */
  who?: string;
  /** Says that a server is waited for. */
  say?: (text: Sentence) => void;
};

export type StateStatus = {
  place: string;
  /** `none`: nothing was recorded yet. `missing`, `restored`: nothing is recorded until that is accepted. `moved`: to `movedTo`. `copying`: not whole. */
  standing: 'none' | 'ready' | 'missing' | 'restored' | 'damaged' | 'moved' | 'copying';
  /** What is wrong with a damaged one. */
  failure?: CliError;
  movedTo: string;
  /** Bytes of all of it. */
  size: number;
  schema: number | null;
  /** null where they cannot be read. */
  runs: number | null;
  open: RunRecord[];
  locks: NamedLock[];
  /** Of a team: the server's version, how long a question and its answer take in milliseconds, and what should be otherwise. */
  server?: { version: string; latency: number; mayTooMuch: boolean };
};

/** Finds out what has become of each open run; throws where that cannot be seen. What stays unknown of one keeps it open. */
export type SettleOpenRuns = (state: State, open: readonly RunRecord[]) => Promise<void>;
