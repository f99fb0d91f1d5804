/**
 * The one entry point of runs: every write of the program is a step of a plan that `carryOut` carries out. Features compute plans and
 * word results; they know neither the writing calls of the client nor the record.
 */
export { carryOut, tellOpenRun, worldOf } from './carry-out.ts';
export { blockedBy, failureOf } from './ended.ts';
export { halfAnHour, phaseIn } from './exam-phase.ts';
export { ExamGate } from './gate.ts';
export { leftIn, type RunSummary, summariesOf } from './history.ts';
export { poolLacks } from './look.ts';
export { closeRun, lookAgain, refuseOtherService, resumeRun } from './open-runs.ts';
export { placesOf } from './places.ts';
export { type Listed, mailedOf, numberIn, Reading, readExam } from './reading.ts';
export { againOf, type Consents, type Ended, type Place, type Refused, type RunRequest } from './request.ts';
export { examRoll, type Roll, rollOf } from './rolls.ts';
export { itemsOf } from './rows.ts';
export { readOne, readRecord, type World } from './running.ts';
export { isUnknown, isWritten, meaningOf, type StepState } from './states.ts';
export { examOfStep, type Item, isToLookAt, kindOf, oldValues, type Plan, requestOf, type Step, unknownOperation } from './step.ts';
export { along, type ExamTime, examTimes } from './times.ts';
export { type UndoPlan, undoPlaces, undoPlan } from './undo.ts';
