/**
 * `exams delay`: an exam ends later, and with it each session that has a close time of its own. Accommodations are
 * kept: every student gets the same elapsed time on top of what they have. Nothing becomes earlier or narrower, so no
 * order of the requests can take time away; the exam goes first, because most sessions have no time of their own.
 */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { formatTime } from '../../model/time.ts';
import { examPhase, readRecord, readStudents } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { serviceNow } from '../exam-now.ts';
import { type Computed, inQuestion, moveTimes, sessions, type TimeMove, tellMailed, times } from '../moved-times/index.ts';
import { parseDelay } from './amount.ts';
import { type ExamSessions, sessionsOf, shownTime } from './own-windows.ts';

export type DelayRequest = { exam: string; by: string };

type Delaying = Computed & { students: ExamSessions; newEnd: number; now: number };

export async function delayExam(context: Context, { exam, by }: DelayRequest): Promise<Result> {
  const milliseconds = parseDelay(by);
  const amount = by.trim().replace(/^\+/, '');
  const client = await context.client();
  return moveTimes<Delaying>(context, {
    kind: 'exams delay',
    identity: [exam, String(milliseconds)],
    isRelative: true,
    words: { verb: 'delay', did: 'delayed' },
    shape: times,
    async compute() {
      const shown = await readRecord(context, 'exam', exam);
      const now = serviceNow(context, client, 'exam', exam);
      const end = shownTime(shown, 'end_time', `exam ${exam}`);
      if (!end) {
        throw new CliError('invalid_input', sentence`Exam ${exam} shows no end_time, so there is nothing to delay.`, {
          hint: sentence`Set its end: proctor-cli ${typedCommand('exams update', [exam], '--end TIME')}. Nothing was sent.`,
        });
      }
      const reading = await readStudents(context, exam);
      const students = await sessionsOf(client, reading);
      const later = ({ shown: old, at }: typeof end) => ({ old, new: formatTime(at + milliseconds, client.dialect.timeFormat) });
      const ends = later(end);
      const own = students.open.flatMap(({ id, email, phase, closes }): TimeMove[] =>
        closes
          ? [
              {
                ...{ kind: 'session', id, exam, email, started: phase === 'writing', phase: 2, unless: ['finished'] },
                fields: { close_time: later(closes) },
                expectsExam: { end_time: ends.new },
              },
            ]
          : [],
      );
      const listed = reading.sessions.map((session) => session.data);
      return {
        moves: [{ kind: 'exam', id: exam, exam, email: undefined, fields: { end_time: ends } }, ...own],
        refused: [],
        readings: new Map([[exam, reading]]),
        exams: new Map([[exam, shown]]),
        isRunning: examPhase(shown, listed, now, context.zone()).running,
        ...{ students, now, newEnd: end.at + milliseconds },
      };
    },
    tell({ students: { all, finished, mailed }, moves, newEnd, now, isRunning }) {
      if (finished > 0)
        context.say(sentence`${sessions(finished)} of exam ${exam} ${finished === 1 ? 'has' : 'have'} finished and will not be changed.`);
      const following = all - finished - (moves.length - 1);
      if (following > 0)
        context.say(
          sentence`${count(following, 'session')} of exam ${exam} without a close time of ${following === 1 ? 'its' : 'their'} own ${following === 1 ? 'follows' : 'follow'} the end of the exam.`,
        );
      if (newEnd < now) context.warn(sentence`warning: the new end of exam ${exam} is in the past.`);
      if (!isRunning) tellMailed(context, mailed, [exam]);
    },
    asks: () => true,
    async question({ moves }, before) {
      return sentence`Delay the end of ${await inQuestion(context, moves)} by ${amount}${before > 0 ? ', once more,' : ''}`;
    },
  });
}
