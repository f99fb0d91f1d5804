/** `sessions update`: the same values for each of several sessions. An address that another session of the exam has is refused. */
import { examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { requestFor } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { addressOf, carryOut, numberIn, type Plan, placesOf, readExam, readRecord, type Step } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { severalResult } from './results.ts';
import { replacedBy, type SessionUpdates, setsTimes } from './sent-values.ts';

export async function updateSessions(context: Context, updates: SessionUpdates): Promise<Result> {
  const { body, put, columns, consents } = updates;
  if (setsTimes(body)) return (await import('./exam-times-before.ts')).updateTimesOfSessions(context, updates);
  const ids = [...new Set(updates.ids)];
  const operation = put ? operations.putSession : operations.patchSession;
  const stepOf = async (id: string): Promise<Step> => {
    const shown = await orGone(readRecord(context, 'session', id));
    const step = { operation, params: { id }, body, always: put || undefined } as const;
    return shown ? { ...step, ...(await ofSession(context, shown)), before: replacedBy(body, shown) } : step;
  };
  return carryOut(context, {
    kind: 'sessions update',
    identity: { sessions: ids.toSorted(), put, body },
    consents,
    places: async () => (body.email === undefined ? [] : placesOf(await Promise.all(ids.map(stepOf)))),
    async plan() {
      // All requests are built before the first is sent.
      for (const id of ids) requestFor(operation, { params: { id } });
      const steps = await (await context.client()).pacer.map(ids, stepOf);
      return { steps, ...(consents.allowDuplicate ? {} : await taken(context, steps)) };
    },
    result: (ended) => severalResult(context, ended, { did: 'updated', resource: 'session', columns }),
  });
}

/** What a step about a session relies on: its exam and its student. */
export async function ofSession(context: Context, shown: JsonObject): Promise<Pick<Step, 'exam' | 'email' | 'number'>> {
  const client = await context.client();
  return { exam: examOf(shown, client), email: addressOf(shown), number: numberIn(shown, client.dialect.sessionNumberKey) };
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
  const hint = 'Nothing was sent. To give both sessions this address: --allow-duplicate';
  return { readings, refused: new CliError('already_there', what, { hint }) };
}
