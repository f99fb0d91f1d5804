/** The cells of a line, read one by one: what cannot be read, or could mean two things, is a problem with line and column. */
import { CliError } from '../../errors.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { type DateOrder, dayOf, parseDay, parseTime } from '../../model/time.ts';
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
  moment(column: 'start' | 'end', day: string | undefined): number | undefined {
    const text = this.fixed(column, column === 'start' ? 'A start' : 'An end');
    if (text === undefined) return undefined;
    try {
      const clock = parseClock(text, { ofWorkbook: this.#table.kind === 'xlsx' });
      if (clock === undefined) return this.#instant(text);
      if (day === undefined) {
        this.problem(
          column,
          sentence`${quote(text)} has no date.`,
          sentence`Give the date in a column of its own, or before the time: 2027-04-13 ${clock}`,
        );
        return undefined;
      }
      return this.#instant(`${day}T${clock}`);
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

  #instant(text: string): number {
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
    return parseTime(text, { zone, dates, now: () => Number.NaN });
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

/*
 * Times of day and lengths in English, German and French. What could mean two things is refused: 9.30 may be a number, and 2 may be
 * hours or minutes.
 */
const clockForms = [
  /^(?<hour>\d{1,2}):(?<minutes>\d\d)(?::(?<seconds>\d\d))?(?: ?(?:uhr|h|(?<half>[ap])\.?m\.?))?$/i,
  /^(?<hour>\d{1,2})\.(?<minutes>\d\d) ?uhr$/i,
  /^(?<hour>\d{1,2}) ?(?:uhr|h|(?<half>[ap])\.?m\.?)$/i,
  /^(?<hour>\d{1,2}) ?h ?(?<minutes>\d\d)$/i,
];
/** How a workbook's cells of times are read: 9h30m. */
const cellForm = /^(?:(?<hour>\d{1,2})h)?(?:(?<minutes>\d{1,2})m)?(?:(?<seconds>\d{1,2})s)?$/;
const clockHint = 'Write it as 09:00.';

/** A time of day as `09:30` or `09:30:15`; undefined for what has another form. Throws `InvalidValue`. */
export function parseClock(text: string, { ofWorkbook }: { ofWorkbook: boolean }): string | undefined {
  const written = text.trim();
  const forms = ofWorkbook ? [cellForm, ...clockForms] : clockForms;
  const parts = forms.map((form) => (written === '' ? null : form.exec(written))).find((found) => found !== null)?.groups;
  if (!parts) {
    if (!/^\d{1,2}([.,]\d{1,2})?$/.test(written)) return undefined;
    throw new InvalidValue(sentence`"${written}" may be a time of day or a number.`, clockHint);
  }
  const { hour = '0', minutes = '0', seconds = '0', half } = parts;
  const isPossible = half === undefined || (Number(hour) >= 1 && Number(hour) <= 12);
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (!isPossible || hours > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    throw new InvalidValue(sentence`"${written}" is not a time of day.`, clockHint);
  const [first, ...rest] = [hours, Number(minutes), Number(seconds)].map((number) => String(number).padStart(2, '0'));
  return [first, rest[0], ...(Number(seconds) === 0 ? [] : [rest[1]])].join(':');
}

const lengthForm = /^(?:(\d{1,2}) ?(?:h|hrs?|hours?|std\.?|stunden?|heures?))? ?(?:(\d{1,4}) ?(?:m|min\.?|mins|minutes?|minuten?|mn))?$/i;
const colonForm = /^(\d{1,2}):(\d\d)(?::00)?$/;
const frenchForm = /^(\d{1,2}) ?h ?(\d\d)$/i;
/** A number without a unit up to this may be hours. */
const mayBeHours = 12;
const longest = 24 * 60;

/** The length of an exam in milliseconds: `2h`, `120` (minutes), `2:00`. Throws `InvalidValue`. */
export function parseLength(text: string): number {
  const written = text.trim();
  const hint = 'Write it as 2h, 1h30m, 2:00, or in minutes: 120.';
  if (/^\d{1,2}$/.test(written) && Number(written) <= mayBeHours)
    throw new InvalidValue(sentence`"${written}" may be hours or minutes.`, sentence`Write ${written}h or ${written}m.`);
  const parts = /^\d{1,4}$/.test(written)
    ? [written, '0', written]
    : written !== '' && (colonForm.exec(written) ?? frenchForm.exec(written) ?? lengthForm.exec(written));
  if (!parts) throw new InvalidValue(sentence`"${written}" is not a length of time.`, hint);
  const [, hours = '0', minutes = '0'] = parts;
  const length = Number(hours) * 60 + Number(minutes);
  if (length === 0 || (colonForm.test(written) && Number(minutes) > 59))
    throw new InvalidValue(sentence`"${written}" is not the length of an exam.`, hint);
  if (length > longest) throw new InvalidValue(sentence`"${written}" is longer than a day.`, hint);
  return length * 60_000;
}
