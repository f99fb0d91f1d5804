/**
 * `exams shift`: exams move to another time, with the sessions that have times of their own (`exam-moves.ts`). Undo goes the same way back.
 */
import type { Client } from '../../api/client.ts';
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { formatTime, showTime } from '../../model/time.ts';
import { caughtUp, type Reading, readStudents } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import {
  type ExamSelection,
  examInWords,
  isByIdOnly,
  type SelectedExam,
  type Selecting,
  selectExams,
  typedSelection,
} from '../exam-selection.ts';
import { type Computed, moveTimes, type TimeMove, tellMailed, times } from '../moved-times/index.ts';
import { tellNewLength } from '../new-length.ts';
import { parseShift, type ShiftAmount, shiftedBy } from './amount.ts';
import { examMoves } from './exam-moves.ts';
import { type ExamSessions, type ShownTime, sessionsOf, shownTime } from './own-windows.ts';

export type ShiftRequest = { selection: ExamSelection; by: string };

type Shifting = Computed & { selected: readonly SelectedExam[]; sessions: number; mailed: number };

export async function shiftExams(context: Context, { selection, by }: ShiftRequest): Promise<Result> {
  const amount = parseShift(by);
  const client = await context.client();
  const zone = context.zone();
  if (amount.days !== 0 && context.settings().timeZone === undefined)
    context.warn(
      sentence`warning: no time zone is set; days are counted by the clocks of this machine (${zone}). Set the zone of the exams with --timezone.`,
    );
  const text = by.trim().replace(/^\+/, '');
  const quiet: Selecting = { client: context.client, zone: context.zone, say() {}, warn() {} };
  let selecting: Selecting = context;
  return moveTimes<Shifting>(context, {
    kind: 'exams shift',
    identity: [typedSelection(selection), JSON.stringify(amount)],
    exams: isByIdOnly(selection) ? undefined : async () => (await selectExams(quiet, selection)).map(({ id }) => id),
    isRelative: true,
    words: { verb: 'shift', did: 'shifted' },
    shape: times,
    async compute() {
      const selected = await selectExams(selecting, selection, { current: (id, shown) => caughtUp(context, 'exam', id, shown) });
      // The selection is told once, also where it is looked up again.
      selecting = quiet;
      const now = context.host.now();
      const read = await client.pacer.map(selected, async (exam) => {
        const reading = await readStudents(context, exam.id);
        return { exam, reading, students: await sessionsOf(client, reading) };
      });
      const moves: TimeMove[] = [];
      const readings = new Map<string, Reading>();
      let [sessions, mailed] = [0, 0];
      for (const { exam, reading, students } of read) {
        refuseStarted(exam, students, now, zone);
        sessions += students.all;
        mailed += students.mailed;
        readings.set(exam.id, reading);
        moves.push(...(await movesOf(exam, students, { amount, zone, client, now })));
      }
      return {
        moves,
        refused: [],
        readings,
        exams: new Map(selected.map(({ id, shown }) => [id, shown])),
        isRunning: false,
        selected,
        sessions,
        mailed,
      };
    },
    tell({ mailed, selected, moves }) {
      for (const { id, shown } of selected) {
        const fields = Object.assign({}, ...moves.filter((move) => move.kind === 'exam' && move.id === id).map((move) => move.fields));
        const { start_time: start, end_time: end } = fields as TimeMove['fields'];
        tellNewLength(context, `exam ${id}`, { start: shown.start_time, end: shown.end_time }, { start: start?.new, end: end?.new });
      }
      const ids = selected.map(({ id }) => id);
      tellMailed(context, mailed, ids);
    },
    asks: () => true,
    question({ selected, moves, sessions }, before) {
      const named = firstInLine(selected, (each) => `exam ${examInWords(each, { dialect: client.dialect, zone })}`, 3);
      const own = new Set(moves.filter(({ kind }) => kind === 'session').map(({ id }) => id)).size;
      const students = `${count(sessions, 'session')}${own === 0 ? '' : `, ${own} of them with times of their own`}`;
      return sentence`Shift ${selected.length === 1 ? named : `${selected.length} exams: ${named},`} with ${students}, by ${text}${before > 0 ? ', once more,' : ''}`;
    },
  });
}

/** An exam that has begun is not moved: its students are taking it, or have taken it. */
function refuseStarted({ id, name, start }: SelectedExam, { open }: ExamSessions, now: number, zone: string) {
  const which = `Exam ${id}${name === undefined ? '' : ` (${name})`}`;
  const hint =
    'Nothing was sent. Leave it out of the selection; to give students of a running exam more time: proctor-cli exams delay ID --by 15m';
  if (start === undefined) throw new CliError('invalid_input', sentence`${which} shows no start_time, so it cannot be shifted.`, { hint });
  if (start <= now)
    throw new CliError('invalid_input', sentence`${which} started at ${showTime(start / 1000, zone)} and cannot be shifted.`, { hint });
  const started = open.filter(({ phase }) => phase === 'writing');
  if (started.length > 0) {
    const who = firstInLine(started, (session) => session.id, 3);
    throw new CliError(
      'invalid_input',
      sentence`${which} cannot be shifted: ${count(started.length, 'session')} (${who}) ${started.length === 1 ? 'has' : 'have'} started.`,
      { hint },
    );
  }
}

type Moving = { amount: ShiftAmount; zone: string; client: Client; now: number };

async function movesOf(exam: SelectedExam, { open }: ExamSessions, moving: Moving): Promise<TimeMove[]> {
  const { amount, zone, client, now } = moving;
  const { id } = exam;
  const subject = `exam ${id}`;
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
    throw new CliError('invalid_input', sentence`Exam ${id} would start at ${showTime(newStart / 1000, zone)}, which is in the past.`, {
      hint: 'Nothing was sent. Choose another amount, or leave the exam out of the selection.',
    });
  }
  const starts = { start_time: await moved(start, `The start of ${subject}`) };
  const ends = end ? { end_time: await moved(end, `The end of ${subject}`) } : {};
  return examMoves(id, { times: { ...starts, ...ends }, open, moved: (_, time, what) => moved(time, what) });
}
