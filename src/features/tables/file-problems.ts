/** The problems of a file, each with its place: all of them are reported at once, and the file is used only without any. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { placeOf, type Row, type Table } from '../../roster/table.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** `reason`: a sentence that needs no place. `column`: its number from 1 and its header, "column 3 (close_time)", as `columnOf` gives it. */
export type FileProblem = {
  row: Row;
  column?: string | undefined;
  value?: string | undefined;
  reason: Sentence;
  hint?: Sentence | undefined;
};

export class FileProblems {
  readonly #table: Pick<Table, 'name' | 'place'>;
  readonly #found: FileProblem[] = [];

  constructor(table: Pick<Table, 'name' | 'place'>) {
    this.#table = table;
  }

  get count(): number {
    return this.#found.length;
  }

  add(problem: FileProblem): void {
    this.#found.push(problem);
  }

  /** "students.csv, line 4, column 3 (close_time): …", in the order of the file. */
  get sentences(): Sentence[] {
    return this.#inOrder().map((problem) => this.#inWords(problem));
  }

  /** For JSON. */
  get items(): { line: number; column: string | null; value: string | null; reason: Sentence }[] {
    return this.#inOrder().map(({ row, column = null, value = null, reason }) => ({ line: row.line, column, value, reason }));
  }

  /** Throws `invalid_input` if there is a problem: the problem itself, or the number of those reported on stderr. */
  refuse(context: Pick<Context, 'warn'>): void {
    const [first] = this.#found;
    if (!first) return;
    const hint = first.hint ?? sentence`Correct it and run the command again; nothing was sent.`;
    const { items } = this;
    if (this.count === 1) throw new CliError('invalid_input', this.#inWords(first), { hint, items });
    const told = this.#inOrder().map(
      (problem) => sentence`${this.#inWords(problem)}${problem.hint === undefined ? '' : ` ${problem.hint}`}`,
    );
    for (const line of firstLines(told, (text) => text, 'more problems')) context.warn(line);
    throw new CliError('invalid_input', sentence`${this.#table.name} has ${count(this.count, 'problem')}, reported above.`, {
      hint: 'Correct them and run the command again; nothing was sent.',
      items,
    });
  }

  #inOrder(): FileProblem[] {
    return this.#found.toSorted((one, other) => one.row.line - other.row.line);
  }

  #inWords({ row, column, reason }: FileProblem): Sentence {
    const at = [placeOf(this.#table, row), ...(column === undefined ? [] : [column])].join(', ');
    return sentence`${this.#table.name}, ${at}: ${reason}`;
  }
}
