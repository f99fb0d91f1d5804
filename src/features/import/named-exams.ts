/** The exams that the lines of a roster name: each by its ID, or its whole name, which only one exam of the selection may have. */

import { firstInLine } from '../../model/first-of.ts';
import { addTo } from '../../model/groups.ts';
import { nearest } from '../../model/nearest.ts';
import { showTime } from '../../model/time.ts';
import { quote } from '../../roster/read/quote.ts';
import { inOneSpelling, type SelectedExam } from '../exam-selection.ts';

/** The nearest name is looked for while so many texts have been new; a file has few different exams. */
const lookedUpAtMost = 1000;

export class NamedExams {
  /** Those that are named, by their numbers. */
  readonly named: SelectedExam[] = [];
  readonly #zone: string;
  readonly #byName = new Map<string, SelectedExam[]>();
  readonly #byId: ReadonlyMap<string, SelectedExam>;
  readonly #numbers = new Map<string, number>();
  readonly #found = new Map<string, SelectedExam | string>();

  constructor(selection: readonly SelectedExam[], zone: string) {
    this.#zone = zone;
    this.#byId = new Map(selection.map((exam) => [exam.id, exam]));
    for (const exam of selection) if (exam.name !== undefined) addTo(this.#byName, inOneSpelling(exam.name), exam);
  }

  /** The exam that a text means, or why it means none. */
  find(text: string): SelectedExam | string {
    const before = this.#found.get(text);
    if (before !== undefined) return before;
    const fitting = new Set([...(this.#byName.get(inOneSpelling(text)) ?? []), this.#byId.get(text)]);
    const [exam, ...others] = [...fitting].filter((one) => one !== undefined);
    const isNew = this.#found.size < lookedUpAtMost;
    const found = exam === undefined ? this.#noneLike(text, isNew) : others.length === 0 ? exam : this.#severalLike([exam, ...others]);
    if (isNew) this.#found.set(text, found);
    return found;
  }

  /** The number of an exam, which is named from now on. */
  numberOf(exam: SelectedExam): number {
    const number = this.#numbers.get(exam.id) ?? this.named.push(exam) - 1;
    this.#numbers.set(exam.id, number);
    return number;
  }

  #noneLike(text: string, hints: boolean): string {
    const name = hints ? nearest(inOneSpelling(text), this.#byName.keys()) : undefined;
    const [meant] = name === undefined ? [] : (this.#byName.get(name) ?? []);
    return `no exam of the selection has this ID or name${meant === undefined ? '' : `; the nearest name is ${quote(meant.name ?? '')} (exam ${meant.id})`}`;
  }

  #severalLike(exams: readonly SelectedExam[]): string {
    const inWords = ({ id, start }: SelectedExam) => (start === undefined ? id : `${id} (${showTime(start / 1000, this.#zone)})`);
    return `${exams.length} exams of the selection have this ID or name: ${firstInLine(exams, inWords, 5)}; narrow the selection with --from, --until or --name, or give the ID`;
  }
}
