/** The one entry point of times that are moved together: `sessions extend`, `exams delay`, `exams shift`, `accommodations apply`. */
export { type Computed, moveTimes, type NotMoved } from './move-times.ts';
export { isTimeValue, stepsOf as stepsOfMoves, type TimeMove, type TimeValue } from './time-move.ts';
export { closings, ended, type RowShape, resetRestrictions, times } from './time-rows.ts';
export { inQuestion, sessions, tellMailed } from './time-words.ts';
