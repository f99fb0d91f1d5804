/** Student sessions one by one, or several by their IDs: added, updated, deleted. */
import type { Client } from '../../api/client.ts';
import { examOf } from '../../api/client.ts';
import { sessionInWords } from '../../api/in-words.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { atOnce } from '../../api/pace-calculator.ts';
import type { Column, Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { statusText } from '../../model/status.ts';
import { type Consents, carryOut, type Reading, readStudents, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { replacedBy } from './exam-update.ts';
import { oneResult, severalResult } from './outcome-rows.ts';

type Adding = {
  kind: string;
  operation: Operation;
  exam: string;
  examParam: 'id' | 'exam_id';
  body: JsonObject;
  columns: readonly Column[];
  consents: Consents;
};

export function addStudent(context: Context, { kind, operation, exam, examParam, body, columns, consents }: Adding): Promise<Result> {
  const { email } = body;
  const step: Step = {
    operation,
    params: { [examParam]: exam },
    body,
    exam,
    ...(typeof email === 'string' && email.trim() !== '' ? { email } : {}),
  };
  return carryOut(context, {
    kind,
    identity: [exam, stringifyJson(body)],
    again: 'resume',
    consents,
    plan: async () => ({ steps: [step] }),
    result: async (ended) => oneResult(context, ended, 'added', columns, (await context.client()).idType('session')),
  });
}

/** A session as it is when a step about it is planned; undefined where it is not there. */
async function shownSession(client: Client, id: string): Promise<JsonObject | undefined> {
  return orGone(client.get(operations.getSession, { params: { id } }));
}

/** What a step about a session relies on: its exam and its student. */
export function aboutSession(shown: JsonObject | undefined, client: Client): Pick<Step, 'exam' | 'email'> {
  if (!shown) return {};
  const [exam, email] = [examOf(shown, client), addressIn(shown, { plain: true })];
  return { ...(exam === undefined ? {} : { exam }), ...(email === undefined ? {} : { email }) };
}

type Updating = {
  ids: readonly string[];
  body: JsonObject;
  put: boolean;
  several: boolean;
  columns: readonly Column[];
  consents: Consents;
};

export function updateSessions(context: Context, { ids, body, put, several, columns, consents }: Updating): Promise<Result> {
  const operation = put ? operations.putSession : operations.patchSession;
  return carryOut(context, {
    kind: 'sessions update',
    identity: [...ids, put ? 'put' : 'patch', stringifyJson(body)],
    again: 'anew',
    async plan() {
      const client = await context.client();
      // All requests are built before the first is sent.
      for (const id of ids) client.plan(operation, { params: { id } });
      const steps = await client.pacer.map([...new Set(ids)], async (id): Promise<Step> => {
        const shown = await shownSession(client, id);
        return {
          operation,
          params: { id },
          body,
          ...aboutSession(shown, client),
          ...(shown ? { before: replacedBy(body, shown) } : {}),
          ...(put ? { always: true as const } : {}),
        };
      });
      const readings = await refuseTaken(context, steps, body, consents);
      return { steps, readings };
    },
    async result(ended) {
      const client = await context.client();
      return several
        ? severalResult(context, client, ended, 'updated')
        : oneResult(context, ended, 'updated', columns, client.idType('session'));
    },
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

/** Sessions by their IDs, each deleted only as it was shown. */
export function deleteSessions(context: Context, given: readonly string[]): Promise<Result> {
  const ids = [...new Set(given)];
  let known: readonly Known[] = [];
  return carryOut(context, {
    kind: 'sessions delete',
    identity: ids,
    again: 'resume',
    needsYes: true,
    async plan() {
      const client = await context.client();
      for (const id of ids) client.plan(operations.deleteSession, { params: { id } });
      known =
        ids.length === 1
          ? [await sessionToDelete(client, ids[0] ?? '')]
          : await client.pacer.map(ids, (id) => sessionOrGone(client, id), atOnce(ids.length));
      return { steps: known.map(({ step }) => step) };
    },
    question: () => questionAbout(known),
    result: async (ended) => severalResult(context, await context.client(), ended, 'deleted'),
  });
}

type Known = { step: Step; named: Sentence; status: string };

/** Throws `not_found` where it is not there: nothing is asked about it. */
export async function sessionToDelete(client: Client, id: string): Promise<Known> {
  const shown = await client.get(operations.getSession, { params: { id } });
  return { step: deletionOf(id, shown, client), named: sessionInWords(id, shown), status: statusText(shown.status) ?? 'not shown' };
}

/** Of several, one that is not there keeps its row. */
async function sessionOrGone(client: Client, id: string): Promise<Known> {
  const known = await orGone(sessionToDelete(client, id));
  return known ?? { step: deletionOf(id, undefined, client), named: sentence`student session ${id} (missing)`, status: 'missing' };
}

export function deletionOf(id: string, shown: JsonObject | undefined, client: Client): Step {
  return {
    operation: operations.deleteSession,
    params: { id },
    ...aboutSession(shown, client),
    ...(shown ? { expects: { status: statusText(shown.status) } } : {}),
  };
}

/** Items named in a question; the rest are counted by status. */
const namedAtMost = 10;

function questionAbout(known: readonly Known[]): Sentence {
  const names = known.slice(0, namedAtMost).map(({ named }) => named);
  if (known.length === 1) return sentence`Delete ${names.join('')}`;
  const rest = known.slice(namedAtMost);
  const byStatus = [...Map.groupBy(rest, ({ status }) => status)].map(([status, all]) => `${all.length} ${status}`);
  const more = rest.length > 0 ? ` and ${rest.length} more (${byStatus.join(', ')})` : '';
  return sentence`Delete ${known.length} student sessions: ${names.join('; ')}${more},`;
}
