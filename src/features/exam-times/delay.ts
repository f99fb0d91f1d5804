/**
 * `exams delay`: exams end later, and with them each session that has a close time of its own. Accommodations are
 * kept: every student gets the same elapsed time on top of what they have. Nothing becomes earlier or narrower, so no
 * order of the requests can take time away; the exam goes first, because most sessions have no time of their own.
 */
import type { Client } from '../../api/client.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { formatTime, showTime } from '../../model/time.ts';
import { examPhase, type Reading, readStudents } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { type ExamSelection, isByIdOnly, type SelectedExam, typedSelection } from '../exam-selection.ts';
import { type Computed, inQuestion, moveTimes, sessions, type TimeMove, tellMailed, times } from '../moved-times/index.ts';
import { settledSelection } from '../settled-selection.ts';
import { parseDelay } from './amount.ts';
import { type ExamSessions, type ShownTime, sessionsOf, shownTime } from './own-windows.ts';

/** `by`: how much later, such as `15m`; `to`: the new end of all of them, in milliseconds since 1970. One of the two. */
export type DelayRequest = { selection: ExamSelection; by?: string | undefined; to?: number | undefined };

/** `ends`: as the service shows it; `isLater`: later than the new end already. */
type ExamDelay = {
  exam: SelectedExam;
  students: ExamSessions;
  reading: Reading;
  ends: ShownTime;
  isLater: boolean;
  isPast: boolean;
  moves: TimeMove[];
  runs: boolean;
};

type Delaying = Computed & { exams: ReadonlyMap<string, SelectedExam['shown']>; delays: readonly ExamDelay[] };

export async function delayExams(context: Context, { selection, by, to }: DelayRequest): Promise<Result> {
  const milliseconds = by === undefined ? undefined : parseDelay(by);
  const client = await context.client();
  const zone = context.zone();
  const amount = to === undefined ? `by ${by?.trim().replace(/^\+/, '')}` : `to ${showTime(to / 1000, zone)}`;
  let settled: ReturnType<typeof settledSelection> | undefined;
  const chosen = () => {
    settled ??= settledSelection(context, selection);
    return settled;
  };
  return moveTimes<Delaying>(context, {
    kind: 'exams delay',
    identity: [typedSelection(selection), String(milliseconds)],
    exams: isByIdOnly(selection) ? undefined : async () => (await chosen()).ids,
    isRelative: true,
    fixedBy: to === undefined ? sentence`exams delay … --to TIME` : undefined,
    words: { verb: 'delay', did: 'delayed' },
    shape: times,
    async compute() {
      const selected = await (await chosen()).read();
      const now = context.host.now();
      const later = (end: number) => to ?? end + (milliseconds ?? 0);
      const delays = await client.pacer.map(selected, (exam) => delayOf(context, { client, exam, now, later }));
      refuseLater(delays, zone);
      return {
        moves: delays.flatMap(({ moves }) => moves),
        refused: [],
        readings: new Map(delays.map(({ exam, reading }) => [exam.id, reading])),
        exams: new Map(selected.map(({ id, shown }) => [id, shown])),
        isRunning: delays.some(({ runs }) => runs),
        delays,
      };
    },
    tell: ({ delays }) => tellOthers(context, delays),
    asks: ({ moves }) => moves.length > 0,
    async question({ moves }, before) {
      return sentence`Delay the end of ${await inQuestion(context, moves)} ${amount}${before > 0 ? ', once more,' : ''}`;
    },
  });
}

/** `later`: the new end of an exam, in milliseconds since 1970. */
type Delayed = { client: Client; exam: SelectedExam; now: number; later: (end: number) => number };

/** What moves of one exam; nothing where it ends at the new time already, or later. Throws `invalid_input`. */
async function delayOf(context: Context, { client, exam, now, later }: Delayed): Promise<ExamDelay> {
  const { id, shown } = exam;
  const end = endOf(exam);
  const newEnd = later(end.at);
  const reading = await readStudents(context, id);
  const students = await sessionsOf(client, reading);
  const listed = reading.sessions.map((session) => session.data);
  const runs = examPhase(shown, listed, now, context.zone()).running;
  const delay = { exam, students, reading, ends: end, isLater: newEnd < end.at, isPast: newEnd < now, runs };
  if (newEnd <= end.at) return { ...delay, moves: [] };
  const moved = ({ shown: old, at }: ShownTime) => ({ old, new: formatTime(at + newEnd - end.at, client.dialect.timeFormat) });
  const ends = moved(end);
  const own = students.open.flatMap(({ id: session, email, phase, closes }): TimeMove[] =>
    closes
      ? [
          {
            ...{ kind: 'session', id: session, exam: id, email, started: phase === 'writing', phase: 2, unless: ['finished'] },
            fields: { close_time: moved(closes) },
            expectsExam: { end_time: ends.new },
          },
        ]
      : [],
  );
  const moves: TimeMove[] = [{ kind: 'exam', id, exam: id, email: undefined, fields: { end_time: ends } }, ...own];
  return { ...delay, moves };
}

/** A time that all of them end after is a slip: nothing done must not look like a delay. Throws `invalid_input`. */
function refuseLater(delays: readonly ExamDelay[], zone: string) {
  const [first] = delays;
  if (!first || !delays.every(({ isLater }) => isLater)) return;
  const { exam, ends } = first;
  const others = delays.length === 1 ? '' : `, as do the others`;
  throw new CliError('invalid_input', sentence`Exam ${exam.id} ends later already, at ${showTime(ends.shown, zone)}${others}.`, {
    hint: sentence`Nothing was sent. To end it earlier: proctor-cli ${typedCommand('exams update', [exam.id], '--end TIME')}`,
  });
}

function endOf({ id, shown }: SelectedExam): ShownTime {
  const end = shownTime(shown, 'end_time', `exam ${id}`);
  if (end) return end;
  throw new CliError('invalid_input', sentence`Exam ${id} shows no end_time, so there is nothing to delay.`, {
    hint: sentence`Set its end: proctor-cli ${typedCommand('exams update', [id], '--end TIME')}. Nothing was sent.`,
  });
}

/** What becomes of the exams and sessions that are not moved one by one. */
function tellOthers(context: Context, delays: readonly ExamDelay[]) {
  const { say, warn } = context;
  for (const { exam, students, ends, isLater, isPast, moves } of delays) {
    const { id } = exam;
    if (moves.length === 0) {
      say(
        isLater
          ? sentence`Exam ${id} ends later already, at ${showTime(ends.shown, context.zone())}, and is not changed.`
          : sentence`Exam ${id} ends at that time already.`,
      );
      continue;
    }
    const { all, finished } = students;
    if (finished > 0)
      say(sentence`${sessions(finished)} of exam ${id} ${finished === 1 ? 'has' : 'have'} finished and will not be changed.`);
    const following = all - finished - (moves.length - 1);
    if (following > 0)
      say(
        sentence`${count(following, 'session')} of exam ${id} without a close time of ${following === 1 ? 'its' : 'their'} own ${following === 1 ? 'follows' : 'follow'} the end of the exam.`,
      );
    if (isPast) warn(sentence`warning: the new end of exam ${id} is in the past.`);
  }
  const before = delays.filter(({ runs, moves }) => !runs && moves.length > 0);
  tellMailed(
    context,
    before.reduce((sum, { students }) => sum + students.mailed, 0),
    before.filter(({ students }) => students.mailed > 0).map(({ exam }) => exam.id),
  );
}
