/**
 * The one entry point of runs: every write of the program is a step of a plan that `carryOut` carries out. Features compute plans and
 * word results; they know neither the writing calls of the client nor the state.
 */
export type { Outcome } from './book.ts';
export { carryOut, openRun, worldOf } from './carry-out.ts';
export { resumption } from './dry-run.ts';
export { examsHeldBack } from './gate/exam-gate.ts';
export { examPhase } from './gate/exam-phase.ts';
export {
  type CreatedExam,
  examsCreatedBy,
  isMeant,
  movedHere,
  movedInPart,
  openStudents,
  runNamed,
  shownSteps,
  summaryOf,
} from './history.ts';
export { examSent, lookForExams } from './look-first.ts';
export type { Consents } from './looked.ts';
export { caughtUp, readRecord, readStudents } from './own-writes.ts';
export type { ListedSession, Reading } from './reading.ts';
export type { Recorded } from './resume.ts';
export { closeRun, resumeWith } from './resume-run.ts';
export type { Ended } from './run-request.ts';
export { settleAbout } from './settle-about.ts';
export { createsExam, createsStudent, eachStep, listedAs, type Plan, type Step, type Steps, withLast } from './step.ts';
export { isGood, isOpen } from './step-states.ts';
export { TooManyUnclear } from './stop-rule.ts';
export { lookForStudents, lookInExams, type StudentsThere } from './students-there.ts';
export { isUndoable, type Kept, undoPlan } from './undo.ts';
