/** The proctor pool of an exam: one request for all proctors; its outcome is read from the pool. */
import { operations } from '../../api/operations.ts';
import { poolBody } from '../../api/proctor-pool.ts';
import type { Column, Context, Result } from '../../command.ts';
import { carryOut, poolLacks } from '../../runs/index.ts';
import { proctorIds } from '../proctor-addresses.ts';
import { oneResult } from './outcome-rows.ts';

type Pool = {
  kind: 'proctors add' | 'proctors remove';
  exam: string;
  proctors: readonly string[];
  institute?: string | undefined;
  columns: readonly Column[];
};

export function changePool(context: Context, { kind, exam, proctors, institute, columns }: Pool): Promise<Result> {
  const operation = kind === 'proctors add' ? operations.addProctors : operations.removeProctors;
  let body: ReturnType<typeof poolBody> | undefined;
  return carryOut(context, {
    kind,
    identity: [exam, ...proctors],
    again: 'anew',
    async plan() {
      body ??= poolBody(await proctorIds(context, proctors, institute), context.settings().dialect);
      const step = { operation, params: { id: exam }, exam, body };
      // An undo takes back only the proctors whose place in the pool the request changes.
      const changed = await poolLacks(step, step.params, await context.client());
      return { steps: [{ ...step, before: poolBody(changed, context.settings().dialect) }] };
    },
    result: async (ended) =>
      oneResult(context, ended, kind === 'proctors add' ? 'added' : 'removed', columns, (await context.client()).idType('proctor')),
  });
}
