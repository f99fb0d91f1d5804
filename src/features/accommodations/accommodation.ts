/**
 * A list of accommodations, and which of its rows holds for a student in an exam: one that names the exam, else one for all exams. Two
 * alike are refused.
 */
import { CliError } from '../../errors.ts';
import type { ExtraTime } from '../../model/extra-time.ts';
import { dayOf } from '../../model/time.ts';
import { fits } from '../../text/glob.ts';
import { sentence } from '../../text/sentence.ts';

export type Accommodation = {
  email: string;
  /** The key that all spellings of the address share. */
  key: string;
  extra: ExtraTime;
  /** Patterns for names, or IDs; none: all exams. */
  exams: readonly string[];
  /** The last day on which it holds, in the current zone. */
  until: string | undefined;
  /** A file number of the office. */
  reference: string | undefined;
  /** Where it stands in the file, for people: "line 4". */
  place: string;
};

/** The exam in which it holds, as far as the service shows it. Milliseconds since 1970. */
export type GrantingExam = { id: string; name: string | undefined; start: number | undefined; end: number | undefined };

/** `name`: what messages call the file. `students`: the rows by the key of the address. */
export type AccommodationList = { name: string; students: ReadonlyMap<string, readonly Accommodation[]> };

export const keepOne = 'Keep one of them: of two lines, one that names exams wins over one for all exams.';

/** The rows of a list in one exam. Each word for exams is compared with it once, however many rows have it. */
export class ExamScope {
  readonly exam: GrantingExam;
  readonly #list: AccommodationList;
  readonly #day: string | undefined;
  readonly #meant = new Map<string, boolean>();

  /** `zone`: whose calendar days count. */
  constructor(list: AccommodationList, exam: GrantingExam, zone: string) {
    this.exam = exam;
    this.#list = list;
    const instant = exam.start ?? exam.end;
    this.#day = instant === undefined ? undefined : dayOf(instant, zone);
  }

  /** The rows of a student that hold here: those that name the exam, else those for all exams. */
  rowsOf(key: string): readonly Accommodation[] {
    const rows = (this.#list.students.get(key) ?? []).filter((row) => !this.#isExpired(row));
    const naming = rows.filter(({ exams }) => exams.some((word) => this.means(word)));
    return naming.length > 0 ? naming : rows.filter(({ exams }) => exams.length === 0);
  }

  /** Whether a word for exams means this one: by its ID, its name, or a pattern. */
  means(word: string): boolean {
    const { id, name } = this.exam;
    const meant = this.#meant.get(word) ?? (word === id || fits(word, name ?? ''));
    this.#meant.set(word, meant);
    return meant;
  }

  /** The row that holds here; undefined for none. Throws `invalid_input` for two alike. */
  granted(key: string): Accommodation | undefined {
    const rows = this.rowsOf(key);
    const [first, ...more] = rows;
    if (!first || more.length === 0) return first;
    throw new CliError(
      'invalid_input',
      sentence`${this.#list.name}: ${first.email} has ${rows.length} lines for exam ${this.exam.id}: ${rows.map(({ place }) => place).join(' and ')}.`,
      { hint: keepOne },
    );
  }

  #isExpired({ until }: Accommodation): boolean {
    return until !== undefined && this.#day !== undefined && this.#day > until;
  }
}
