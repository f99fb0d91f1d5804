/**
 * `sessions extend`: a later close time, from that of the session or else the end of its exam; from now where
 * that has passed. A share is one of the exam's length, as in a list of extra time. All or none.
 */
import type { Client } from '../../api/client.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { examInWords } from '../../model/describe.ts';
import { shareMs, shorterWindow } from '../../model/extra-time.ts';
import type { JsonObject } from '../../model/json.ts';
import { addressIn } from '../../model/listing.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { mayAsk, type StepDraft, serviceNow, stepsOf } from '../../runs/index.ts';
import { count, firstInLine, largest, type Sentence, sentence } from '../../text/sentence.ts';
import { examsOf, jointRefusal, type Refusal, type ShownSession, sessionsById, studentsOf } from '../exam-students.ts';
import { amountInWords, bothReadings, type Extension, parseExtension, spelledShare } from './amount.ts';
import { changeTimes, type TimesPlan } from './change-times.ts';
import { sessionUpdate } from './exam-change.ts';

/** `exam`: its sessions that have not finished, in place of `ids`. */
type Extending = {
  ids: readonly string[];
  exam: string | undefined;
  by: string;
  again: boolean | undefined;
};

/** Milliseconds. `isOver`: it had closed already. `readings`: what a share can mean, where that is two things. */
type Extended = { id: string; step: StepDraft; until: number; added: number; isOver: boolean; readings: Sentence | undefined };

const minute = 60_000;
const day = 24 * 60 * minute;

export function extendSessions(context: Context, { ids, exam, by, again }: Extending): Promise<Result> {
  const extension = parseExtension(by);
  const amount = amountInWords(extension);
  const which = exam === undefined ? { sessions: [...new Set(ids)].toSorted() } : { exam };
  // The times that were shown are those that are asked about, unless one of them has passed.
  let asOf = 0;
  let soonest = 0;
  return changeTimes(context, {
    kind: 'sessions extend',
    identity: { ...which, by: amount },
    amount,
    consents: { again },
    did: 'extended',
    whyOf(step) {
      const { start_time, end_time } = step.requires.exam;
      const length = (instantOf(end_time) ?? 0) - (instantOf(start_time) ?? 0);
      return 'milliPercent' in extension ? spelledShare(extension, length) : undefined;
    },
    async locks() {
      const sessions = exam === undefined ? await sessionsById(context, ids) : [{ exam }];
      const exams = new Set(sessions.flatMap((session) => session.exam || []));
      return [...exams].map((each) => `exam ${each}` as const);
    },
    async plan(engine): Promise<TimesPlan> {
      const { client, zone } = engine;
      const reading = exam === undefined ? undefined : await studentsOf(engine, exam);
      const listed = reading?.all.map(({ id = '', data }) => ({ id, exam: reading.exam, shown: data }));
      const found = listed ?? (await sessionsById(context, ids));
      const exams = await examsOf(context, exam === undefined ? found : [{ exam }]);
      const sessions = reading ? found.filter(({ shown }) => phaseOf(shown.status) !== 'finished') : found;
      const now = serviceNow(engine);
      if (soonest <= now) asOf = now;
      const done: Extended[] = [];
      const refusals: Refusal[] = [];
      for (const session of sessions) {
        const each = extended(session, exams.get(session.exam) ?? {}, extension, asOf, client);
        if ('why' in each) refusals.push(each);
        else done.push(each);
      }
      const steps = stepsOf(done.map(({ step }) => step));
      const others = done.map(({ id }) => id);
      refuse(client, refusals, others, by);
      soonest = -largest(done.map(({ until }) => -until));
      const isOver = [...exams.values()].some(({ end_time }) => (instantOf(end_time) ?? Infinity) <= now);
      const doubtful = done.find(({ readings }) => readings !== undefined);
      const asks = exam !== undefined || isOver || doubtful !== undefined || done.some(({ added }) => added > day);
      const where = firstInLine([...exams], ([id, shown]) => examInWords(id, shown, client, zone), 1);
      const subject = [count(steps.length, 'session'), where].filter(Boolean).join(' of ');
      const finished = found.length - sessions.length;
      const over = done.filter((each) => each.isOver).length;
      const says: Sentence[] = [];
      const doubt = doubtful ? sentence` (session ${doubtful.id}: ${doubtful.readings})` : '';
      if (finished > 0) says.push(sentence`${count(finished, 'finished session')} will not be changed.`);
      if (over > 0) {
        const closed = sentence`The close time of ${count(over, 'session')} has passed`;
        says.push(sentence`${closed}; the minutes count from now.`);
      }
      return {
        steps,
        readings: new Map(reading ? [[reading.exam, reading]] : []),
        says,
        refused: doubtful && !mayAsk(context) ? ambiguousAmount(doubtful, amount, exam) : undefined,
        question: asks ? sentence`Extend ${subject} by ${amount}${doubt}` : undefined,
      };
    },
  });
}

