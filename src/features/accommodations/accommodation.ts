/**
 * A list of accommodations, however its file was written, and which of its rows holds for a student in an exam: the
 * most specific one replaces the others entirely. Two equally specific rows are an error unless the list says how they
 * are combined.
 */
import { CliError } from '../../errors.ts';
import type { ExtraTime } from '../../model/extra-time.ts';
import { extraMilliseconds } from '../../model/target-time.ts';
import { dayOf } from '../../model/time.ts';
import { fits, isGlob } from '../../text/glob.ts';
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
  skipRequirements: boolean;
  /** Where it stands in the file, for people: "line 4". */
  place: string;
};

/** The exam in which it holds, as far as the service shows it. Milliseconds since 1970. */
export type GrantingExam = { id: string; name: string | undefined; start: number | undefined; end: number | undefined };

/** What holds for one student in one exam. */
export type Granted = Pick<Accommodation, 'extra' | 'reference' | 'skipRequirements'>;

export const combinations = ['max', 'sum'] as const;
export type Combination = (typeof combinations)[number];

export type AccommodationList = {
  /** What messages call the file. */
  name: string;
  /** SHA-256 of its bytes, in hex. */
  digest: string;
  combine: Combination | undefined;
  students: ReadonlyMap<string, readonly Accommodation[]>;
};

/** How closely a word of a row names an exam: by its ID, by its name, by a pattern, as one of all. Undefined: it means others. */
function closeness(word: string, { id, name }: GrantingExam): number | undefined {
  if (word === id) return 3;
  if (/^\*+$/.test(word)) return 0;
  if (name === undefined || !fits(word, name)) return undefined;
  return isGlob(word) ? 1 : 2;
}

/** The rows of a list in one exam. Each word for exams is compared with it once, however many rows have it. */
export class ExamScope {
  readonly exam: GrantingExam;
  readonly #list: AccommodationList;
  readonly #day: string | undefined;
  readonly #closeness = new Map<string, number | undefined>();

  /** `zone`: whose calendar days count. */
  constructor(list: AccommodationList, exam: GrantingExam, zone: string) {
    this.exam = exam;
    this.#list = list;
    const instant = exam.start ?? exam.end;
    this.#day = instant === undefined ? undefined : dayOf(instant, zone);
  }

  /** The rows of a student that hold here; of unequal ones only the most specific. */
  rowsOf(key: string): readonly Accommodation[] {
    let most = -1;
    let best: Accommodation[] = [];
    for (const row of this.#list.students.get(key) ?? []) {
      const level = this.#isExpired(row) ? undefined : this.#levelOf(row);
      if (level === undefined || level < most) continue;
      if (level > most) [most, best] = [level, []];
      best.push(row);
    }
    return best;
  }

  /** Whether a word for exams means this one. */
  means(word: string): boolean {
    return this.#closenessOf(word) !== undefined;
  }

  /** What a student has been granted here; undefined for nothing. Throws `invalid_input` where two rows contradict each other. */
  granted(key: string): Granted | undefined {
    const rows = this.rowsOf(key);
    const [first, ...more] = rows;
    if (!first || more.length === 0) return first;
    const { name, combine } = this.#list;
    if (combine === undefined) {
      throw new CliError(
        'invalid_input',
        sentence`${name}: ${first.email} has ${rows.length} equally specific lines for exam ${this.exam.id}: ${rows.map(({ place }) => place).join(' and ')}.`,
        { hint: combineHint },
      );
    }
    const references = [...new Set(rows.flatMap(({ reference }) => reference ?? []))];
    return {
      extra: combine === 'max' ? this.#greatest(rows) : sumOf(rows),
      reference: references.length === 0 ? undefined : references.join(', '),
      skipRequirements: rows.some(({ skipRequirements }) => skipRequirements),
    };
  }

  #greatest(rows: readonly Accommodation[]): ExtraTime {
    const { start, end } = this.exam;
    const window = start === undefined || end === undefined ? 0 : Math.max(0, end - start);
    return rows.map(({ extra }) => extra).reduce((one, other) => (isMore(other, one, window) ? other : one));
  }

  #isExpired({ until }: Accommodation): boolean {
    return until !== undefined && this.#day !== undefined && this.#day > until;
  }

  #levelOf({ exams }: Accommodation): number | undefined {
    if (exams.length === 0) return 0;
    const levels = exams.flatMap((word) => this.#closenessOf(word) ?? []);
    return levels.length === 0 ? undefined : Math.max(...levels);
  }

  #closenessOf(word: string): number | undefined {
    if (!this.#closeness.has(word)) this.#closeness.set(word, closeness(word, this.exam));
    return this.#closeness.get(word);
  }
}

function isMore(one: ExtraTime, other: ExtraTime, window: number): boolean {
  return extraMilliseconds(window, one) > extraMilliseconds(window, other);
}

function sumOf(rows: readonly Accommodation[]): ExtraTime {
  return {
    share: rows.reduce((sum, { extra }) => sum + extra.share, 0),
    plus: rows.reduce((sum, { extra }) => sum + extra.plus, 0),
  };
}

export const combineHint = 'Remove one of them, or say how they are combined: combine: max or combine: sum (for a table: --combine).';
