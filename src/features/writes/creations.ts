/** One exam, or one student of an exam, is created. The engine looks first: an exam by name and start, a student by address or number. */
import type { Operation } from '../../api/operations.ts';
import type { Column, Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Consents, carryOut, numberIn, placesOf, type Step } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { oneResult } from './results.ts';
import { warnIfPast } from './sent-values.ts';

/** `typedTimes`: `now+7h` is another time when the command is run again, and means the same exam. */
type Creating = {
  kind: string;
  operation: Operation;
  params: Readonly<Record<string, string>>;
  body: JsonObject;
  typedTimes: Readonly<Record<string, string>>;
  columns: readonly Column[];
  consents: Consents;
};

export function createOne(context: Context, { kind, operation, params, body, typedTimes, columns, consents }: Creating): Promise<Result> {
  const [exam] = Object.values(params);
  const step: Step = { operation, params, body, exam, ...studentIn(context, body) };
  if (exam !== undefined && consents.ifNotExists && (step.email ?? step.number) === undefined) throw unknownStudent(context);
  warnIfPast(context, body);
  return carryOut(context, {
    kind,
    identity: { params, body: { ...body, ...typedTimes } },
    consents,
    places: () => placesOf([step]),
    plan: async () => ({ steps: [step] }),
    result: (ended) => oneResult(context, ended, { did: exam === undefined ? 'created' : 'added', columns }),
  });
}

/** By what a student is looked for. */
export function studentIn({ settings }: Pick<Context, 'settings'>, { email, ...more }: JsonObject): Pick<Step, 'email' | 'number'> {
  return {
    email: typeof email === 'string' && email.trim() !== '' ? email : undefined,
    number: numberIn(more, settings().dialect.sessionNumberKey),
  };
}

function unknownStudent({ settings }: Context): CliError {
  const { sessionNumberKey: key } = settings().dialect;
  const [none, number] = key === '' ? ['', ''] : [' and no number', sentence` or a number (-f ${key}=…)`];
  const hint = sentence`Give an address (--email ADDRESS)${number}, or leave out --if-not-exists. Nothing was sent.`;
  return new CliError('invalid_input', sentence`--if-not-exists looks for the student, who has no address${none}.`, { hint });
}
