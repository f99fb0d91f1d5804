/** A run that this process carries out, and the one way in which a step changes. */
import type { Moment } from '../api/known.ts';
import { CliError, type ErrorCode, isInterruption, stateErrors } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { settable } from '../model/fields.ts';
import { fieldAt, type JsonObject } from '../model/json.ts';
import type { Listing } from '../model/listing.ts';
import type { RunWriter } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import type { Engine } from './engine.ts';
import { type Change, type Execution, Executions, type Facts, rowOf, stateOf } from './execution.ts';
import { bodyOf, created, isDelete, listedAs, type Ref, type Resource, resourceOf, type Step, targetOf } from './steps/step.ts';

/** What a run keeps beside its steps, sealed. */
export type RunOptions = {
  reason?: string;
  listed: string[];
  amount?: string;
  asks: boolean;
  isPart: boolean;
  /** The runs of the same command that were given up for it; its undo leaves what they have done. */
  earlier: string[];
};

type Gate = { judgeStep(execution: Execution): Promise<Change | undefined> };
export type Locks = { release(): Promise<void> };
type Writable = { -readonly [K in keyof Execution]: Execution[K] };

export class ActiveRun extends Executions {
  readonly engine: Engine;
  readonly writer: RunWriter;
  readonly stop: StopRule;
  gate: Gate | undefined;
  /** The records that were there before: a create cannot have made them. */
  wasThere: ReadonlySet<string> = new Set();
  /** The lists on which its creates rest, and when their readings began. */
  lists: readonly Listing[] = [];
  readAt: Moment = { wall: 0, elapsed: 0 };
  /** The fields that were sent and that no read shows; told when the run is left. */
  readonly notShown = new Map<Execution, readonly string[]>();
  /** The locks of exams that the run has created, by ID; rejected if another run has them. */
  readonly newExamLocks = new Map<string, Promise<Locks>>();
  /** Exams in which nothing more is sent, and why. */
  readonly stoppedExams = new Map<string, CliError>();
  /** Steps of which a person was told that their results are awaited. */
  readonly told = new Set<Execution>();
  /** The steps, by the ID that they are sent to or have created. */
  readonly #to = new Map<string, Set<Execution>>();
  /** When the state of a step began, by a clock that nobody sets. */
  readonly #since = new Map<Execution, number>();

  constructor(engine: Engine, writer: RunWriter, executions: readonly Execution[]) {
    super(executions);
    this.engine = engine;
    this.writer = writer;
    this.stop = new StopRule(engine.host);
    for (const execution of executions) {
      this.#index(execution);
      this.#passOnId(execution);
    }
    engine.reads.run = this;
  }

  get id(): string {
    return this.writer.run.id;
  }

  get options(): RunOptions {
    return this.writer.run.more as RunOptions;
  }

  /** The step that has created this record. */
  creator(resource: Resource, id: string): Execution | undefined {
    return this.stepsTo(id).find(({ step }) => created(step) === resource);
  }

