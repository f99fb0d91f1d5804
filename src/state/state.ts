/**
 * The one entry point to what outlives a process about writes: runs, their steps, the events of each step, claims. Types
 * only; `runs-state.ts` keeps them in a store, on this machine or of a team. What a step's events mean is decided in `src/runs/step-states.ts`.
 * Personal values are never in clear: a student is a keyed hash, values that resume and undo need are sealed.
 */
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { HeldLock } from './lock.ts';

export type { HeldLock } from './lock.ts';

/** What a run is, before it has an ID. */
export type NewRun = {
  /** The service, as `runOrigin` names it. */
  origin: string;
  profile: string;
  /** Command, subject and options as text; kept as a keyed digest, by which the same command finds the run. */
  identity: string;
  /** The command, such as `exams clone`. */
  kind: string;
  /** Flag names, IDs and times only. */
  command: string;
  /** Who runs it: system user, host, the URL of a CI job. */
  who: string;
  /** Why it was sent although an exam was running; sealed. */
  reason?: string | undefined;
  /** When its command began, if relative times count from then; now where it is absent. Milliseconds since 1970. */
  began?: number | undefined;
  /** The run that this one undoes. */
  undoOf?: string | undefined;
};

export type RunRecord = Omit<NewRun, 'identity' | 'began'> & {
  id: string;
  /** Counts up each time another process takes the run over; an intent of an older epoch is refused. */
  epoch: number;
  /** The process that has it, or had it last. */
  holder: string;
  /** `open`: a step is planned, sending, unknown, or absent and not given up. */
  state: 'open' | 'finished';
  /** When it began, and when something was last recorded. Milliseconds since 1970. */
  at: number;
  lastAt: number;
  /** The number of its steps. */
  steps: number;
};

/** A step of a plan. `n`: its number, from 1. */
export type StepRecord = {
  n: number;
  /** The line of the file, where there is one. */
  line: number | null;
  /** The ID of its operation. */
  op: string;
  /** The ID of the exam or session that it is about; null where it is not known before. */
  target: string | null;
  exam: string | null;
  /** The steps that come first. */
  after: readonly number[];
  /** The key of the student's address (`studentKey`). */
  sentKey: string | null;
  /** Times, booleans and IDs. */
  values: JsonObject | null;
  /** Everything else that resume and undo need; sealed. */
  personal: JsonObject | null;
};

/**
 * Something that happened to a step. `event`: a name of the table in `src/runs/step-states.ts`. Of step 0, the run itself:
 * `taken` by another process, with `code` as `NewRun.who` of it.
 */
export type StepEvent = {
  n: number;
  event: string;
  /** The ID that the service gave, or that a read showed. */
  session?: string | undefined;
  /** The key of the address that the service showed. */
  shownKey?: string | undefined;
  /** This run created it, or set what it shows. */
  ours?: boolean | undefined;
  /** A status or an error code. */
  code?: string | undefined;
};
export type RecordedEvent = StepEvent & { at: number; epoch: number };

/** What a claim is about: the student of an address in an exam, an exam of a name and start. */
export type ClaimName = {
  /** `exam:ID`, `exams`. */
  scope: string;
  key: string;
  /** 1, or one more than the last where a duplicate was asked for. */
  number: number;
};
export type Claim = ClaimName & {
  origin: string;
  run: string;
  n: number;
  epoch: number;
  /** When it was made or last renewed. Milliseconds since 1970. */
  at: number;
  /** The step has ended well: the student, or the exam, is there. */
  done: boolean;
  session: string | null;
  /** The key of the address that the service showed, where it is another spelling than was sent. */
  shownKey: string | null;
};

/** A claim that another step has: the claim, for the message and for settling. */
export class ClaimTaken extends Error {
  override readonly name = 'ClaimTaken';
  readonly claim: Claim;
  constructor(claim: Claim) {
    super('claimed');
    this.claim = claim;
  }
}

