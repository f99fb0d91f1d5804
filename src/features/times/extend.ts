/**
 * `sessions extend`: a new close time from the one that a session has, or else from the end of its exam; from now where that has passed,
 * because minutes that are over are of no use to a student. All or none. It asks about the sessions of an exam, and about more than a day.
 */
import { type Client, examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, orError, orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { count, firstInLine } from '../../model/count.ts';
import { examInWords, whoInWords } from '../../model/describe.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { type Reading, readRecord, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { studentsOf } from '../exam-students.ts';
import { type Extension, parseExtension, spelled } from './amount.ts';
import { carryTimes, type TimesPlan } from './carry-times.ts';

/** Sessions by their IDs, or those of an exam that have not finished. */
type Choice = { ids: readonly string[] } | { exam: string };
type Extending = { choice: Choice; by: string; again?: boolean | undefined };

type Chosen = { id: string; exam: string | undefined; email: string | undefined; shown: JsonObject };
type Refused = { id: string; error: CliError };

/** `exams`: as the service shows them; `finished`: how many sessions of the exam are passed over. */
type Choosing = { sessions: readonly (Chosen | Refused)[]; exams: Map<string, JsonObject>; reading?: Reading; finished?: number };

/** `added`: by how much its window is longer; `isOver`: it had passed. Milliseconds. */
type Extended = { step: Step; until: number; added: number; isOver: boolean };

const minute = 60_000;
const day = 24 * 60 * minute;

export async function extendSessions(context: Context, { choice, by, again }: Extending): Promise<Result> {
  const extension = parseExtension(by);
  const amount = spelled(extension);
  const client = await context.client();
  const which = 'exam' in choice ? choice : { sessions: [...new Set(choice.ids)].toSorted() };
  /** Whose sessions they were when they were read first. */
  const owners = new Map<string, string | undefined>();
  const choose = () => ('exam' in choice ? inExam(context, client, choice.exam) : byIds(context, client, choice.ids, owners));
  // What was shown stays what is asked about, as long as none of it has passed.
  let [asOf, soonest] = [0, 0];
  return carryTimes(context, {
    ...{ kind: 'sessions extend', identity: { ...which, by: amount }, amount, again, did: 'extended' },
    async places() {
      const exams = 'exam' in choice ? [choice.exam] : examsIn(await sessionsById(context, client, choice.ids, owners));
      return exams.map((exam) => `exam ${exam}` as const);
    },
    async plan(): Promise<TimesPlan> {
      const { sessions, exams, reading, finished = 0 } = await choose();
      const now = context.host.now();
      if (soonest <= now) asOf = now;
      const all = sessions.map((session) => ('error' in session ? session : extended(session, exams, extension, asOf, client)));
      const done = allOrNone(all, client, by);
      soonest = Math.min(...done.map(({ until }) => until));
      const steps = done.map(({ step }) => step);
      const isOver = [...exams.values()].some(({ end_time }) => (instantOf(end_time) ?? now + 1) <= now);
      const asks = steps.length > 0 && ('exam' in choice || isOver || done.some(({ added }) => added > day));
      const where = firstInLine([...exams], ([id, exam]) => examInWords(id, exam, client, context.zone()), 1);
      const subject = sentence`${count(steps.length, 'session')} (${named(steps)})${where === '' ? '' : ` of ${where}`}`;
      const over = done.filter((each) => each.isOver).map(({ step }) => step);
      const says = beyondEnd(context.zone(), exams, steps);
      if (over.length > 0)
        says.unshift(sentence`The close time of ${count(over.length, 'session')} (${named(over)}) has passed; the minutes count from now.`);
      if (finished > 0) says.unshift(sentence`${count(finished, 'finished session')} will not be changed.`);
      const readings = new Map(reading ? [[reading.exam, reading]] : []);
      return { steps, readings, says, question: asks ? sentence`Extend ${subject} by ${amount}` : undefined };
    },
  });
}

function named(steps: readonly Step[]): string {
  return whoInWords(steps.map(({ params, email }) => ({ session: params.id, email })));
}

async function inExam(context: Context, client: Client, exam: string): Promise<Choosing> {
  const exams = new Map([[exam, await readRecord(context, 'exam', exam)]]);
  const reading = await studentsOf(client, exam);
  const open = reading.sessions.filter(({ data }) => phaseOf(data.status) !== 'finished');
  const sessions = open.map(({ id = '', email, data }) => ({ id, exam, email, shown: data }));
  return { sessions, exams, reading, finished: reading.sessions.length - open.length };
}

type Owners = Map<string, string | undefined>;

async function byIds(context: Context, client: Client, ids: readonly string[], owners: Owners): Promise<Choosing> {
  const sessions = await sessionsById(context, client, ids, owners);
  const exams = new Map<string, JsonObject>();
  await client.pacer.map(examsIn(sessions), async (exam) => {
    exams.set(exam, (await orGone(readRecord(context, 'exam', exam))) ?? {});
  });
  return { sessions, exams };
}

function examsIn(sessions: readonly (Chosen | Refused)[]): string[] {
  return [...new Set(sessions.flatMap((each) => ('error' in each ? [] : (each.exam ?? []))))];
}

/** Of one that does not exist, or has finished, why. */
async function sessionsById(context: Context, client: Client, ids: readonly string[], owners: Owners): Promise<(Chosen | Refused)[]> {
  return client.pacer.map(new Set(ids), async (id): Promise<Chosen | Refused> => {
    const shown = await orError(readRecord(context, 'session', id));
    if (shown instanceof CliError && shown.code !== 'not_found') throw shown;
    if (shown instanceof CliError) return { id, error: shown };
    if (phaseOf(shown.status) === 'finished') return cannot(id, 'it has finished the exam');
    if (!owners.has(id)) owners.set(id, addressIn(shown));
    return { id, exam: examOf(shown, client), email: owners.get(id), shown };
  });
}

function extended(
  { id, exam = '', email, shown }: Chosen,
  exams: Choosing['exams'],
  extension: Extension,
  now: number,
  client: Client,
): Extended | Refused {
  const { open_time = null, close_time = null } = shown;
  const { start_time = null, end_time = null } = exams.get(exam) ?? {};
  const isShare = 'share' in extension;
  const [open, close] = [instantOf(open_time ?? start_time), instantOf(close_time ?? end_time)];
  if (close === undefined) return cannot(id, 'neither it nor its exam shows a time at which it closes');
  if (isShare && (open === undefined || open >= close)) return cannot(id, 'it shows no window to take a share of');
  // A share is seldom a whole number of seconds, and the service may be sent nothing finer.
  const added = isShare ? Math.max(1, Math.round(((close - (open ?? close)) * extension.share) / 1000)) * 1000 : extension.milliseconds;
  const isOver = close < now;
  // Full minutes, as people write them.
  const until = (isOver ? Math.ceil(now / minute) * minute : close) + added;
  const relies = { ...(close_time === null ? { end_time } : {}), ...(isShare && open_time === null ? { start_time } : {}) };
  const step: Step = {
    ...{ operation: operations.patchSession, params: { id }, exam: exam || undefined, email, unless: ['finished'] },
    body: { close_time: formatTime(until, client.dialect.timeFormat) },
    expects: { close_time, ...(isShare ? { open_time } : {}) },
    expectsExam: Object.keys(relies).length > 0 ? relies : undefined,
  };
  return { step, until, added, isOver };
}

function cannot(id: string, why: string): Refused {
  const hint = sentence`If necessary, set the time directly: proctor-cli ${typedCommand('sessions update', [id], '--close-time TIME')}`;
  return { id, error: new CliError('invalid_input', sentence`Session ${id} cannot be extended: ${why}.`, { hint }) };
}

/** The same command, run again without those that cannot be extended, would extend the others twice. */
function allOrNone(all: readonly (Extended | Refused)[], client: Client, by: string): Extended[] {
  const refused = all.flatMap((each) => ('error' in each ? each : []));
  const others = all.flatMap((each) => ('error' in each ? [] : each));
  const [first] = refused;
  if (!first) return others;
  if (all.length === 1) throw first.error;
  const { code, message } = first.error;
  const which = firstInLine(refused, ({ id }) => id, 10);
  const rest = others.map(({ step }) => step.params.id ?? '');
  const without = sentence` To extend the others: proctor-cli ${typedCommand('sessions extend', rest, typedOption('--by', by))}`;
  throw new CliError(code, sentence`${refused.length} of ${all.length} sessions cannot be extended: ${which}. ${message}`, {
    hint: sentence`Nothing was sent.${rest.length === 0 ? '' : without}`,
    items: refused.map(({ id, error }) => ({ id: idAs(id, client.idType('session')), code: error.code, message: error.message })),
  });
}

/** The end of an exam is its latest point (specification 2.1). */
function beyondEnd(zone: string, exams: Choosing['exams'], steps: readonly Step[]): Sentence[] {
  return [...exams].flatMap(([id, { end_time }]) => {
    const end = instantOf(end_time) ?? Number.POSITIVE_INFINITY;
    const beyond = steps.filter(({ exam, body }) => exam === id && (instantOf(body?.close_time) ?? 0) > end).length;
    return beyond === 0
      ? []
      : [sentence`Exam ${id} still ends at ${showTime(end_time, zone)}, before the new close time of ${count(beyond, 'session')}.`];
  });
}