  /** The steps that created what has this ID, or are sent to it. */
  stepsTo(id: string): Execution[] {
    return [...(this.#to.get(id) ?? [])].filter((execution) => execution.id === id);
  }

  /** Whether a record was there before the run. The service may use the ID of what the run has deleted again. */
  wasBefore(resource: Resource, id: string): boolean {
    const isGone = ({ step, state }: Execution) => isDelete(step) && step.resource === resource && state === 'done';
    return this.wasThere.has(listedAs(resource, id)) && !this.stepsTo(id).some(isGone);
  }

  #index(execution: Execution): void {
    const { id } = execution;
    if (id !== undefined) this.#to.set(id, (this.#to.get(id) ?? new Set()).add(execution));
  }

  since(execution: Execution): number | undefined {
    return this.#since.get(execution);
  }

  stopExam({ exam }: Execution, error: CliError): void {
    if (exam === undefined) this.stop.stop(error);
    else this.stoppedExams.set(exam, error);
  }

  /** Resolves when the change is durable. */
  async transition(execution: Execution, { is, error, note, facts = {}, notShown = [] }: Change): Promise<void> {
    if (notShown.length > 0) this.notShown.set(execution, notShown);
    const now = stateOf(is);
    const writable = execution as Writable;
    if (now.state !== execution.state) {
      writable.at = this.engine.host.now();
      this.#since.set(execution, this.engine.host.elapsed());
    }
    Object.assign(writable, { error, note, ...facts, ...now });
    if (facts.shown) writable[facts.code === undefined ? 'lastSeen' : 'answered'] = this.#settingsIn(execution.step, facts.shown);
    const followers = this.#passOnId(execution);
    await this.writer.save([execution, ...followers].map((each) => rowOf(each, this.engine.record)));
  }

  /** Like `transition`, but nobody waits for it: a record that fails stops the run. */
  transitionLater(execution: Execution, change: Change): void {
    this.transition(execution, change).catch((error: unknown) => this.stop.stop(error));
  }

  /** Facts without a change of the state, which the next one records. */
  learn(execution: Execution, facts: Partial<Facts> & Pick<Change, 'error'>): void {
    Object.assign(execution as Writable, facts);
  }

  /** The steps that wait for the ID of what it has created now have it: by their exam they are found in the record. */
  #passOnId(execution: Execution): Execution[] {
    const { step, id } = execution;
    const resource = created(step);
    if (resource === undefined) return [];
    this.#index(execution);
    const exam = resource === 'exam' ? id : execution.exam;
    const is = (ref: Ref | undefined) => typeof ref === 'object' && ref.createdBy === step.number;
    return this.followers(execution).filter((other) => {
      const before = [other.id, other.exam];
      const follower = other as Writable;
      if (is(targetOf(other.step))) follower.id = id;
      if (is(other.step.exam) || is(targetOf(other.step))) follower.exam = exam;
      this.#index(other);
      return other.id !== before[0] || other.exam !== before[1];
    });
  }

  /** The shown values of a record that can be set, or were sent. */
  #settingsIn(step: Step, shown: JsonObject): JsonObject {
    const fields = [...settable(resourceOf(step), this.engine.client.dialect), ...Object.keys(bodyOf(step))];
    return Object.fromEntries(fields.map((field) => [field, fieldAt(shown, field)]).filter(([, value]) => value !== undefined));
  }
}

const inARowAtMost = 3;
const endsLooking: readonly ErrorCode[] = [...stateErrors, 'token_refused', 'not_logged_in', 'already_running'];

class StopRule {
  readonly #host: Host;
  #why: CliError | undefined;
  #begun = 0;
  #inARow = 0;
  /** Up to this number, requests were in flight when an unclear one was counted. */
  #countedUpTo = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  get why(): CliError | undefined {
    const { interrupted } = this.#host;
    if (interrupted.aborted) this.stop(interrupted.reason);
    return this.#why;
  }

  /** Whether nothing more is read either. */
  get endsLooking(): boolean {
    const { why } = this;
    return why !== undefined && (isInterruption(why) || endsLooking.includes(why.code));
  }

  /** Throws a bug. */
  stop(error: unknown): void {
    if (!(error instanceof CliError)) throw error;
    this.#why ??= error;
  }

  nextNumber(): number {
    this.#begun += 1;
    return this.#begun;
  }

  clear(): void {
    this.#inARow = 0;
  }

  unclear(request: number, error: CliError): void {
    if (request > this.#countedUpTo) {
      this.#inARow += 1;
      this.#countedUpTo = this.#begun;
    }
    if (this.#inARow < inARowAtMost) return;
    const why = sentence`${inARowAtMost} requests in a row had no clear answer; the last one: ${error.message}`;
    const code = error.code === 'outcome_unknown' ? 'unavailable' : error.code;
    this.stop(new CliError(code, why, { hint: error.hint, status: error.status }));
  }
}
