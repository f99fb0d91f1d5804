/** Student sessions one by one, or several by their IDs: added, updated. */
import type { Client } from '../../api/client.ts';
import { examOf } from '../../api/client.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { requestFor } from '../../api/request.ts';
import type { Column, Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { type Consents, carryOut, type Reading, readRecord, readStudents, type Step } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { replacedBy } from './exam-update.ts';
import { oneResult, severalResult } from './outcome-rows.ts';

type Adding = {
  kind: string;
  operation: Operation;
  exam: string;
  examParam: 'id' | 'exam_id';
  body: JsonObject;
  typedTimes: Readonly<Record<string, string>>;
  columns: readonly Column[];
  consents: Consents;
};

export function addStudent(
  context: Context,
  { kind, operation, exam, examParam, body, typedTimes, columns, consents }: Adding,
): Promise<Result> {
  const { email } = body;
  const step: Step = {
    operation,
    params: { [examParam]: exam },
    body,
    exam,
    email: typeof email === 'string' && email.trim() !== '' ? email : undefined,
  };
  return carryOut(context, {
    kind,
    identity: [exam, stringifyJson({ ...body, ...typedTimes })],
    again: 'resume',
    consents,
    plan: async () => ({ steps: [step] }),
    result: (ended) => oneResult(context, ended, 'added', columns),
  });
}

/** What a step about a session relies on: its exam and its student. */
export function aboutSession(shown: JsonObject, client: Client): Pick<Step, 'exam' | 'email'> {
  return { exam: examOf(shown, client), email: addressIn(shown, { plain: true }) };
}

type Updating = {
  ids: readonly string[];
  body: JsonObject;
  typedTimes: Readonly<Record<string, string>>;
  put: boolean;
  columns: readonly Column[];
  consents: Consents;
};

export function updateSessions(context: Context, { ids, body, typedTimes, put, columns, consents }: Updating): Promise<Result> {
  const operation = put ? operations.putSession : operations.patchSession;
  return carryOut(context, {
    kind: 'sessions update',
    identity: [...ids, put ? 'put' : 'patch', stringifyJson({ ...body, ...typedTimes })],
    again: 'anew',
    async plan() {
      const client = await context.client();
      // All requests are built before the first is sent.
      for (const id of ids) requestFor(operation, { params: { id } });
      const steps = await client.pacer.map([...new Set(ids)], async (id): Promise<Step> => {
        const shown = await orGone(readRecord(context, 'session', id));
        return {
          operation,
          params: { id },
          body,
          ...(shown ? { ...aboutSession(shown, client), before: replacedBy(body, shown) } : {}),
          ...(put ? { always: true as const } : {}),
        };
      });
      const readings = await refuseTaken(context, steps, body, consents);
      return { steps, readings };
    },
    result: (ended) => severalResult(context, ended, 'updated', columns),
  });
}

/** A new address that another session of the exam has already. Throws `already_there`. */
async function refuseTaken(
  context: Context,
  steps: readonly Step[],
  { email }: JsonObject,
  { allowDuplicate }: Consents,
): Promise<ReadonlyMap<string, Reading>> {
  const [step] = steps;
  const readings = new Map<string, Reading>();
  if (typeof email !== 'string' || email === '' || step?.exam === undefined || allowDuplicate) return readings;
  const reading = await readStudents(context, step.exam);
  readings.set(step.exam, reading);
  const other = reading.withAddress(email).find(({ id }) => id !== step.params.id);
  if (!other) return readings;
  throw new CliError('already_there', sentence`${email} is in exam ${step.exam} already, as session ${other.id ?? 'without an ID'}.`, {
    hint: 'Nothing was sent. To give both sessions this address: --allow-duplicate',
  });
}
