/** For a plan whose exams do not depend on each other: what the gate of the running exam keeps from being sent, exam by exam. */
import type { CliError } from '../../errors.ts';
import type { Plan } from '../step.ts';
import type { World } from '../world.ts';
import { ExamGate } from './exam-gate.ts';

/** By the ID of the exam. Throws the errors of its reads. */
export function examsHeldBack(world: World, plan: Plan): Promise<ReadonlyMap<string, CliError>> {
  return new ExamGate(world).heldBack(plan);
}
