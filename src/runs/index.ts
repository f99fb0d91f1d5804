/**
 * The one entry point of runs: every write of the program is a step of a plan that `carryOut` carries out. Features compute plans and
 * word results; they know neither the writing calls of the client nor the record.
 */
export { carryOut, tellOpenRun, worldOf } from './carry-out.ts';
export { blockedBy, failureOf, leftIn } from './ended.ts';
export { ExamGate, phaseIn } from './gate.ts';
export { type Item, isToLookAt, isUnknown, isWritten, itemsOf, meaningOf, type StepState } from './item.ts';
export { poolLacks } from './look.ts';
export { examRoll, type Roll, rollOf } from './look-first.ts';
export { closeRun, refuseOtherService, resumeRun } from './open-runs.ts';
export { placesOf } from './places.ts';
export { addressless, type Listed, mailsOf, numberIn, Reading, readExam } from './reading.ts';
export { againOf, type Consents, type Ended, type Place, type Refused, type RunRequest } from './request.ts';
export { readOne, readRecord, type World } from './running.ts';
export { examOfStep, kindOf, oldValues, type Plan, requestOf, type Step, unknownOperation } from './step.ts';
export { along, type ExamTime, examTimes } from './times.ts';
export type { UndoPlan } from './undo.ts';

/** Loaded by those who undo alone. */
export const undoing = () => import('./undo.ts');
