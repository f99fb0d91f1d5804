/** `exams shift` and `exams delay`: exams at another time, or with a later end, and the windows of their students with them. */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count, students } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import type { Reading } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { daysLater } from '../../model/typed-time.ts';
import type { Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, type SelectedExam, typedSelection } from '../exam-selection.ts';
import { studentsOf } from '../exam-students.ts';
import { parseDelay, parseShift, spelled } from './amount.ts';
import { carryTimes, type TimesPlan } from './carry-times.ts';
import { examChange, moved } from './exam-change.ts';

type Given = { selection: ExamSelection; by: string; again?: boolean | undefined };
/** Milliseconds since 1970. */
type Times = { start_time?: number; end_time: number };
/** `move` throws where the exam may not be moved. */
type Moving = { kind: string; verb: string; did: string; amount: string; move(exam: SelectedExam, reading: Reading): Times };

export function shiftExams(context: Context, given: Given): Promise<Result> {
  const amount = parseShift(given.by);
  const zone = context.zone();
  if (amount.days !== 0) warnWithoutZone(context);
  return moveExams(context, given, {
    ...{ kind: 'exams shift', verb: 'Shift', did: 'shifted', amount: spelled(amount) },
    move(exam, { sessions }) {
      const { id } = exam;
      const now = context.host.now();
      const [from, until] = [timeOf(exam, 'start_time'), timeOf(exam, 'end_time')];
      const shifted = (instant: number, what: string) =>
        moved(`The ${what} of exam ${id}`, () => daysLater(instant, amount.days, zone) + amount.milliseconds);
      const [start_time, end_time] = [shifted(from, 'start'), shifted(until, 'end')];
      const finished = sessions.filter(({ data }) => phaseOf(data.status) === 'finished').length;
      const isTaken = finished > 0 && from <= now;
      if (start_time > now && !isTaken) return { start_time, end_time };
      const past = sentence`it would start at ${showTime(start_time / 1000, zone)}, which is in the past`;
      const why = isTaken ? sentence`it was taken by ${students(finished)}` : past;
      throw new CliError('invalid_input', sentence`Exam ${id} cannot be shifted: ${why}.`, {
        hint: sentence`Nothing was sent. ${isTaken ? 'Leave' : 'Choose another amount, or leave'} the exam out of the selection.`,
      });
    },
  });
}

export function delayExams(context: Context, given: Given): Promise<Result> {
  const milliseconds = parseDelay(given.by);
  return moveExams(context, given, {
    ...{ kind: 'exams delay', verb: 'Delay the end of', did: 'delayed', amount: spelled({ milliseconds }) },
    move: (exam) => ({ end_time: timeOf(exam, 'end_time') + milliseconds }),
  });
}

function moveExams(context: Context, { selection, again = false }: Given, { verb, amount, move, ...moving }: Moving): Promise<Result> {
  const exams = chosenExams(context, selection);
  return carryTimes(context, {
    ...{ ...moving, amount, again, identity: { exams: typedSelection(selection), by: amount } },
    places: async () => (await exams.ids()).map((id) => `exam ${id}` as const),
    async plan(): Promise<TimesPlan> {
      const client = await context.client();
      const { timeFormat } = client.dialect;
      const zone = context.zone();
      const all = await exams.read();
      const readings = new Map(await client.pacer.map(all, async ({ id }) => [id, await studentsOf(client, id)] as const));
      const steps: Step[] = [];
      for (const exam of all) {
        const { id, shown } = exam;
        const reading = readings.get(id) as Reading;
        const wanted = Object.fromEntries(
          Object.entries(move(exam, reading)).map(([field, time]) => [field, formatTime(time, timeFormat)]),
        );
        steps.push(...examChange({ id, shown, reading, wanted, zone, timeFormat }, steps.length));
      }
      const which = all.length === 1 && all[0] ? examInWords(all[0].id, all[0].shown, client, zone) : count(all.length, 'exam');
      return { steps, readings, question: sentence`${verb} ${which} by ${amount}${withWindows(steps)}` };
    },
  });
}

/** Behind what a question says of exams. */
export function withWindows(steps: readonly Step[]): Sentence {
  const own = steps.filter(({ operation }) => operation.resource === 'session').length;
  return own === 0 ? sentence`` : sentence`, along with the windows of ${students(own)},`;
}

export function warnWithoutZone({ settings, zone, warn }: Context): void {
  if (settings().timeZone !== undefined) return;
  const clocks = sentence`days are counted by the clocks of this machine (${zone()})`;
  warn(sentence`warning: no time zone is set; ${clocks}. Set the zone of the exams with --timezone.`);
}

/** Throws `invalid_input` for a time that is missing, or cannot be read. */
function timeOf({ id, shown }: SelectedExam, field: 'start_time' | 'end_time'): number {
  const instant = instantOf(shown[field]);
  if (instant !== undefined) return instant;
  const set = typedCommand('exams update', [id], field === 'start_time' ? '--start TIME' : '--end TIME');
  throw new CliError('invalid_input', sentence`Exam ${id} shows no ${field} that can be read, so it cannot be moved.`, {
    hint: sentence`Nothing was sent. Set it: proctor-cli ${set}`,
  });
}
