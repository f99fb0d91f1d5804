/** What a write is about and what it replaces, read from its body and from the service; and creates of one record. */
import { type Client, examOf } from '../../api/client.ts';
import type { Operation } from '../../api/operations.ts';
import { readRecord } from '../../api/reading.ts';
import type { Body, Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import type { JsonObject } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { type Consents, carryOut, kindOf, placesOf, resourceOf, type Step } from '../../runs/index.ts';
import { oneResult } from './results.ts';

type Student = Pick<Step, 'email' | 'number'>;

export function studentIn({ settings }: Context, { email, ...more }: JsonObject): Student {
  const number = numberIn(more, settings().dialect.sessionNumberKey);
  return { email: typeof email === 'string' && email.trim() !== '' ? email : undefined, number };
}

export function ofSession(client: Client, shown: JsonObject): Student & Pick<Step, 'exam'> {
  const number = numberIn(shown, client.dialect.sessionNumberKey);
  return { exam: examOf(shown, client), email: addressIn(shown), number };
}

/** An update or a deletion with the values that it replaces; of a session with exam and student. */
export async function ofItsTarget(client: Client, step: Step): Promise<Step> {
  const kind = kindOf(step);
  if (kind !== 'update' && kind !== 'deletion') return step;
  const resource = resourceOf(step);
  const shown = await readRecord(client, resource, step.params.id ?? '');
  const before = kind === 'update' ? { before: replacedBy(Object.keys(step.body ?? {}), shown) } : {};
  return { ...step, ...before, ...(resource === 'session' ? ofSession(client, shown) : {}) };
}

/** The values that an update replaces: what the resource does not show cannot be set back. */
export function replacedBy(fields: readonly string[], shown: JsonObject): JsonObject {
  const known = fields.filter((field) => Object.hasOwn(shown, field));
  return shownOf(known, shown);
}

/** What a step expects: null for a field that is not shown. */
export function shownOf(fields: readonly string[], shown: JsonObject): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, shown[field] ?? null]));
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
  return carryOut(context, {
    kind,
    // `now+7h` is another time when the command is run again, and means the same exam.
    identity: { params, body: { ...body, ...typedTimes } },
    consents,
    places: () => placesOf([step]),
    plan: async () => ({ steps: [step] }),
    result: (ended) => oneResult(context, ended),
  });
}
