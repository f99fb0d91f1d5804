/** `sessions update`. */
import type { Body, Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { setsTimes } from '../../model/fields.ts';
import { type Engine, executePlan, locksOf, nobody, nothingRequired, type Step, StepList } from '../../runs/index.ts';
import { withCurrentValues } from './asked-writes.ts';
import { severalResult } from './results.ts';

type SessionUpdates = Body & { ids: readonly string[]; put: boolean };

export function updateSessions(context: Context, updates: SessionUpdates): Promise<Result> {
  const { body, typedTimes, put } = updates;
  const ids = [...new Set(updates.ids)];
  const hasLocks = body.email !== undefined || setsTimes(body);
  const method = put ? 'PUT' : 'PATCH';
  const stepsOf = async ({ client }: Engine): Promise<readonly Step[]> => {
    const drafts = await client.pacer.map(ids, async (id) => {
      const draft = {
        kind: 'update',
        resource: 'session',
        id,
        exam: undefined,
        method,
        student: nobody,
        body,
        requires: nothingRequired,
        previous: {},
      } as const;
      return (await orGone(withCurrentValues(client, draft))) ?? draft;
    });
    const steps = new StepList();
    for (const draft of drafts) steps.add(draft);
    return steps.all;
  };
  return executePlan(context, {
    kind: setsTimes(body) ? 'sessions times' : 'sessions update',
    identity: { sessions: ids.toSorted(), put, body: { ...body, ...typedTimes } },
    locks: async (engine) => (hasLocks ? locksOf(await stepsOf(engine)) : []),
    plan: async (engine) => ({ steps: await stepsOf(engine) }),
    result: (ended) => severalResult(context, ended, { did: 'updated', resource: 'session' }),
  });
}
