/** Any other request: no read shows what became of it, so that after an unknown outcome it is never sent again. */

import { momentOf } from '../../api/known.ts';
import { filled, isSameRequest } from '../../api/operations.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Engine } from '../engine.ts';
import { type Execution, executionOf } from '../execution.ts';
import { requestUnknown } from '../request.ts';
import { stays } from '../undoing.ts';
import { acknowledged, type Loss, mayTakeAnything, type StepRules } from './rules.ts';
import { operationOf, type Plan, type RawRequest, type Step } from './step.ts';
import { sessionAndExam } from './target.ts';

export const raw: StepRules<RawRequest> = {
  locks: ({ exam }) => (typeof exam === 'string' ? [`exam ${exam}`, `students ${exam}`] : []),
  mayTake: () => true,
  losses,
  checkPlan,
  precheck: async ({ engine }) => momentOf(engine.host),
  refusalIsFinal: false,
  onSuccess: acknowledged,
  onDenial(error) {
    const isAll = error.code === 'not_applied';
    return { is: isAll ? 'not_applied' : 'unknown', error, facts: { code: 'denied' } };
  },
  isIdempotent: false,
  isVerifiable: false,
  list: () => null,
  observe: async () => ({ is: 'not there' }),
  verdict: () => undefined,
  resend: 'never',
  isReversible: false,
  inverse: () => stays`a request of this kind cannot be taken back`,
};

/** It may take something from the exam that its operation names, or that of its session; else from any exam that runs. */
async function losses(engine: Engine, execution: Execution<RawRequest>, listed: JsonObject | undefined): Promise<Loss[]> {
  const { step, id = '', exam } = execution;
  if (step.operation === undefined) return [{ ...mayTakeAnything, exam }];
  const { does, resource } = operationOf(step);
  const found = resource === 'session' && exam === undefined ? await sessionAndExam(engine, execution, listed) : undefined;
  return [{ exam: exam ?? found?.exam, why: filled(does, { id, exam_id: id }) }];
}

/** Throws `outcome_unknown` where the same request was sent by a run from here, of whatever command, and nobody knows what became of it. */
async function checkPlan({ record, origin }: Engine, plan: Plan): Promise<Plan> {
  const isRaw = (step: Step) => step.kind === 'raw';
  const requests = plan.steps.filter(isRaw);
  const ops = [...new Set(requests.map((step) => operationOf(step).id))];
  for (const row of await record.find(origin, { ops, states: ['sending', 'unknown'] })) {
    const { step } = executionOf(row);
    if (isRaw(step) && requests.some(({ request }) => isSameRequest(request, step.request))) throw requestUnknown(row.run);
  }
  return plan;
}
