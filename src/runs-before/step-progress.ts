/**
 * How far a run has come, as a bar or lines: each step counts once, when it has come to an end. What is unknown counts once a look
 * has settled it; what was not sent does not count.
 */
import type { Context } from '../command.ts';
import type { Book } from './book.ts';
import { isGood, isOpen } from './step-states.ts';

type Shown = ReturnType<Context['progress']>;

export class StepProgress {
  readonly #context: Context;
  readonly #book: Book;
  readonly #told: Uint8Array;
  #shown: Shown | undefined;

  constructor(context: Context, book: Book) {
    this.#context = context;
    this.#book = book;
    this.#told = new Uint8Array(book.steps.length);
  }

  /** The steps that are planned now are those to come. */
  begin(): void {
    const total = this.#book.count('planned');
    if (total > 1) this.#shown ??= this.#context.progress(total);
  }

  tick(index: number): void {
    const state = this.#book.state(index);
    if (isOpen(state) || this.#told[index] === 1) return;
    this.#told[index] = 1;
    this.#shown?.tick(isGood(state));
  }

  end(): void {
    this.#shown?.end();
    this.#shown = undefined;
  }
}