const takenOver = 'Another proctor-cli has taken this run over; nothing more was sent from here.';
const waitForIt = 'Wait until it has ended. Look at the run with: proctor-cli runs list';

/** Another process has taken the run over: none of its steps is this process's any more. */
export class TakenOver extends CliError<typeof takenOver, typeof waitForIt> {
  constructor() {
    super('already_running', takenOver, { hint: waitForIt });
  }
}

/** A run that this process holds. */
export type HeldRun = {
  readonly run: RunRecord;
  /**
   * Records that a request is about to be sent, with its claims, in one durable commit that all intents of the same turn
   * share; resolves to its moment (host clock, milliseconds). Throws `ClaimTaken` (nothing recorded), `TakenOver`, and
   * `state_failed` where the commit fails: nothing more may be sent then.
   */
  intend(n: number, event: string, claims?: readonly ClaimName[]): Promise<number>;
  /** Queues an event; it is in the next commit, at the end of this turn of the event loop at the latest. Throws `state_failed` after a failed commit. */
  record(event: StepEvent): void;
  /**
   * Queues the end of a claim that step `n` of this run has, and what it has come to. `n` 0 ends what is done in whatever
   * run, because it is provably not there any more: deleted from here, or seen to be gone. A claim that was read
   * (`claims`) ends only if it is still that one; one whose request is open stays in any case.
   */
  endClaim(name: Pick<ClaimName, 'scope' | 'key'>, n: number): void;
  settleClaim(name: Pick<ClaimName, 'scope' | 'key'>, n: number, found: { session: string | null; shownKey: string | null }): void;
  /** Adds steps to a run that goes on. */
  addSteps(steps: Iterable<StepRecord>): Promise<void>;
  /** Resolves when everything queued so far is durable. */
  flush(): Promise<void>;
  /** Whether the run stays open; `listed` is dropped with a finished one. Resolves when that is durable. */
  close(state: RunRecord['state']): Promise<void>;
};

/** Whom or what to forget: a student by address, an exam by ID, at all services or one, or all of a service. */
export type Forgotten = { student: string } | { exam: string; origin?: string } | { origin: string };

export type State = {
  /** Where it is, for messages. */
  readonly place: string;
  /** The key of a student's address, the same for all spellings of `addressKey`: 22 characters. */
  studentKey(address: string): string;
  /** The same for any other text: a name, an identity. */
  digest(text: string): string;
  /** Begins a run: header, steps and the IDs listed at planning in one durable commit. */
  begin(run: NewRun, steps: Iterable<StepRecord>, listed?: Iterable<string>): Promise<HeldRun>;
  /** The runs of the same command, latest first. */
  runsOf(origin: string, identity: string): Promise<RunRecord[]>;
  /** Takes a run over: its epoch counts up, and an event of step 0 says by whom. Throws `already_running` while another process has it. */
  take(id: string, who: string): Promise<HeldRun>;
  /** The runs, latest first. */
  runs(): Promise<RunRecord[]>;
  run(id: string): Promise<RunRecord | undefined>;
  steps(id: string): Promise<StepRecord[]>;
  /** In the order in which they were recorded. */
  events(id: string): Promise<RecordedEvent[]>;
  /** The IDs that were listed when the run was planned; empty once it is finished. */
  listed(id: string): Promise<ReadonlySet<string>>;
  /** The claims of a scope that have not ended. */
  claims(origin: string, scope: string): Promise<Claim[]>;
  /** Takes a lock of its own name until `release`: one import into an exam at a time. Throws `already_running`. */
  lock(name: string, command: string): Promise<HeldLock>;
  /**
   * Erases a student, by any spelling of the address, or an exam, from all runs and claims and from the bytes of the
   * files: their steps, with events and sealed values; a run of which nothing is left is gone. The numbers of other
   * steps stay; one of their `after` may name a step that is gone. Open steps are settled before. Throws
   * `already_running` while a process is at one of these runs.
   */
  forget(what: Forgotten): Promise<{ runs: number; steps: number }>;
  close(): Promise<void>;
};
