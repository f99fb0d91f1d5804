/** What a write is about and what it replaces, read from its body and from the service before it is planned. */

import { examOf } from '../../api/client.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { readExam, readRecord } from '../../api/reading.ts';
import { requestFor } from '../../api/request.ts';
import type { Body, Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import type { JsonObject } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Consents, carryOut, kindOf, type Plan, placesOf, type Step } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { oneResult, severalResult } from './results.ts';

/** By what a student who is created is looked for. */
export function studentIn({ settings }: Pick<Context, 'settings'>, { email, ...more }: JsonObject): Pick<Step, 'email' | 'number'> {
  return {
    email: typeof email === 'string' && email.trim() !== '' ? email : undefined,
    number: numberIn(more, settings().dialect.sessionNumberKey),
  };
}

/** What a step about a session relies on: its exam and its student. */
export async function ofSession(context: Context, shown: JsonObject): Promise<Pick<Step, 'exam' | 'email' | 'number'>> {
  const client = await context.client();
  return { exam: examOf(shown, client), email: addressIn(shown), number: numberIn(shown, client.dialect.sessionNumberKey) };
}

/** An update or a deletion with what its target shows: the values that it replaces; of a session the exam and the student. */
export async function ofItsTarget(context: Context, step: Step): Promise<Step> {
  const [kind, { operation, params, body = {} }] = [kindOf(step), step];
  if (kind !== 'update' && kind !== 'deletion') return step;
  const resource = operation.resource === 'session' ? 'session' : 'exam';
  const shown = await readRecord(await context.client(), resource, params.id ?? '');
  const before = kind === 'update' ? { before: replacedBy(body, shown) } : {};
  return { ...step, ...before, ...(resource === 'session' ? await ofSession(context, shown) : {}) };
}

/** The values that an update replaces, as the resource has them; what it does not show cannot be set back. */
export function replacedBy(body: JsonObject, shown: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(body).flatMap((field) => (Object.hasOwn(shown, field) ? [[field, shown[field] ?? null]] : [])));
}

/** Whether an update changes times: those of other records may depend on them. */
export function setsTimes(body: JsonObject): boolean {
  return ['start_time', 'end_time', 'open_time', 'close_time'].some((field) => Object.hasOwn(body, field));
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
      hint: 'Give an address (--email ADDRESS), or leave out --if-not-exists. Nothing was sent.',
    });
  return carryOut(context, {
    kind,
    // `now+7h` is another time when the command is run again, and means the same exam.
    identity: { params, body: { ...body, ...typedTimes } },
    consents,
    places: () => placesOf([step]),
    plan: async () => ({ steps: [step] }),
    result: (ended) => oneResult(context, ended, { did: exam === undefined ? 'created' : 'added' }),
  });
}

type SessionUpdates = Body & { ids: readonly string[]; put: boolean };

export function updateSessions(context: Context, updates: SessionUpdates): Promise<Result> {
  const { body, typedTimes, put } = updates;
  const ids = [...new Set(updates.ids)];
  const hasPlaces = body.email !== undefined || setsTimes(body);
  const operation = put ? operations.putSession : operations.patchSession;
  const stepOf = async (id: string): Promise<Step> => {
    const step: Step = { operation, params: { id }, body, always: put || undefined };
    return (await orGone(ofItsTarget(context, step))) ?? step;
  };
  const stepsOf = async () => {
    // All requests are built before the first is sent.
    for (const id of ids) requestFor(operation, { params: { id } });
    return (await context.client()).pacer.map(ids, stepOf);
  };
  return carryOut(context, {
    kind: setsTimes(body) ? 'sessions times' : 'sessions update',
    identity: { sessions: ids.toSorted(), put, body: { ...body, ...typedTimes } },
    places: async () => (hasPlaces ? placesOf(await stepsOf()) : []),
    async plan() {
      const steps = await stepsOf();
      return { steps, ...(await taken(context, steps)) };
    },
    result: (ended) => severalResult(context, ended, { did: 'updated', resource: 'session' }),
  });
}

/** A new address that another session of the exam has already. */
async function taken(context: Context, [step]: readonly Step[]): Promise<Pick<Plan, 'readings' | 'refused'>> {
  const { exam, body: { email } = {}, params: { id } = {} } = step ?? {};
  if (typeof email !== 'string' || email === '' || exam === undefined) return {};
  const reading = await readExam(await context.client(), exam);
  const readings = new Map([[exam, reading]]);
  const other = reading.of({ email }).find((each) => each.id !== id);
  if (!other) return { readings };
  const what = sentence`${email} is in exam ${exam} already, as session ${other.id ?? 'without an ID'}.`;
  const hint = sentence`Nothing was sent. Look at both: proctor-cli ${typedCommand('sessions find', [email])}`;
  return { readings, refused: new CliError('already_there', what, { hint }) };
}
