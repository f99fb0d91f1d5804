/** Creates of one record. */
import type { Operation } from '../../api/operations.ts';
import type { Body, Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { type Consents, executePlan, locksOf, type Step } from '../../runs/index.ts';
import { oneResult } from './results.ts';

export function studentIn({ settings }: Context, { email, ...more }: JsonObject): Pick<Step, 'email' | 'number'> {
  const number = numberIn(more, settings().dialect.sessionNumberKey);
  return { email: typeof email === 'string' && email.trim() !== '' ? email : undefined, number };
}

type Creating = Body & {
  kind: string;
  operation: Operation;
  params: Readonly<Record<string, string>>;
  consents: Consents;
};

export function createOne(context: Context, { kind, operation, params, body, typedTimes, consents }: Creating): Promise<Result> {
  const [exam] = Object.values(params);
  const step: Step = { operation, params, body, exam, ...studentIn(context, body) };
  if (exam !== undefined && consents.ifNotExists && (step.email ?? step.number) === undefined)
    throw new CliError('invalid_input', '--if-not-exists looks for the student, who has no address and no number.', {
      hint: 'Nothing was sent. Give an address (--email ADDRESS), or leave out --if-not-exists.',
    });
  return executePlan(context, {
    kind,
    // `now+7h` is another time when the command is run again, and means the same exam.
    identity: { params, body: { ...body, ...typedTimes } },
    consents,
    locks: () => locksOf([step]),
    plan: async () => ({ steps: [step] }),
    result: (ended) => oneResult(context, ended),
  });
}
