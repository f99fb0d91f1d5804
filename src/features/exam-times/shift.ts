/**
 * `exams shift`: exams move to another time, with the sessions that have times of their own. What is shifted later
 * is first widened: the exam gets its new end, then each session its new window, and the exam its new start at last.
 * What is shifted earlier gets its new start first and its new end last. So at each moment, and wherever a run is
 * stopped, every student has at least the whole old window or the whole new one. An exam without such sessions gets
 * both times in one request. Undo goes the same way back.
 */
import type { Client } from '../../api/client.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { formatTime, showTime } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { type ChangeMove, resumedAlike, runChange } from '../changes/index.ts';
import { eachExam } from '../each-exam.ts';
import { examNow } from '../exam-now.ts';
import { type ExamSelection, examInWords, type SelectedExam, selectExams } from '../exam-selection.ts';
import { isEarlier, parseShift, type ShiftAmount, shiftedBy } from './amount.ts';
import { type ExamSessions, type OpenSession, type ShownTime, sessionsOf, shownTime } from './own-windows.ts';

export type ShiftRequest = { folder: string; selection: ExamSelection; by: string; again: boolean };

export async function shiftExams(context: Context, { folder, selection, by, again }: ShiftRequest): Promise<Result> {
  const amount = parseShift(by);
  const exams = await selectExams(context, selection);
  const client = await context.client();
  const zone = context.zone();
  if (amount.days !== 0 && context.settings().timeZone === undefined)
    context.warn(
      sentence`warning: no time zone is set; days are counted by the clocks of this machine (${zone}). Set the zone of the exams with --timezone.`,
    );
  const text = by.trim().replace(/^\+/, '');
  const what = `shift by ${text}${amount.days === 0 ? '' : ` (${zone})`}`;
  const resumed = await resumedAlike(context, { folder, kind: 'shift', what, exams: exams.map(({ id }) => id), again });
  if (resumed) return resumed;
  const now = await serviceTime(context, client, exams);
  const read = await eachExam(client, exams, ({ id }) => sessionsOf(client, id));
  const moves: ChangeMove[] = [];
  let sessions = 0;
  for (const result of read) {
    if ('error' in result) throw result.error;
    const { exam, value } = result;
    refuseStarted(exam, value, now, zone);
    sessions += value.all;
    moves.push(...(await movesOf(exam, value, { amount, zone, client, now })));
  }
  const own = new Set(moves.filter(({ kind }) => kind === 'session').map(({ id }) => id)).size;
  const [only] = exams;
  const named = firstInLine(exams, (exam) => `exam ${examInWords(exam, { dialect: client.dialect, zone })}`, 3);
  return runChange(context, {
    folder,
    kind: 'shift',
    what,
    command: `exams shift --by ${text}`,
    exam: exams.length === 1 ? only?.id : undefined,
    moves,
    asks: true,
    async question(before) {
      const students = `${count(sessions, 'session')}${own === 0 ? '' : `, ${own} of them with times of their own`}`;
      return sentence`Shift ${exams.length === 1 ? named : `${exams.length} exams: ${named},`} with ${students}, by ${text}${before > 0 ? ', once more,' : ''} ${context.place()}?`;
    },
    again,
    verified: true,
  });
}

/** Now, by the clock of the service: milliseconds since 1970. */
async function serviceTime({ host }: Context, client: Client, [first]: readonly SelectedExam[]): Promise<number> {
  const { clockOffset } = first ? await examNow(client, first.id) : { clockOffset: 0 };
  return host.now() + clockOffset;
}

/** An exam that has begun is not moved: its students are taking it, or have taken it. */
function refuseStarted({ id, name, start }: SelectedExam, { open }: ExamSessions, now: number, zone: string) {
  const which = `Exam ${id}${name === undefined ? '' : ` (${name})`}`;
  const hint =
    'Nothing was sent. Leave it out of the selection; to give students of a running exam more time: proctor-cli exams delay ID --by 15m';
  if (start === undefined) throw new CliError('invalid_input', sentence`${which} shows no start_time, so it cannot be shifted.`, { hint });
  if (start <= now)
    throw new CliError('invalid_input', sentence`${which} started at ${showTime(start / 1000, zone)} and cannot be shifted.`, { hint });
  const started = open.filter((session) => session.started);
  if (started.length > 0) {
    const who = firstInLine(started, (session) => session.id, 3);
    throw new CliError(
      'invalid_input',
      sentence`${which} cannot be shifted: ${count(started.length, 'session')} (${who}) ${started.length === 1 ? 'has' : 'have'} started.`,
      { hint },
    );
  }
}

type Shifting = { amount: ShiftAmount; zone: string; client: Client; now: number };

async function movesOf(exam: SelectedExam, { open }: ExamSessions, shifting: Shifting): Promise<ChangeMove[]> {
  const { amount, zone, client, now } = shifting;
  const subject = `exam ${exam.id}`;
  const moved = async ({ shown, at }: ShownTime, what: string) => {
    try {
      return { old: shown, new: formatTime(await shiftedBy(at, amount, zone), client.dialect.timeFormat) };
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      throw new CliError('invalid_input', sentence`${what} cannot be shifted: ${error.message}`, {
        hint: 'Nothing was sent. Leave the exam out, or count in hours.',
      });
    }
  };
  const start = shownTime(exam.shown, 'start_time', subject);
  const end = shownTime(exam.shown, 'end_time', subject);
  if (!start) return [];
  const newStart = await shiftedBy(start.at, amount, zone).catch(() => undefined);
  if (newStart !== undefined && newStart <= now) {
    throw new CliError(
      'invalid_input',
      sentence`Exam ${exam.id} would start at ${showTime(newStart / 1000, zone)}, which is in the past.`,
      {
        hint: 'Nothing was sent. Choose another amount, or leave the exam out of the selection.',
      },
    );
  }
  const startMove = { start_time: await moved(start, `The start of ${subject}`) };
  const endMove = end ? { end_time: await moved(end, `The end of ${subject}`) } : {};
  const own = await Promise.all(
    open.filter(({ opens, closes }) => opens || closes).map(async (session) => sessionMove(session, exam.id, moved)),
  );
  const of = { kind: 'exam', id: exam.id, exam: exam.id, email: null } as const;
  if (own.length === 0 || !end) return [{ ...of, fields: { ...startMove, ...endMove } }, ...own.map((move) => ({ ...move, phase: 2 }))];
  const [wider, narrower] = isEarlier(amount) ? [startMove, endMove] : [endMove, startMove];
  return [{ ...of, fields: wider, phase: 1 }, ...own.map((move) => ({ ...move, phase: 2 })), { ...of, fields: narrower, phase: 3 }];
}

type Moved = (time: ShownTime, what: string) => Promise<{ old: ShownTime['shown']; new: string | number }>;

async function sessionMove({ id, email, opens, closes }: OpenSession, exam: string, moved: Moved): Promise<ChangeMove> {
  return {
    kind: 'session',
    id,
    exam,
    email,
    fields: {
      ...(opens ? { open_time: await moved(opens, `The open_time of session ${id}`) } : {}),
      ...(closes ? { close_time: await moved(closes, `The close_time of session ${id}`) } : {}),
    },
  };
}
