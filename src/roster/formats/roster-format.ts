/**
 * A known export as data: the headers by which a file is recognised, where its fields stand, which values of which column
 * are students. Headers are written as the system writes them and compared by `headerKey`. A column that teachers name
 * or fill (groups, sections, assignments, remarks) is in no record, because what it means is not known here.
 */
import { headerKey } from '../header-key.ts';

/** What a column can be: a field of a session, or a part of the name. */
export type ColumnField =
  | 'email'
  | 'name'
  | 'first_name'
  | 'infix'
  | 'last_name'
  | 'second_last_name'
  | 'open_time'
  | 'close_time'
  | 'skip_requirements'
  | 'extra_time'
  | 'level_of_suspicion';

/** A column that decides which lines are students; a value under neither stops the import, unless one of the two is absent. */
export type DecidingColumn = {
  column: string | readonly string[];
  only?: readonly string[];
  except?: readonly string[];
  /** Of a value, what stands before this text is compared: a state with its date. */
  before?: string;
};

export type RosterFormat = {
  /** Completes "This is …"; saved layouts refer to it. */
  name: string;
  /** Sets of headers, one of which the file has as a whole. */
  marks: readonly (readonly string[])[];
  /** Where a field stands under a header that is no alias of it, in order of preference. */
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

/** The record that a file matches by the most headers; of equal ones the first. */
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
