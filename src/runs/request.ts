/** What a command asks of the engine, and what it gets when its run has ended. */
import type { Context, Result } from '../command.ts';
import { CliError, type ErrorCode } from '../errors.ts';
import type { Json } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { Run } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Engine } from './engine.ts';
import type { Execution } from './execution.ts';
import type { AlreadyExists, Plan, Step } from './steps/step.ts';

type Consent = 'allowDuplicate' | 'ifNotExists' | 'resend' | 'unlessMailed' | 'again';
export type Consents = Partial<Record<Consent, boolean | undefined>>;

/** What one run at a time may write to. */
export type LockScope = `exam ${string}` | `students ${string}` | 'exams';

/**
 * What becomes of an open run of the same command. `resume`: what is left of it is the plan; `replan`: what is unknown is
 * looked up, and the rest is given up and planned anew; `finish times`: the same, after the changes of times that were begun.
 */
export type RerunPolicy = 'resume' | 'replan' | 'finish times';

/**
 * `times`: it moves windows along with an exam, or computes from the times of an exam. `fromFile`: its plan depends on more than its
 * identity, such as a file.
 */
type RunKind = { rerun: RerunPolicy; times?: 'moved' | 'read'; fromFile?: true };

const runKinds = {
  'exams create': { rerun: 'replan' },
  'exams update': { rerun: 'replan' },
  'exams times': { rerun: 'resume', times: 'moved' },
  'exams shift': { rerun: 'resume', times: 'moved' },
  'exams delay': { rerun: 'resume', times: 'moved' },
  'exams clone': { rerun: 'resume', times: 'read' },
  'exams delete': { rerun: 'resume' },
  'exams apply': { rerun: 'finish times', times: 'moved', fromFile: true },
  'exams send-emails': { rerun: 'replan' },
  'students add': { rerun: 'replan' },
  'sessions create': { rerun: 'replan' },
  'sessions update': { rerun: 'replan' },
  'sessions times': { rerun: 'resume' },
  'sessions extend': { rerun: 'resume', times: 'read' },
  'sessions move': { rerun: 'resume', times: 'read' },
  'sessions delete': { rerun: 'resume' },
  'sessions import': { rerun: 'replan', fromFile: true },
  'accommodations apply': { rerun: 'replan', times: 'read', fromFile: true },
  'proctors add': { rerun: 'replan' },
  'proctors remove': { rerun: 'replan' },
  api: { rerun: 'replan' },
  'runs undo': { rerun: 'replan', fromFile: true },
} as const satisfies Record<string, RunKind>;

export type RunKindName = keyof typeof runKinds;

/** The kind of a run, by its recorded name. */
export function runKindOf(kind: string): RunKind {
  const known: Readonly<Record<string, RunKind>> = runKinds;
  return known[kind] ?? { rerun: 'replan' };
}

/** `says`: that an exam runs, and what it would lose. `hint`: in place of the usual one. */
export type Refused = { exam: string; says: Sentence; hint: Sentence | undefined };

export type RunRequest<P extends Plan = Plan> = {
  kind: RunKindName;
  /** What was typed or supplied; by it, the same command is recognised. */
  identity: Json;
  /** The arguments that are recorded; by default those that are IDs. */
  operands?: readonly string[];
  /** The amount by which it moves times, always spelled in the same way. */
  amount?: string;
  undoOf?: string;
  consents?: Consents;
  /** Where nobody can be asked, it is refused before anything is read. */
  needsYes?: boolean | undefined;
  locks(engine: Engine): Promise<readonly LockScope[]> | readonly LockScope[];
  /** Computes the plan under the locks, and again after each question. */
  plan(engine: Engine): Promise<P>;
  /** The plan without the steps that take something from running exams. Without this function, such a step refuses the whole plan. */
  holdBack?(plan: P, running: readonly Refused[]): P;
  /** What is done in place of a run, such as for --check. */
  check?: (() => Promise<Result>) | undefined;
  dryRun?(plan: P, requests: Result): Result | Promise<Result>;
  tell?(plan: P): void | Promise<void>;
  /** Before the first step is recorded, after every question. */
  beforeRun?: () => Promise<void>;
  /** Undefined where there is nothing to ask. */
  question?(plan: P): Promise<Sentence | undefined> | Sentence | undefined;
  typed?(plan: P): string | undefined;
  /** `plan`: the last one; undefined where an open run was resumed. */
  result(ended: Ended, plan?: P): Result | Promise<Result>;
};

export type Ended = {
  run: string | undefined;
  rerun: RerunPolicy;
  items: readonly Execution[];
  /** The runs that were given up for it, and have done something that can be undone. */
  earlier: string[];
  stopped: CliError | undefined;
  there?: AlreadyExists | undefined;
};

/** `key`: what a yes is a consent to. `steps`: what is shown. */
type Question = { key: string; words: Sentence; typed?: string | undefined; steps?: readonly Step[] };

/** Thrown to ask a person: it ends the attempt and frees its locks; after a yes all of it begins again. */
export class ConfirmationRequired extends Error {
  readonly question: Question;
  constructor(question: Question) {
    super();
    this.question = question;
  }
}

/** Whether a person may be asked what no flag has said. */
export function mayAsk({ globals }: Context): boolean {
  return !globals.yes && !globals.dryRun && !globals.noInput;
}

/** The consents of a person: by flags, and by answers. */
export type Consented = { consents: Consents; agreed: ReadonlySet<string> };

/** An open run that is planned anew, and what of it was given up. */
export type GivenUp = { run: Run; items: readonly Execution[] };

/** `shown`: the keys of all steps that were shown; `told`: those of the last plan. */
export type Confirmations = Pick<Ended, 'earlier'> & {
  agreed: Set<string>;
  shown: Set<string>;
  told: string;
  givenUp: GivenUp | undefined;
};

export function runningRefusal(refused: readonly Refused[], sent: 'Nothing was sent.' | 'It was not sent.'): CliError {
  const [first, ...others] = refused;
  const more = others.length === 0 ? '' : ` The same holds for ${others.length} more.`;
  return new CliError('exam_running', sentence`${first?.says}${more} ${sent}`, first?.hint ? { hint: first.hint } : {});
}

/** The refusal of what an open run keeps from being sent. */
export function blockedBy(run: string, code: ErrorCode, what: Sentence): CliError {
  const [resume, show, close] = ['resume', 'show', 'close'].map((verb) => `proctor-cli runs ${verb} ${run}`);
  const hint = sentence`Nothing was sent. Look it up again: ${resume}; see what is known: ${show}; or end it as it is: ${close}`;
  return new CliError(code, what, { hint });
}

/** The way on where nothing more of a run can be done. */
export function undoHint(run: string): Sentence {
  return sentence`To take back what it has done: proctor-cli ${typedCommand('runs undo', [run])}`;
}

/** The way on for a request of which no read shows what became of it. */
export function nothingShows(close: string): Sentence {
  return sentence`No read can show its outcome. Check it yourself, then close its run; after that it can be sent again: proctor-cli ${close}`;
}

/** The refusal to send such a request again. */
export function requestUnknown(run: string): CliError {
  const what = sentence`Run ${run} has sent the same request, and its outcome is unknown. Nothing was sent.`;
  return new CliError('outcome_unknown', what, { hint: nothingShows(`runs close ${run}`) });
}

/** The refusal to create what an unknown request may have created, until its run is closed. */
export function createUnknown(run: string, what: string): CliError {
  const why = sentence`Run ${run} has sent a request to create ${what}, and its outcome is unknown.`;
  return blockedBy(run, 'outcome_unknown', why);
}
