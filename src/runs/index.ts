/**
 * The one entry point of runs: every write of the program is a step of a plan that `carryOut` carries out. Features compute plans and
 * word results; they know neither the writing calls of the client nor the state.
 */
export type { Outcome } from './book.ts';
export { carryOut, type Ended, type RunRequest, worldOf } from './carry-out.ts';
export type { Consents } from './look-first.ts';
export { type ListedSession, type Reading, readExam } from './reading.ts';
export { eachStep, noSteps, type Plan, type Step, type Steps, unknownOperation } from './step.ts';
export { isGood, isOpen, type StepState, stepStates } from './step-states.ts';
