/** `exams shift` and `exams delay`: exams at another time, or with a later end, and the windows of their students with them. */

import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count, firstInLine, students } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { durationInWords } from '../../model/duration.ts';
import type { Reading } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import type { Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, type SelectedExam, typedSelection } from '../exam-selection.ts';
import { studentsOf } from '../exam-students.ts';
import { parseDelay, parseShift, shiftedBy, spelled } from './amount.ts';
import { carryTimes, type TimesPlan } from './carry-times.ts';
import { examChange, moved } from './exam-change.ts';

type Given = { selection: ExamSelection; by: string; again?: boolean | undefined };
/** The new times of an exam, milliseconds since 1970, and what has to be said of them. */
type Moved = { times: { start_time?: number; end_time: number }; says: readonly Sentence[] };
/** `move` throws where the exam may not be moved. */
type Moving = { kind: string; verb: string; did: string; amount: string; move(exam: SelectedExam, reading: Reading): Moved };

export function shiftExams(context: Context, given: Given): Promise<Result> {
  const amount = parseShift(given.by);
  const zone = context.zone();
  if (amount.days !== 0) warnWithoutZone(context);
  return moveExams(context, given, {
    ...{ kind: 'exams shift', verb: 'Shift', did: 'shifted', amount: spelled(amount) },
    move(exam, reading) {
      const { id } = exam;
      const now = context.host.now();
      const [from, until] = [timeOf(exam, 'start_time', 'shifted'), timeOf(exam, 'end_time', 'shifted')];
      refuseBegun(exam, reading, now);
      const shifted = (instant: number, what: string) => moved(`The ${what} of exam ${id}`, () => shiftedBy(instant, amount, zone));
      const [start_time, end_time] = [shifted(from, 'start'), shifted(until, 'end')];
      if (start_time > now) return { times: { start_time, end_time }, says: newLength(id, until - from, end_time - start_time) };
      throw new CliError('invalid_input', sentence`Exam ${id} would start at ${showTime(start_time / 1000, zone)}, which is in the past.`, {
        hint: 'Nothing was sent. Choose another amount, or leave the exam out of the selection.',
      });
    },
  });
}

/** Start and end keep their time of day on another date: a clock change between them makes an exam longer or shorter. */
function newLength(id: string, was: number, is: number): Sentence[] {
  if (was === is || is < 0) return [];
  return [sentence`warning: exam ${id} will take ${durationInWords(is)}, not ${durationInWords(was)}, because the clocks change.`];
}

export function delayExams(context: Context, given: Given): Promise<Result> {
  const milliseconds = parseDelay(given.by);
  return moveExams(context, given, {
    ...{ kind: 'exams delay', verb: 'Delay the end of', did: 'delayed', amount: spelled({ milliseconds }) },
    move(exam) {
      return { times: { end_time: timeOf(exam, 'end_time', 'delayed') + milliseconds }, says: [] };
    },
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
      const says: Sentence[] = [];
      for (const exam of all) {
        const { id, shown } = exam;
        const reading = readings.get(id) as Reading;
        const { times, says: also } = move(exam, reading);
        says.push(...also);
        const wanted = Object.fromEntries(Object.entries(times).map(([field, time]) => [field, formatTime(time, timeFormat)]));
        steps.push(...examChange({ id, shown, reading, wanted, zone, timeFormat }, steps.length));
      }
      const which = all.length === 1 && all[0] ? examInWords(all[0].id, all[0].shown, client, zone) : count(all.length, 'exam');
      return { steps, readings, says, question: sentence`${verb} ${which} by ${amount}${withWindows(steps)}` };
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
function timeOf({ id, shown }: SelectedExam, field: 'start_time' | 'end_time', did: string): number {
  const instant = instantOf(shown[field]);
  if (instant !== undefined) return instant;
  const set = typedCommand('exams update', [id], field === 'start_time' ? '--start TIME' : '--end TIME');
  throw new CliError('invalid_input', sentence`Exam ${id} shows no ${field} that can be read, so it cannot be ${did}.`, {
    hint: sentence`Nothing was sent. Set it: proctor-cli ${set}`,
  });
}

/** An exam that its students are taking, or have taken, is not moved. By its clock alone, the gate says whether it runs. */
function refuseBegun({ id, start = 0 }: SelectedExam, { sessions }: Reading, now: number): void {
  const begun = sessions.filter(({ data }) => {
    const phase = phaseOf(data.status);
    return phase === 'writing' || (phase === 'finished' && start <= now);
  });
  if (begun.length === 0) return;
  const who = firstInLine(begun, (session) => session.id ?? session.email ?? '', 3);
  const have = begun.length === 1 ? 'has' : 'have';
  throw new CliError('invalid_input', sentence`Exam ${id} cannot be shifted: ${count(begun.length, 'session')} (${who}) ${have} started.`, {
    hint: sentence`Nothing was sent. Leave it out; for more time, in place of another day: proctor-cli ${typedCommand('exams delay', [id], '--by AMOUNT')}`,
  });
}
