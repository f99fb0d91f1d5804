/** Exams that are created. */
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result } from '../../command.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { type Consents, carryOut } from '../../runs-before/index.ts';
import { oneResult } from './outcome-rows.ts';

/** `typedTimes`: `now+7h` is another time when the command is run again, and means the same exam. */
type Creating = { body: JsonObject; typedTimes: Readonly<Record<string, string>>; columns: readonly Column[]; consents: Consents };

export function createExam(context: Context, { body, typedTimes, columns, consents }: Creating): Promise<Result> {
  return carryOut(context, {
    kind: 'exams create',
    identity: [stringifyJson({ ...body, ...typedTimes })],
    again: 'resume',
    consents,
    plan: async () => ({ steps: [{ operation: operations.createExam, params: {}, body }] }),
    result: (ended) => oneResult(context, ended, 'created', columns),
  });
}
