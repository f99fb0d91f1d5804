/** The cells of a line, read one by one: what cannot be read, or could mean two things, is a problem with line and column. */
import { CliError } from '../../errors.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { type DateOrder, dayOf, parseDay, parseTime } from '../../model/time.ts';
import { parseClock, parseLength } from '../../model/timetable-times.ts';
import { booleanOf } from '../../roster/map/booleans.ts';
import { quote } from '../../roster/read/quote.ts';
import type { Table } from '../../roster/read/source-table.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import type { PeriodColumn } from './period-columns.ts';

/** The word that takes a value away. */
export const nothingWord = 'none';

type ReadingTimes = { zone: string | undefined; dates: DateOrder | undefined };

export class EntryCells {
  readonly #table: Table;
  readonly #at: string;
  readonly #cells: readonly string[];
  readonly #indexes: ReadonlyMap<PeriodColumn, number>;
  readonly #problems: FileProblems;
  readonly #times: ReadingTimes;
  isGood = true;

  constructor(
    table: Table,
    { at, cells }: { at: string; cells: readonly string[] },
    { indexes, problems, times }: { indexes: ReadonlyMap<PeriodColumn, number>; problems: FileProblems; times: ReadingTimes },
  ) {
    this.#table = table;
    this.#at = at;
    this.#cells = cells;
    this.#indexes = indexes;
    this.#problems = problems;
    this.#times = times;
  }

  /** The text of a cell; undefined where it is empty, or there is no such column. */
  text(column: PeriodColumn): string | undefined {
    const index = this.#indexes.get(column);
    const text = index === undefined ? '' : (this.#cells[index]?.trim() ?? '');
    return text === '' ? undefined : text;
  }

  problem(column: PeriodColumn | undefined, what: Sentence, hint?: Sentence): void {
    this.isGood = false;
    this.#problems.add(this.placeOf(column), what, hint);
  }

  placeOf(column: PeriodColumn | undefined): string {
    const index = column === undefined ? undefined : this.#indexes.get(column);
    const header = index === undefined ? '' : (this.#table.header[index] ?? '');
    const place = index === undefined ? '' : `, column ${index + 1}${header === '' ? '' : ` (${quote(header)})`}`;
    return `${this.#at}${place}`;
  }

  /** A text that cannot be taken away. */
  fixed(column: PeriodColumn, what: string): string | undefined {
    const text = this.text(column);
    if (text === undefined || text.toLowerCase() !== nothingWord) return text;
    this.problem(column, sentence`${what} cannot be cleared.`, sentence`Leave the cell empty to keep it as it is.`);
    return undefined;
  }

  yesNo(column: PeriodColumn): boolean | undefined {
    const text = this.fixed(column, column);
    if (text === undefined) return undefined;
    const value = booleanOf(text);
    if (value === undefined) this.problem(column, sentence`${quote(text)} is neither yes nor no.`, sentence`Write yes or no.`);
    return value;
  }

  day(): string | undefined {
    return this.#read('date', this.fixed('date', 'A date'), (text) => parseDay(text, this.#times.dates));
  }

  length(): number | undefined {
    return this.#read('duration', this.fixed('duration', 'A duration'), parseLength);
  }

  /** A time of day, on this day, or a date with its time. */
  async moment(column: 'start' | 'end', day: string | undefined): Promise<number | undefined> {
    const text = this.fixed(column, column === 'start' ? 'A start' : 'An end');
    if (text === undefined) return undefined;
    try {
      const clock = parseClock(text, { ofWorkbook: this.#table.kind === 'xlsx' });
      if (clock === undefined) return await this.#instant(text);
      if (day === undefined) {
        this.problem(
          column,
          sentence`${quote(text)} has no date.`,
          sentence`Give the date in a column of its own, or before the time: 2027-04-13 ${clock}`,
        );
        return undefined;
      }
      return await this.#instant(`${day}T${clock}`);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      this.problem(column, error.message, error.hint);
      return undefined;
    }
  }

  /** The calendar day of a moment in the current zone. */
  dayOf(moment: number): string {
    return dayOf(moment, this.#times.zone ?? 'UTC');
  }

  async #instant(text: string): Promise<number> {
    const { zone, dates } = this.#times;
    if (!/^\d/.test(text))
      throw new InvalidValue(sentence`${quote(text)} is not a time.`, 'Write it as 09:00, or with its date: 2027-04-13 09:00');
    if (zone === undefined && !/(Z|[+-]\d\d:?\d\d)$/i.test(text)) {
      throw new CliError(
        'invalid_input',
        sentence`No time zone is set, and ${this.#table.name} has times without one, such as ${quote(text)}.`,
        {
          hint: 'Set the zone of the exams: --timezone Europe/Vienna, or for good: proctor-cli config set timezone Europe/Vienna',
        },
      );
    }
    return parseTime(text, { zone, dates, now: () => Promise.reject(new InvalidValue(sentence`${quote(text)} counts from now.`)) });
  }

  #read<T>(column: PeriodColumn, text: string | undefined, parse: (text: string) => T): T | undefined {
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      this.problem(column, error.message, error.hint);
      return undefined;
    }
  }
}
