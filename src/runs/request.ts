/** What a command asks of the engine, and what it gets when its run has come to its end. */
import type { Context, Result } from '../command.ts';
import { CliError, type ErrorCode } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import type { Json } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { capitalised, type Sentence, sentence } from '../text/sentence.ts';
import type { Item } from './item.ts';
import type { World } from './running.ts';
import type { Plan, Step, There } from './step.ts';

export type Consents = {
  allowDuplicate?: boolean | undefined;
  ifNotExists?: boolean | undefined;
  resend?: boolean | undefined;
  unlessMailed?: boolean | undefined;
  again?: boolean | undefined;
};

/** What one run at a time may write to: `placesOf` says which. */
export type Place = `exam ${string}` | `students ${string}` | 'exams';

/**
 * Of an open run of the same command. `resume`: what is left of it is the plan; `anew`: what is unknown is looked up, the rest is given up;
 * `times`: the same once the changes of times that were begun are finished.
 */
export type Again = 'resume' | 'anew' | 'times';

const resumed: ReadonlySet<string> = new Set([
  ...['exams delete', 'sessions delete', 'exams shift', 'exams delay', 'sessions extend', 'sessions move', 'exams clone'],
  // Updates that set times.
  ...['exams times', 'sessions times'],
]);

/** Their plan depends on more than their identity, such as a file: after an open run, it is always made anew. */
export const plannedAnew: ReadonlySet<string> = new Set(['sessions import', 'accommodations apply', 'exams apply', 'runs undo']);

/** They move windows along with the times of their exam. */
export const movesTimes: ReadonlySet<string> = new Set(['exams times', 'exams shift', 'exams delay', 'exams apply']);

export function againOf(kind: string): Again {
  if (kind === 'exams apply') return 'times';
  return resumed.has(kind) ? 'resume' : 'anew';
}

/** An exam that runs, what is said of its time, and what it would lose: as a continuation of "The request would". */
export type Refused = { exam: string; named: Sentence; runs: Sentence; why: Sentence };

/** `P`: the plan, with what a feature keeps in it. */
export type RunRequest<P extends Plan = Plan> = {
  kind: string;
  /** Subject and options that say what is written, as typed, and what stdin, files and pickers supplied: the same command is found by it. */
  identity: Json;
  /** What is recorded in place of the values of its arguments; by default those that are IDs. */
  operands?: readonly string[];
  /** By how much it moves times, in one spelling: set twice, it adds up. */
  amount?: string | undefined;
  undoOf?: string | undefined;
  consents?: Consents;
  /** Nothing is done without a yes: where nobody can be asked, it is refused before anything is read. */
  needsYes?: boolean | undefined;
  /** The places that it will write to, from its selection. */
  places(world: World): Promise<readonly Place[]> | readonly Place[];
  /** Computed under the locks of the places, and again after each question. */
  plan(world: World): Promise<P>;
  /** The plan without what would take something from exams that run. Without it, they refuse the whole plan. */
  holdBack?(plan: P, running: readonly Refused[]): P;
  /** In place of a run: what is said of the plan. */
  check?: (() => Promise<Result>) | undefined;
  dryRun?(plan: P, requests: Result): Result | Promise<Result>;
  tell?(plan: P): void | Promise<void>;
  /** What will happen, and how many it touches; undefined where there is nothing to ask about this plan. */
  question?(plan: P): Promise<Sentence | undefined> | Sentence | undefined;
  typed?(plan: P): string | undefined;
  /** `plan`: the last one; undefined where an open run was resumed. */
  result(ended: Ended, plan?: P): Result | Promise<Result>;
};

export type Ended = {
  run: string | undefined;
  again: Again;
  items: readonly Item[];
  /** Why not all of it was tried. */
  stopped: CliError | undefined;
  there?: There;
};

/** `key`: what a yes is a consent to. */
export type Question = { key: string; words: Sentence; typed?: string | undefined };

/** Thrown where something has to be asked: it ends the attempt, with its locks, and after a yes all of it begins again. `steps`: what it shows. */
export class Asks extends Error {
  readonly question: Question;
  readonly steps: readonly Step[];
  constructor(question: Question, steps: readonly Step[] = []) {
    super();
    this.question = question;
    this.steps = steps;
  }
}

/** Whether a person may be asked what no flag has said. */
export function mayAsk({ globals, host }: Context): boolean {
  return !globals.yes && !globals.dryRun && canAsk(host, globals.noInput);
}

/** What was said of what is there: by flags, and by a yes to a question. */
export type Said = { consents: Consents; agreed: ReadonlySet<string> };

/** What a person has said yes to, the steps that they have seen, and the plan that was told last. */
export type Answers = { agreed: Set<string>; seen: Set<string>; told?: string };

export function runningRefusal(refused: readonly Refused[], sent: 'Nothing was sent.' | 'It was not sent.'): CliError {
  const [{ exam, named, runs, why } = { exam: '', named: '', runs: '', why: '' }, ...others] = refused;
  const more = others.length === 0 ? '' : ` The same holds for ${others.length} more.`;
  return new CliError('exam_running', sentence`${capitalised(named)} ${runs}; the request would ${why}.${more} ${sent}`, {
    hint: sentence`Wait until it is over, or leave it out. To send it all the same: --during-exam "REASON", then type the ID of the exam (${exam}); in a script, add --yes.`,
  });
}

/** Nothing is sent because of a run that is open; with what can be done about it. */
export function blockedBy(run: string, code: ErrorCode, what: Sentence): CliError {
  const [resume, show, close] = ['resume', 'show', 'close'].map((verb) => `proctor-cli ${typedCommand(`runs ${verb}`, [run])}`);
  const hint = sentence`Nothing was sent. Look it up again: ${resume}; see what is known: ${show}; or end it as it is: ${close}`;
  return new CliError(code, what, { hint });
}

export function questionOf({ exam, named, runs, why }: Refused, place: Sentence): Question {
  const words = sentence`${capitalised(named)} ${runs}. The request would ${why}. Send it ${place}?`;
  return { key: `gate ${exam}`, words, typed: exam };
}
