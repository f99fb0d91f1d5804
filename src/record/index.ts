/** What others know of the record of runs. */

export { openRecord, type RecordOptions } from './open-record.ts';
export type { TeamAccess } from './postgres.ts';
export { LockHeld, type RunFilter, RunRecord, type StepFilter } from './record.ts';
export type { NewRun, Run, RunState, StepRow } from './rows.ts';
export { RunWriter } from './run-writer.ts';
