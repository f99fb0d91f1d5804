/** The problems of a file, each with its place: all of them are reported at once, and the file is used only without any. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

export class FileProblems {
  readonly #name: string;
  readonly #found: { at: string; line: number; text: Sentence; hint: Sentence | undefined }[] = [];
  #count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  add(at: string, what: Sentence, hint?: Sentence): void {
    this.#count += 1;
    // Those beyond are only counted.
    if (this.#found.length < 100)
      this.#found.push({ at, line: Number(/\d+/.exec(at)?.[0] ?? 0), text: sentence`${this.#name}, ${at}: ${what}`, hint });
  }

  /** Throws `invalid_input` if there is a problem: the problem itself, or the number of those reported on stderr. */
  refuse(context: Pick<Context, 'warn'>): void {
    const [first] = this.#found;
    if (!first) return;
    const hint = first.hint ?? sentence`Correct it and run the command again; nothing was sent.`;
    if (this.#count === 1) throw new CliError('invalid_input', first.text, { hint });
    const inOrder = this.#found.toSorted((one, other) => one.line - other.line);
    const items = inOrder.map(({ at, text, hint: next }) => {
      const message = sentence`${text}${next === undefined ? '' : ` ${next}`}`;
      return { id: at, code: 'invalid_input' as const, message };
    });
    for (const line of firstLines(items, ({ message }) => message, 'more problems', this.#count)) context.warn(line);
    throw new CliError('invalid_input', sentence`${this.#name} has ${count(this.#count, 'problem')}, reported above.`, {
      hint: 'Correct them and run the command again; nothing was sent.',
      items,
    });
  }
}
