/** Creates of one record: the shortest example of how a command writes. */
import type { Body, Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { type Consents, executePlan, locksOf, type StepDraft, type Student, stepsOf } from '../../runs/index.ts';
import { oneResult } from './results.ts';

export function studentIn({ settings }: Context, { email, ...more }: JsonObject): Student {
  const number = numberIn(more, settings().dialect.sessionNumberKey);
  return { email: typeof email === 'string' && email.trim() !== '' ? email : undefined, number };
}

type Creating = Body & {
  kind: 'exams create' | 'sessions create' | 'students add';
  exam: string | undefined;
  consents: Consents;
};

export function createOne(context: Context, { kind, exam, body, typedTimes, consents }: Creating): Promise<Result> {
  const student = studentIn(context, body);
  if (exam !== undefined && consents.ifNotExists && (student.email ?? student.number) === undefined)
    throw new CliError('invalid_input', '--if-not-exists looks for the student, who has no address and no number.', {
      hint: 'Nothing was sent. Give an address (--email ADDRESS), or leave out --if-not-exists.',
    });
  const via = kind === 'students add' ? 'addStudent' : 'createSession';
  const draft: StepDraft =
    exam === undefined
      ? { kind: 'create exam', exam, body, isAnother: false }
      : { kind: 'create session', via, exam, student, body, isAnother: false };
  const steps = stepsOf([draft]);
  return executePlan(context, {
    kind,
    // `now+7h` is another time when the command is run again, and means the same exam.
    identity: { exam: exam ?? null, body: { ...body, ...typedTimes } },
    consents,
    locks: () => locksOf(steps),
    plan: async () => ({ steps }),
    result: (ended) => oneResult(context, ended),
  });
}
