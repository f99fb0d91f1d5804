/** The seven kinds of step. A kind without its rules does not compile. */
import type { Execution } from '../execution.ts';
import type { Kind, Step } from '../step.ts';
import { changePool } from './change-pool.ts';
import { createExam } from './create-exam.ts';
import { createSession } from './create-session.ts';
import { deletion } from './delete.ts';
import { raw } from './raw.ts';
import type { StepRules } from './rules.ts';
import { sendMails } from './send-mails.ts';
import { update } from './update.ts';

const rules: { [K in Kind]: StepRules<Extract<Step, { kind: K }>> } = {
  'create exam': createExam,
  'create session': createSession,
  update,
  delete: deletion,
  'send mails': sendMails,
  'change pool': changePool,
  raw,
};

/** Its kind has chosen them. */
export function rulesOf<S extends Step>({ kind }: S): StepRules<S> {
  return rules[kind] as unknown as StepRules<S>;
}

export function needsVerifying({ state, seen, step }: Execution): boolean {
  return state === 'done' ? !seen : state === 'unknown' && rulesOf(step).isVerifiable;
}

/** Whether nothing has to be sent, by what was shown when it was planned. */
export function isSoAlready(step: Step, shown: Parameters<NonNullable<StepRules<Step>['isSo']>>[1], zone: string): boolean {
  return rulesOf(step).isSo?.(step, shown, zone) ?? false;
}
