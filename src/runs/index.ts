/** Every write is a step of a plan that `carryOut` carries out. Features compute plans. */
export { carryOut, nothingSent, worldOf } from './carry-out.ts';
export type { Item } from './item.ts';
export { isOpen, isRefusedAsThere, isToLookAt, isTriedAgain, isUnknown, isWritten, itemsOf, leftIn, meaningOf } from './item.ts';
export { poolLacks } from './look.ts';
export { examRoll, Roll, rollOf } from './look-first.ts';
export { placesOf } from './places.ts';
export { againOf, type Consents, createUnknown, type Ended, mayAsk, type Place, type Refused, type RunRequest } from './request.ts';
export { readOne, type World } from './running.ts';
export type { Beside, Plan, Resource, Step } from './step.ts';
export { awaited, creates, examOfStep, kindOf, notSent, oldValues, requestOf, resourceOf, unknownOperation } from './step.ts';

/** Loaded by what goes on with a run, or ends it. */
export const openRuns = () => import('./open-runs.ts');
