/**
 * A known export as data: the headers by which a file is recognised, the columns of its fields, and which values of which column
 * mean a student. Headers are written as the system writes them and compared by `headerKey`. No record has a column that teachers
 * name or fill (groups, sections, assignments, remarks), because nobody knows what it means.
 */
import { headerKey } from '../header-key.ts';

/** What a column can be: a field of a session, a part of the name, or the exam of each line. */
export type ColumnField =
  | 'exam'
  | 'email'
  | 'name'
  | 'first_name'
  | 'infix'
  | 'last_name'
  | 'second_last_name'
  | 'open_time'
  | 'close_time'
  | 'skip_requirements'
  | 'level_of_suspicion';

/** A column that decides which lines are students. With both lists, a value in neither stops the import. */
export type DecidingColumn = {
  column: string | readonly string[];
  only?: readonly string[];
  except?: readonly string[];
  /** Only the part of a value before this text is compared, such as a state before its date. */
  before?: string;
};

export type RosterFormat = {
  /** Completes "This is …"; saved layouts refer to it. */
  name: string;
  /** Sets of headers. A file that has all headers of one set is this export. */
  marks: readonly (readonly string[])[];
  /** The headers of fields that are no aliases of them, in order of preference. */
  columns?: { readonly [field in ColumnField]?: readonly string[] };
  decides?: readonly DecidingColumn[];
  /** Further columns that the system fills by itself: numbers, dates, user names. */
  others?: readonly string[];
  nameOrder?: 'last, first';
  /** The file in the same archive that holds the roles, by sourcedId. */
  roles?: 'roles.csv';
  /** A sign that stands before addresses. */
  prefix?: '#';
};

/** The record that shares the most headers with a file; of several, the first. */
export function formatIn(formats: readonly RosterFormat[], header: readonly string[]): RosterFormat | undefined {
  const keys = new Set(header.map(headerKey));
  let best: RosterFormat | undefined;
  let most = 0;
  for (const format of formats) {
    for (const marks of format.marks) {
      if (marks.length > most && marks.every((mark) => keys.has(headerKey(mark)))) [best, most] = [format, marks.length];
    }
  }
  return best;
}
