/**
 * What a listing cannot tell: a student whose address it hides may be that of any row, and where the service shows other
 * addresses than it was sent, so may every student of no row. A row that such a listing does not show is not absent.
 */
import type { Entries } from '../../roster/map/entries.ts';
import { nameOfRow, settledLater, studentKey } from './journal/records.ts';
import { stateOf } from './journal/row-state.ts';
import type { Rows } from './journal/rows.ts';
import type { ExamStudent, Presence } from './presence.ts';
import { studentsBeside } from './roster-plan.ts';

/** Whether a run has seen the service show other addresses than it was sent, or leave out students that it has confirmed. */
export function showsOthers(presence: Presence, rows: Rows, salt: string): boolean {
  for (const [row, state] of rows.entries()) {
    const { code, key, session } = state;
    if (stateOf(state) === 'unknown' && (code === settledLater.confirmed || code === settledLater.renamed)) return true;
    const shown = session === undefined ? undefined : presence.withSession(session)?.email;
    if (shown !== undefined && key !== studentKey(salt, shown) && key !== studentKey(salt, nameOfRow(row))) return true;
  }
  return false;
}

/** Of students who belong to no row, those who may belong to a row that the listing does not show. `others`: it shows other addresses than were sent. */
export function possibleStudents(students: readonly ExamStudent[], others: boolean): readonly ExamStudent[] {
  return others ? students : students.filter(({ email }) => email === undefined);
}

/** Whether a row that the listing does not show may be in the exam all the same. `before`: the listing before its request. */
export function mayHideRows(
  presence: Presence,
  { entries, rows, salt, before }: { entries: Entries; rows: Rows; salt: string; before: Presence | undefined },
): boolean {
  const since = studentsBeside(entries, presence, rows).filter(({ session }) => session === undefined || !before?.withSession(session));
  return possibleStudents(since, since.length > 0 && showsOthers(presence, rows, salt)).length > 0;
}
