/**
 * `exams delay`: an exam ends later, and with it each session that has a close time of its own. Accommodations are
 * kept: every student gets the same elapsed time on top of what they have. Nothing becomes earlier or narrower, so no
 * order of the requests can take time away; the exam goes first, because most sessions have no time of their own.
 */
import { operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { formatTime } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { type ChangeMove, inQuestion, resumedAlike, runChange } from '../changes/index.ts';
import { parseDelay } from './amount.ts';
import { sessionsOf, shownTime } from './own-windows.ts';

export type DelayRequest = { folder: string; exam: string; by: string; again: boolean };

export async function delayExam(context: Context, { folder, exam, by, again }: DelayRequest): Promise<Result> {
  const milliseconds = parseDelay(by);
  const amount = by.trim().replace(/^\+/, '');
  const what = `delay by ${amount}`;
  const resumed = await resumedAlike(context, { folder, kind: 'delay', what, exams: [exam], again });
  if (resumed) return resumed;
  const client = await context.client();
  const shown = await client.get(operations.getExam, { params: { id: exam } });
  const end = shownTime(shown, 'end_time', `exam ${exam}`);
  if (!end) {
    throw new CliError('invalid_input', sentence`Exam ${exam} shows no end_time, so there is nothing to delay.`, {
      hint: sentence`Set its end: proctor-cli ${typedCommand('exams update', [exam], '--end TIME')}. Nothing was sent.`,
    });
  }
  const { open, all, finished } = await sessionsOf(client, exam);
  const later = ({ shown: old, at }: typeof end) => ({ old, new: formatTime(at + milliseconds, client.dialect.timeFormat) });
  const own = open.flatMap(({ id, email, started, closes }): ChangeMove[] =>
    closes ? [{ kind: 'session', id, exam, email, started, fields: { close_time: later(closes) }, phase: 2 }] : [],
  );
  const moves: ChangeMove[] = [{ kind: 'exam', id: exam, exam, email: null, fields: { end_time: later(end) } }, ...own];
  if (finished > 0)
    context.say(
      sentence`${count(finished, 'session')} of exam ${exam} ${finished === 1 ? 'has' : 'have'} finished and will not be changed.`,
    );
  const following = all - finished - own.length;
  if (following > 0)
    context.say(
      sentence`${count(following, 'session')} of exam ${exam} without a close time of ${following === 1 ? 'its' : 'their'} own ${following === 1 ? 'follows' : 'follow'} the end of the exam.`,
    );
  if (end.at + milliseconds < context.host.now()) context.warn(sentence`warning: the new end of exam ${exam} is in the past.`);
  return runChange(context, {
    folder,
    kind: 'delay',
    what,
    command: typedCommand('exams delay', [exam], `--by ${amount}`),
    exam,
    moves,
    asks: true,
    async question(before) {
      return sentence`Delay the end of ${await inQuestion(context, moves, exam)} by ${amount}${before > 0 ? ', once more,' : ''} ${context.place()}?`;
    },
    again,
    verified: true,
  });
}
