/**
 * `sessions extend`: a new close time from the one that a session has, or else from the end of its exam; from now where that has passed,
 * because minutes that are over are of no use to a student. All or none. It asks about the sessions of an exam, and about more than a day.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { addressIn } from '../../model/address-key.ts';
import { count, firstInLine } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { spelledDuration } from '../../model/duration.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Reading } from '../../model/listing.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import type { Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { examsOf, jointRefusal, type Refusal, type ShownSession, sessionsById, studentsOf } from '../exam-students.ts';
import { type Extension, parseExtension, spelled } from './amount.ts';
import { carryTimes, type TimesPlan } from './carry-times.ts';

/** Sessions by their IDs, or those of an exam that have not finished. */
type Choice = { ids: readonly string[] } | { exam: string };
type Extending = { choice: Choice; by: string; again?: boolean | undefined };

/** `exams`: as the service shows them; `finished`: how many sessions of the exam are passed over. */
type Choosing = { sessions: readonly ShownSession[]; exams: Map<string, JsonObject>; reading?: Reading; finished?: number };

/** `window`: how long it was, where a share of it is added; `added`: how much longer it is; `isOver`: it had passed. Milliseconds. */
type Extended = { step: Step; until: number; window: number | undefined; added: number; isOver: boolean };

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
      const sessions = 'exam' in choice ? [choice] : await sessionsById(context, choice.ids);
      return [...new Set(sessions.flatMap(({ exam }) => (exam === '' ? [] : (`exam ${exam}` as const))))];
    },
    async plan(): Promise<TimesPlan> {
      const { sessions, exams, reading, finished = 0 } = await chosen(context, client, choice);
      const now = context.host.now();
      if (soonest <= now) asOf = now;
      const all = sessions.map((session) => extended(session, exams, extension, asOf, client));
      const done = all.flatMap((each) => ('why' in each ? [] : each));
      const refusals = all.flatMap((each) => ('why' in each ? each : []));
      const [others, options] = [done.map(({ step }) => step.params.id ?? ''), [typedOption('--by', by)]];
      const set = typedCommand('sessions update', [refusals[0]?.id ?? ''], '--close-time TIME');
      const alone = refusals[0]?.code === 'not_found' ? undefined : sentence`If necessary, set the time directly: proctor-cli ${set}`;
      const refused = jointRefusal(client, refusals, { verb: 'extend', others, options, alone });
      if (refused) throw refused;
      soonest = Math.min(...done.map(({ until }) => until));
      const steps = done.map(({ step }) => step);
      const isOver = [...exams.values()].some(({ end_time }) => (instantOf(end_time) ?? now + 1) <= now);
      const asks = 'exam' in choice || isOver || done.some(({ added }) => added > day);
      const where = firstInLine([...exams], ([id, exam]) => examInWords(id, exam, client, context.zone()), 1);
      const subject = sentence`${count(steps.length, 'session')}${where === '' ? '' : ` of ${where}`}`;
      const over = done.filter((each) => each.isOver).length;
      const says: Sentence[] = [];
      if (finished > 0) says.push(sentence`${count(finished, 'finished session')} will not be changed.`);
      const shares = done.flatMap(({ window, added }) =>
        window === undefined ? [] : `${spelledDuration(added)} (${amount} of ${spelledDuration(window)})`,
      );
      if (shares.length > 0) says.push(sentence`Time added: ${firstInLine([...new Set(shares)], (share) => share, 3)}.`);
      if (over > 0) says.push(sentence`The close time of ${count(over, 'session')} has passed; the minutes count from now.`);
      const readings = new Map(reading ? [[reading.exam, reading]] : []);
      return { steps, readings, says, question: asks ? sentence`Extend ${subject} by ${amount}` : undefined };
    },
  });
}

async function chosen(context: Context, client: Client, choice: Choice): Promise<Choosing> {
  if ('ids' in choice) {
    const sessions = await sessionsById(context, choice.ids);
    return { sessions, exams: await examsOf(context, sessions) };
  }
  const exams = await examsOf(context, [choice]);
  const reading = await studentsOf(client, choice.exam);
  const open = reading.sessions.filter(({ data }) => phaseOf(data.status) !== 'finished');
  const finished = reading.sessions.length - open.length;
  return { sessions: open.map(({ id = '', data }) => ({ id, exam: choice.exam, shown: data })), exams, reading, finished };
}

function extended(
  { id, exam, shown }: ShownSession,
  exams: Choosing['exams'],
  extension: Extension,
  now: number,
  client: Client,
): Extended | Refusal {
  const { open_time = null, close_time = null } = shown;
  const { start_time = null, end_time = null } = exams.get(exam) ?? {};
  const isShare = 'share' in extension;
  const [open, close] = [instantOf(open_time ?? start_time), instantOf(close_time ?? end_time)];
  const cannot = (why: Sentence): Refusal => ({ id, code: 'invalid_input', why });
  if (Object.keys(shown).length === 0) return { id, code: 'not_found', why: sentence`does not exist` };
  if (phaseOf(shown.status) === 'finished') return cannot(sentence`it has finished the exam`);
  if (close === undefined) return cannot(sentence`neither it nor its exam shows a time at which it closes`);
  if (isShare && (open === undefined || open >= close)) return cannot(sentence`it shows no window to take a share of`);
  // A share is seldom a whole number of seconds, and the service may be sent nothing finer.
  const window = isShare ? close - (open ?? close) : undefined;
  const added = isShare ? Math.max(1, Math.round(((window ?? 0) * extension.share) / 1000)) * 1000 : extension.milliseconds;
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
  return { step, until, window, added, isOver };
}
