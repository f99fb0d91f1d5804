/** Creates of one record, and `sessions update`. */
import type { Body, Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { setsTimes } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { numberIn } from '../../model/listing.ts';
import { type Consents, type Engine, executePlan, locksOf, nobody, type StepDraft, type Student, stepsOf } from '../../runs/index.ts';
import { askedPlan, withCurrentValues } from './confirmed-writes.ts';
import { oneResult, severalResult } from './results.ts';

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

type SessionUpdates = Body & { ids: readonly string[]; put: boolean };

export function updateSessions(context: Context, { ids: given, body, typedTimes, put }: SessionUpdates): Promise<Result> {
  const ids = [...new Set(given)];
  const hasLocks = body.email !== undefined || setsTimes(body);
  const common = { kind: 'update', resource: 'session', exam: undefined, method: put ? 'PUT' : 'PATCH', body, previous: {} } as const;
  /** Whom an ID named when it was read first, before the locks were waited for. */
  const meant = new Map<string, Student>();
  const planOf = async ({ client }: Engine) => {
    const drafts = await client.pacer.map(ids, async (id) => {
      const unread: StepDraft = { ...common, id };
      const step = (await orGone(withCurrentValues(client, unread))) ?? unread;
      const { student = nobody } = step;
      if (!meant.has(id)) meant.set(id, student);
      return { step: { ...step, student: meant.get(id) ?? student } };
    });
    return askedPlan(drafts);
  };
  return executePlan(context, {
    kind: setsTimes(body) ? 'sessions times' : 'sessions update',
    identity: { sessions: ids.toSorted(), put, body: { ...body, ...typedTimes } },
    locks: async (engine) => (hasLocks ? locksOf((await planOf(engine)).steps) : []),
    plan: planOf,
    result: (ended) => severalResult(context, ended, { did: 'updated', resource: 'session' }),
  });
}
