/** Where runs are recorded: what their engine, and those who open the record for it, know of it. */
export { HeldRun, TakenOver } from './held-run.ts';
export { openRecord, type RecordOptions } from './open-record.ts';
export type { TeamAccess } from './postgres.ts';
export { type Lock, LockHeld, type RunFilter, RunRecord, type StepFilter } from './record.ts';
export type { NewRun, Run, RunState, StepRow } from './rows.ts';
