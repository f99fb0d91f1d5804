/**
 * The door to changes: times of exams and sessions that are moved as one, with a journal, resume and undo.
 * A caller computes the moves and gives the words; `runChange` does the rest.
 */
export type { ChangeMove } from './change-move.ts';
export { inQuestion, sessions } from './messages.ts';
export { emailOf, examOf, readResource } from './read.ts';
export type { RowShape } from './result.ts';
export { runChange } from './run-change.ts';
export { settleEarlier } from './settle.ts';
export { isTimeValue, type TimeValue } from './value.ts';
