/**
 * What is known of each step of a run while it is carried out: its state, the ID of what it created, and further words. Packed,
 * because an import may have a million steps: only the few that need words have an entry of their own.
 */
import type { CliError } from '../errors.ts';
import type { Json } from '../model/json.ts';
import type { Sentence } from '../text/sentence.ts';
import { createsExam, examOfStep, type Step, type Steps } from './step.ts';
import { isGood, isOpen, mayFollow, type StepState, stepStateNames } from './step-states.ts';

/** What few steps have. */
export type Said = {
  /** Why it is in its state. */
  error?: CliError | undefined;
  /** How the outcome is known, if the answer alone does not show it. */
  evidence?: Sentence | undefined;
  /** The resource as the service showed it last. */
  shown?: Json | undefined;
  /** A status or an error code, as it is recorded. */
  code?: string | undefined;
  /** The address that the service shows, where it is another spelling than was sent. */
  stored?: string | undefined;
};

export type Outcome = Said & {
  index: number;
  step: Step;
  state: StepState;
  /** The ID of what it created, or of its target. */
  id: string | undefined;
  /** This run created it, or set what it shows. */
  ours: boolean;
  /** A request of this process brought it there. */
  sentNow: boolean;
};

/** For up to this many steps, what the service showed is kept for the result; for more, only what needs words. */
const shownOf = 1000;
const ours = 1;
const sent = 2;
const absent = 4;

export class Book {
  readonly steps: Steps;
  readonly #states: Uint8Array;
  readonly #flags: Uint8Array;
  readonly #ids = new Map<number, string>();
  readonly #byId = new Map<string, number>();
  readonly #byExam = new Map<string, number>();
  readonly #said = new Map<number, Said>();
  readonly #counts = new Map<StepState, number>();
  readonly #last: ReadonlySet<number>;
  /** Of the steps that are not last. */
  #open: number;
  #good = 0;

  constructor(steps: Steps) {
    this.steps = steps;
    this.#states = new Uint8Array(steps.length);
    this.#flags = new Uint8Array(steps.length);
    this.#counts.set('planned', steps.length);
    this.#last = new Set(steps.last);
    this.#open = steps.length - this.#last.size;
  }

  state(index: number): StepState {
    return stepStateNames[this.#states[index] ?? 0] ?? 'planned';
  }

  /** Takes the step to a state, if the table allows it there; false if not. */
  move(index: number, next: StepState, said: Said = {}): boolean {
    const before = this.state(index);
    if (before !== next && !mayFollow(before, next)) return false;
    this.restore(index, next);
    this.say(index, said);
    return true;
  }

  /** The state of a step as it was recorded. */
  restore(index: number, state: StepState): void {
    const before = this.state(index);
    this.#counts.set(before, (this.#counts.get(before) ?? 0) - 1);
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + 1);
    this.#states[index] = stepStateNames.indexOf(state);
    if (state === 'absent') this.#flags[index] = (this.#flags[index] ?? 0) | absent;
    if (this.#last.has(index)) return;
    this.#open += Number(isOpen(state)) - Number(isOpen(before));
    this.#good += Number(isGood(state)) - Number(isGood(before));
  }

  say(index: number, said: Said): void {
    const { shown, ...words } = said;
    const kept = this.steps.length <= shownOf ? said : words;
    if (Object.values(kept).some((value) => value !== undefined)) this.#said.set(index, { ...this.#said.get(index), ...kept });
  }

  /** Nothing more is to be said of why it was not done. */
  clear(index: number): void {
    const { shown, stored } = this.#said.get(index) ?? {};
    this.#said.delete(index);
    this.say(index, { shown, stored });
  }

  id(index: number): string | undefined {
    return this.#ids.get(index);
  }

  /** The parameters of a step, with the ID that an earlier one has made. */
  paramsOf(index: number): Step['params'] {
    const { params = {}, made } = this.steps.at(index) ?? {};
    const id = made && this.#ids.get(made.by);
    return made === undefined || id === undefined ? params : { ...params, [made.param]: id };
  }

  /** The exam of a step, also of one that an earlier step has created. */
  examOf(index: number): string | undefined {
    const step = this.steps.at(index);
    if (!step) return undefined;
    const known = examOfStep(step);
    if (known !== undefined && known !== '') return known;
    if (!step.made) return undefined;
    const by = this.steps.at(step.made.by);
    return by && createsExam(by) ? this.#ids.get(step.made.by) : this.examOf(step.made.by);
  }

  /** `resource`: what the ID is of; a session and an exam may have the same one. */
  setId(index: number, id: string, resource: 'exam' | 'session' = 'session'): void {
    this.#ids.set(index, id);
    (resource === 'exam' ? this.#byExam : this.#byId).set(id, index);
  }

  /** The index of the step that has an ID. */
  withId(id: string, resource: 'exam' | 'session' = 'session'): number | undefined {
    return (resource === 'exam' ? this.#byExam : this.#byId).get(id);
  }

  isOurs(index: number): boolean {
    return ((this.#flags[index] ?? 0) & ours) !== 0;
  }

  setOurs(index: number, is: boolean): void {
    this.#flags[index] = ((this.#flags[index] ?? 0) & ~ours) | (is ? ours : 0);
  }

  /** Sent at least once without an answer: what is there now may have come of that. */
  wasAbsent(index: number): boolean {
    return ((this.#flags[index] ?? 0) & absent) !== 0;
  }

  noteSent(index: number): void {
    this.#flags[index] = (this.#flags[index] ?? 0) | sent;
  }

  outcome(index: number): Outcome | undefined {
    const step = this.steps.at(index);
    if (!step) return undefined;
    return {
      index,
      step,
      state: this.state(index),
      id: this.#ids.get(index) ?? step.params.id ?? (step.made && this.#ids.get(step.made.by)),
      ours: this.isOurs(index),
      sentNow: ((this.#flags[index] ?? 0) & sent) !== 0,
      ...this.#said.get(index),
    };
  }

  *outcomes(): Generator<Outcome, undefined> {
    for (let index = 0; index < this.steps.length; index += 1) {
      const outcome = this.outcome(index);
      if (outcome) yield outcome;
    }
  }

  /** The indices of the steps in one of these states. */
  *inState(...states: readonly StepState[]): Generator<number, undefined> {
    for (let index = 0; index < this.steps.length; index += 1) if (states.includes(this.state(index))) yield index;
  }

  count(...states: readonly StepState[]): number {
    return states.reduce((sum, state) => sum + (this.#counts.get(state) ?? 0), 0);
  }

  /** Whether the last steps may be sent: `open` while another step is open, `failed` where one has not come to a good end. */
  get turnOfLast(): 'open' | 'failed' | 'now' {
    if (this.#open > 0) return 'open';
    return this.#good < this.steps.length - this.#last.size ? 'failed' : 'now';
  }

  get isOpen(): boolean {
    return stepStateNames.some((state) => isOpen(state) && this.count(state) > 0);
  }
}
