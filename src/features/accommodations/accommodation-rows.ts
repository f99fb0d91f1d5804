/**
 * The rows of a list of accommodations, checked alike whether they come from YAML or from a table. Every problem is
 * kept with its place; a list with problems is not used at all.
 */
import { addressKey } from '../../model/address-key.ts';
import { type ExtraTime, isNoExtraTime, longestExtraTime, noExtraTime, parseExtraTime, parsePlus } from '../../model/extra-time.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { parseDay } from '../../model/time.ts';
import { addressFault } from '../../roster/map/address.ts';
import { booleanOf } from '../../roster/map/booleans.ts';
import { folded } from '../../text/fold.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import { type Accommodation, type AccommodationList, type Combination, combineHint } from './accommodation.ts';

export const rowKeys = ['email', 'extra', 'plus', 'exams', 'until', 'reference', 'skip_requirements'] as const;
export type RowKey = (typeof rowKeys)[number];

/** A text of the file; `at`: its place for people, with line and column. */
export type Cell = { text: string; at: string };

/** A row as it was written. `at`: its place. `unreadable`: something of it is lost, and a problem already. */
export type WrittenRow = {
  at: string;
  unreadable?: boolean;
  cells: { readonly [key in Exclude<RowKey, 'exams'>]?: Cell };
  exams: readonly Cell[];
};

/** Exams written as one text, with ; or | between them. */
export function examsInText(text: string): string[] {
  return text
    .split(/[;|]/)
    .map((exam) => exam.trim())
    .filter((exam) => exam !== '');
}

/** The rows as a list. Problems are added to `problems`; the list is good only without any. */
export function listOf(
  rows: Iterable<WrittenRow>,
  file: { name: string; digest: string; combine: Combination | undefined },
  problems: FileProblems,
): AccommodationList {
  const students = new Map<string, Accommodation[]>();
  for (const row of rows) {
    const accommodation = accommodationOf(row, problems);
    if (!accommodation) continue;
    const others = students.get(accommodation.key);
    if (!others) students.set(accommodation.key, [accommodation]);
    else {
      const twin = file.combine === undefined ? others.find((other) => sameScope(other, accommodation)) : undefined;
      if (twin) {
        const spelling = twin.email === accommodation.email ? '' : ` as ${twin.email}`;
        problems.add(
          row.at,
          sentence`${accommodation.email} is already listed for the same exams in ${twin.place}${spelling}.`,
          sentence`${combineHint}`,
        );
      }
      others.push(accommodation);
    }
  }
  return { ...file, students };
}

/** Whether two rows of a student name an exam by the same words, or both name none. */
function sameScope({ exams }: Accommodation, other: Accommodation): boolean {
  if (exams.length === 0 || other.exams.length === 0) return exams.length === other.exams.length;
  const names = new Set(exams.map(folded));
  return other.exams.some((exam) => names.has(folded(exam)));
}

function accommodationOf({ at, unreadable = false, cells, exams }: WrittenRow, problems: FileProblems): Accommodation | undefined {
  let good = true;
  const problem = (where: string, what: Sentence, hint?: Sentence) => {
    good = false;
    problems.add(where, what, hint);
  };
  const read = <T>(cell: Cell | undefined, parse: (text: string) => T): T | undefined => {
    if (cell === undefined) return undefined;
    try {
      return parse(cell.text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      problem(cell.at, error.message, error.hint);
      return undefined;
    }
  };
  const email = cells.email?.text.trim() ?? '';
  const fault = email === '' ? undefined : addressFault(email);
  if (email === '') problem(cells.email?.at ?? at, sentence`The e-mail address is missing.`);
  else if (fault) problem(cells.email?.at ?? at, sentence`${JSON.stringify(email)} is not an e-mail address: ${fault.reason}.`);
  // A row for some exams may grant nothing: it takes the place of a row that is less specific.
  const exempts = exams.length > 0;
  const share = read(cells.extra, (text) => (exempts && isNoExtraTime(text) ? noExtraTime : parseExtraTime(text)));
  const plus = read(cells.plus, (text) => (exempts && isNoExtraTime(text) ? 0 : parsePlus(text)));
  const until = read(cells.until, (text) => parseDay(text));
  const skipRequirements = read(cells.skip_requirements, (text) => {
    const value = booleanOf(text);
    if (value === undefined) throw new InvalidValue(sentence`${JSON.stringify(text)} is neither true nor false.`);
    return value;
  });
  const extra: ExtraTime = { share: share?.share ?? 0, plus: (share?.plus ?? 0) + (plus ?? 0) };
  if (!unreadable && !cells.extra && !cells.plus && skipRequirements !== true) {
    problem(at, sentence`The line grants nothing.`, sentence`Add extra (25%), plus (10m), or both.`);
  }
  if (extra.plus > longestExtraTime) problem(at, sentence`extra and plus together are more than a day.`, sentence`Write at most 24h.`);
  for (const exam of exams) if (exam.text.trim() === '') problem(exam.at, sentence`The name of an exam is empty.`);
  if (!good) return undefined;
  const reference = cells.reference?.text.trim();
  return {
    email,
    key: addressKey(email),
    extra: extra.share === 0 && extra.plus === 0 ? noExtraTime : extra,
    exams: exams.map(({ text }) => text.trim()),
    until,
    reference: reference === '' ? undefined : reference,
    skipRequirements: skipRequirements ?? false,
    place: at,
  };
}
