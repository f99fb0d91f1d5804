/**
 * The journals of changes, which transfers of students to another exam (`src/features/transfer`) still write.
 */
export type { ChangeMove } from './change-move.ts';
export { withChangesLock } from './changes-lock.ts';
export { beginChange, type ChangeJournal, openChange, reasonOf } from './journal.ts';
export { listChanges, type RecordedChange } from './list-changes.ts';
export { inQuestion, sessions } from './messages.ts';
export { isSettled, type Move } from './moves.ts';
export { emailOf, readResource } from './read.ts';
export { isTimeValue, shows, type TimeValue } from './value.ts';
