/** What a command asks of the engine, and what it gets when its run has come to its end. */
import type { Result } from '../command.ts';
import type { CliError } from '../errors.ts';
import { stringifyJson } from '../model/json.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Book, Outcome } from './book.ts';
import type { Consents, Looked } from './looked.ts';
import type { Reading } from './reading.ts';
import type { Recorded, Resumption } from './resume.ts';
import type { FailureWords } from './run-failure.ts';
import type { Plan } from './step.ts';
import type { World } from './world.ts';

export type RunRequest = {
  /** The command, such as `exams clone`. */
  kind: string;
  /** Subject and options, by which the same command is found again. */
  identity: readonly string[];
  /**
   * What an open run of the same command means: `resume`: it is finished, before anything is computed, so that a create is not made twice; `complete`: the same, and of a finished run that did only a part, the rest is tried again, so that no
   * part is done twice; `anew`: what is unknown of it is settled, and the plan is made anew, because its values are absolute;
   * `finish`: it is finished, and if that comes to a good end, the plan is made anew.
   */
  again: 'resume' | 'complete' | 'anew' | 'finish';
  /** The run that this one undoes. */
  undoOf?: string | undefined;
  /** What only one process at a time may do, such as `import 6`; a dry run takes no locks. */
  locks?: readonly string[];
  /** The fields to keep of each session of a reading; all where it is absent. */
  keep?: ReadonlySet<string> | undefined;
  /** The exams of the run are read as a whole at the end, however few its steps. */
  wholeProof?: boolean;
  /** The moment from which relative times count. Milliseconds since 1970. */
  began?: number | undefined;
  plan(world: World): Promise<Plan>;
  /** Shows the plan to a person; called again after a second computation only where it differs. */
  tell?(plan: Plan): void | Promise<void>;
  /** The question: what will happen, and how many it touches; undefined where there is nothing to ask about this plan. */
  question?: ((plan: Plan) => Promise<Sentence | undefined> | Sentence | undefined) | undefined;
  /** The text to type in place of "yes". */
  typed?: ((plan: Plan) => string | undefined) | undefined;
  consents?: Consents;
  resendAbsent?: boolean | undefined;
  /** The same command again sends what two reads of an earlier run, and one of its own, do not show. */
  sendsAbsent?: boolean | undefined;
  /** How long after an unclear request a late one may still arrive; twice the deadline where it is absent. Milliseconds. */
  settleTime?: number | undefined;
  /** What `--dry-run` prints; by default the requests. */
  show?(plan: Plan): Result | Promise<Result>;
  /** False where the input of the command has what its creates send: they are recorded without it. */
  withBody?: boolean;
  /** The steps of a run that is resumed, where they are recorded without what they send, and further ones. */
  stepsOf?(recorded: Recorded, world: World): Promise<Resumption>;
  result(ended: Ended): Result | Promise<Result>;
};

/** How a run came to its end; `run`: undefined where nothing had to be sent. */
export type Ended = {
  run: string | undefined;
  book: Book;
  outcomes(): Iterable<Outcome>;
  stopped: CliError | undefined;
  /** How long it took to send and to prove. */
  milliseconds: number;
  /** The exams that were read as a whole at the end. */
  readings: ReadonlyMap<string, Reading>;
  /** It is there already, and that is a success (`--if-not-exists`). */
  there: Extract<Looked, { is: 'there' }> | undefined;
  /** The error of the run; undefined where all of it came to a good end. */
  failure(words: FailureWords): CliError | undefined;
};

export function identityOf({ kind, identity }: Pick<RunRequest, 'kind' | 'identity'>): string {
  return stringifyJson([kind, ...identity]);
}
