/**
 * `sessions extend`: a new close time from the one that a session has, or else from the end of its exam; from now where that has passed,
 * because minutes that are over are of no use to a student. All or none. It asks about the sessions of an exam, and about more than a day.
 */
import { type Client, examOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { count, firstInLine } from '../../model/count.ts';
import { examInWords, whoInWords } from '../../model/describe.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { type Reading, readRecord, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { studentsOf } from '../exam-students.ts';
import { type Refusal, refusalOf } from '../writes/results.ts';
import { type Extension, parseExtension, spelled } from './amount.ts';
import { carryTimes, type TimesPlan } from './carry-times.ts';

/** Sessions by their IDs, or those of an exam that have not finished. */
type Choice = { ids: readonly string[] } | { exam: string };
type Extending = { choice: Choice; by: string; again?: boolean | undefined };

type Chosen = { id: string; exam: string | undefined; shown: JsonObject };

/** `exams`: as the service shows them; `finished`: how many sessions of the exam are passed over. */
type Choosing = { sessions: readonly (Chosen | Refusal)[]; exams: Map<string, JsonObject>; reading?: Reading; finished?: number };

/** `added`: by how much its window is longer; `isOver`: it had passed. Milliseconds. */
type Extended = { step: Step; until: number; added: number; isOver: boolean };

const minute = 60_000;
const day = 24 * 60 * minute;

export async function extendSessions(context: Context, { choice, by, again }: Extending): Promise<Result> {
  const extension = parseExtension(by);
  const amount = spelled(extension);
  const client = await context.client();
  const which = 'exam' in choice ? choice : { sessions: [...new Set(choice.ids)].toSorted() };
  // What was shown stays what is asked about, as long as none of it has passed.
  let [asOf, soonest] = [0, 0];
  return carryTimes(context, {
    ...{ kind: 'sessions extend', identity: { ...which, by: amount }, amount, again, did: 'extended' },
    async places() {
      const exams = 'exam' in choice ? [choice.exam] : examsIn(await sessionsById(context, client, choice.ids));
      return exams.map((exam) => `exam ${exam}` as const);
    },
    async plan(): Promise<TimesPlan> {
      const {
        sessions,
        exams,
        reading,
        finished = 0,
      } = await ('exam' in choice ? inExam(context, client, choice.exam) : byIds(context, client, choice.ids));
      const now = context.host.now();
      if (soonest <= now) asOf = now;
      const all = sessions.map((session) => ('why' in session ? session : extended(session, exams, extension, asOf, client)));
      const done = all.flatMap((each) => ('why' in each ? [] : each));
      const refusals = all.flatMap((each) => ('why' in each ? each : []));
      const [others, options] = [done.map(({ step }) => step.params.id ?? ''), [typedOption('--by', by)]];
      const set = typedCommand('sessions update', [refusals[0]?.id ?? ''], '--close-time TIME');
      const alone = refusals[0]?.code === 'not_found' ? undefined : sentence`If necessary, set the time directly: proctor-cli ${set}`;
      const refused = refusalOf(client, refusals, { verb: 'extend', others, options, alone });
      if (refused) throw refused;
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
  const sessions = open.map(({ id = '', data }) => ({ id, exam, shown: data }));
  return { sessions, exams, reading, finished: reading.sessions.length - open.length };
}

async function byIds(context: Context, client: Client, ids: readonly string[]): Promise<Choosing> {
  const sessions = await sessionsById(context, client, ids);
  const exams = new Map<string, JsonObject>();
  await client.pacer.map(examsIn(sessions), async (exam) => {
    exams.set(exam, (await orGone(readRecord(context, 'exam', exam))) ?? {});
  });
  return { sessions, exams };
}

function examsIn(sessions: readonly (Chosen | Refusal)[]): string[] {
  return [...new Set(sessions.flatMap((each) => ('why' in each ? [] : (each.exam ?? []))))];
}

/** Of one that does not exist, or has finished, why. */
async function sessionsById(context: Context, client: Client, ids: readonly string[]): Promise<(Chosen | Refusal)[]> {
  return client.pacer.map(new Set(ids), async (id): Promise<Chosen | Refusal> => {
    const shown = await orGone(readRecord(context, 'session', id));
    if (!shown) return { id, code: 'not_found', why: sentence`does not exist` };
    if (phaseOf(shown.status) === 'finished') return { id, code: 'invalid_input', why: sentence`it has finished the exam` };
    return { id, exam: examOf(shown, client), shown };
  });
}

function extended(
  { id, exam = '', shown }: Chosen,
  exams: Choosing['exams'],
  extension: Extension,
  now: number,
  client: Client,
): Extended | Refusal {
  const { open_time = null, close_time = null } = shown;
  const { start_time = null, end_time = null } = exams.get(exam) ?? {};
  const isShare = 'share' in extension;
  const [open, close] = [instantOf(open_time ?? start_time), instantOf(close_time ?? end_time)];
  const noEnd = { id, code: 'invalid_input', why: sentence`neither it nor its exam shows a time at which it closes` } as const;
  if (close === undefined) return noEnd;
  if (isShare && (open === undefined || open >= close)) return { ...noEnd, why: sentence`it shows no window to take a share of` };
  // A share is seldom a whole number of seconds, and the service may be sent nothing finer.
  const added = isShare ? Math.max(1, Math.round(((close - (open ?? close)) * extension.share) / 1000)) * 1000 : extension.milliseconds;
  const isOver = close < now;
  // Full minutes, as people write them.
  const until = (isOver ? Math.ceil(now / minute) * minute : close) + added;
  const relies = { ...(close_time === null ? { end_time } : {}), ...(isShare && open_time === null ? { start_time } : {}) };
  const step: Step = {
    ...{ operation: operations.patchSession, params: { id }, exam: exam || undefined, email: addressIn(shown), unless: ['finished'] },
    body: { close_time: formatTime(until, client.dialect.timeFormat) },
    expects: { close_time, ...(isShare ? { open_time } : {}) },
    expectsExam: Object.keys(relies).length > 0 ? relies : undefined,
  };
  return { step, until, added, isOver };
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