function ambiguousAmount({ id, added, readings }: Extended, amount: string, exam?: string): CliError {
  const [ids, whole] = exam === undefined ? [[id], ''] : [[], typedOption('--exam', exam)];
  const set = typedCommand('sessions extend', ids, whole, typedOption('--by', amountInWords({ milliseconds: added })));
  const hint = sentence`Nothing was sent. Give the time itself: proctor-cli ${set}`;
  return new CliError('usage', sentence`${amount} can mean two things for session ${id}: ${readings}.`, { hint });
}

/** Throws where a session cannot be extended. */
function refuse(client: Client, [first, ...more]: readonly Refusal[], others: readonly string[], by: string): void {
  if (!first) return;
  const set = typedCommand('sessions update', [first.id], '--close-time TIME');
  const direct = sentence`If necessary, set the time directly: proctor-cli ${set}`;
  const alone = first.code === 'not_found' ? undefined : direct;
  throw jointRefusal(client, [first, ...more], { verb: 'extend', others, options: [typedOption('--by', by)], alone });
}

function extended(session: ShownSession, inExam: JsonObject, extension: Extension, now: number, client: Client): Extended | Refusal {
  const { id, exam, shown } = session;
  const { start_time = null, end_time = null } = inExam;
  const { open_time = null, close_time = null } = shown;
  const isShare = 'milliPercent' in extension;
  const [start = NaN, end = NaN, open, own] = [start_time, end_time, open_time, close_time].map(instantOf);
  const close = instantOf(close_time ?? end_time);
  const cannot = (...words: Parameters<typeof sentence>): Refusal => ({ id, code: 'invalid_input', why: sentence(...words) });
  if (Object.keys(shown).length === 0) return { id, code: 'not_found', why: sentence`does not exist` };
  if (phaseOf(shown.status) === 'finished') return cannot`it has finished the exam`;
  if (close === undefined) return cannot`neither the session nor its exam shows a close time that can be read`;
  if (isShare && !(start < end)) return cannot`its exam shows no start and end to take a share of`;
  const shorter = isShare ? shorterWindow(end - start, open, own) : undefined;
  const readings = isShare && shorter !== undefined ? bothReadings(extension, end - start, shorter) : undefined;
  const added = isShare ? shareMs(end - start, extension.milliPercent) : extension.milliseconds;
  const isOver = close < now;
  const until = (isOver ? Math.ceil(now / minute) * minute : close) + added;
  const relies: JsonObject = {};
  if (close_time === null || isShare) relies.end_time = end_time;
  if (isShare) relies.start_time = start_time;
  const target = { close_time, ...(isShare ? { open_time } : {}) };
  const body = { close_time: formatTime(until, client.dialect.timeFormat) };
  const step = sessionUpdate({ id, exam: exam || undefined, email: addressIn(shown) }, body, target, relies);
  return { id, step, until, added, isOver, readings };
}
