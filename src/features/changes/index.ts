/**
 * The door to changes: times of exams and sessions that are moved together, with a journal, resume and
 * undo. A caller computes the moves and supplies the words; `runChange` does the rest. Transfers of
 * students to another exam (`src/features/transfer`) share the journal and the lock, and make their own
 * requests.
 */
export type { ChangeMove } from './change-move.ts';
export { withChangesLock } from './changes-lock.ts';
export { beginChange, type ChangeJournal, openChange, reasonOf } from './journal.ts';
export { listChanges, type RecordedChange } from './list-changes.ts';
export { inQuestion, sessions } from './messages.ts';
export { isSettled, type Move } from './moves.ts';
export { emailOf, readResource } from './read.ts';
export type { RowShape } from './result.ts';
export { resumedAlike } from './resume-alike.ts';
export { runChange } from './run-change.ts';
export { settleEarlier } from './settle.ts';
export { isTimeValue, shows, type TimeValue } from './value.ts';
