/** One exam, or one student of an exam, is created. The engine looks first: an exam by name and start, a student by address or number. */
import type { Operation } from '../../api/operations.ts';
import type { Body, Column, Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type Consents, carryOut, placesOf, type Step } from '../../runs/index.ts';
import { oneResult } from './results.ts';
import { studentIn, warnIfPast } from './sent-values.ts';

type Creating = Body & {
  kind: string;
  operation: Operation;
  params: Readonly<Record<string, string>>;
  columns: readonly Column[];
  consents: Consents;
};

export function createOne(context: Context, { kind, operation, params, body, typedTimes, columns, consents }: Creating): Promise<Result> {
  const [exam] = Object.values(params);
  const step: Step = { operation, params, body, exam, ...studentIn(context, body) };
  if (exam !== undefined && consents.ifNotExists && (step.email ?? step.number) === undefined)
    throw new CliError('invalid_input', '--if-not-exists looks for the student, who has no address and no number.', {
      hint: 'Give an address (--email ADDRESS), or leave out --if-not-exists. Nothing was sent.',
    });
  warnIfPast(context, body);
  return carryOut(context, {
    kind,
    // `now+7h` is another time when the command is run again, and means the same exam.
    identity: { params, body: { ...body, ...typedTimes } },
    consents,
    places: () => placesOf([step]),
    plan: async () => ({ steps: [step] }),
    result: (ended) => oneResult(context, ended, { did: exam === undefined ? 'created' : 'added', columns }),
  });
}
