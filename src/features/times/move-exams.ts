/** `exams shift`, `exams delay` and `exams update`. */
import { readRecord } from '../../api/reading.ts';
import type { Body, Context, Result } from '../../command.ts';
import { examInWords, namedAtMost } from '../../model/describe.ts';
import { durationInWords } from '../../model/duration.ts';
import { type ExamTime, setsTimes } from '../../model/fields.ts';
import { type JsonObject, textOfJson } from '../../model/json.ts';
import type { Reading } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { daysLater, movedTimes } from '../../model/typed-time.ts';
import { type Ended, type Engine, notSent, previousOf, resourceOf, type Step, StepList, serviceNow } from '../../runs/index.ts';
import { count, firstInLine, type Sentence, sentence, students } from '../../text/sentence.ts';
import { oneResult, tellOutcomes } from '../crud/results.ts';
import { chosenExams, type ExamSelection, type SelectedExam, typedSelection } from '../exam-selection.ts';
import { studentsOf } from '../exam-students.ts';
import { amountInWords, parseDelay, parseShift } from './amount.ts';
import { changeTimes, type TimesPlan, tellTimes } from './change-times.ts';
import { countsDays, examChange, laterEnd, moved, stillOver } from './exam-change.ts';

type MoveOptions = { selection: ExamSelection; by: string; again: boolean | undefined };
/** `move`: milliseconds since 1970. Throws where the exam may not be moved. */
type ExamMove = {
  kind: 'exams shift' | 'exams delay';
  verb: string;
  did: string;
  amount: string;
  /** By how much the end alone moves. Milliseconds. */
  later: number | undefined;
  move(exam: SelectedExam, reading: Reading, now: number): Partial<Record<ExamTime, number>>;
};

export function shiftExams(context: Context, given: MoveOptions): Promise<Result> {
  const amount = parseShift(given.by);
  const { days, milliseconds } = amount;
  const zone = context.zone();
  if (days !== 0) warnWithoutZone(context);
  return moveExams(context, given, {
    kind: 'exams shift',
    verb: 'Shift',
    did: 'shifted',
    amount: amountInWords(amount),
    later: undefined,
    move(exam, { all: sessions }, now) {
      const { id, start = 0 } = exam;
      const shifted = (field: ExamTime) => {
        const instant = timeOf(exam, field);
        return moved(`The ${field} of exam ${id}`, () => daysLater(instant, days, zone) + milliseconds);
      };
      const [start_time, end_time] = [shifted('start_time'), shifted('end_time')];
      const finished = sessions.filter(({ data }) => phaseOf(data.status) === 'finished').length;
      const isTaken = finished > 0 && start <= now;
      if (!isTaken && start_time > now) return { start_time, end_time };
      const past = sentence`it would start at ${showTime(start_time, zone)}, which is in the past`;
      const why = isTaken ? sentence`it was taken by ${students(finished)}` : past;
      throw notSent(sentence`Exam ${id} cannot be shifted: ${why}.`, sentence`Leave it out of the selection.`);
    },
  });
}

export function delayExams(context: Context, given: MoveOptions): Promise<Result> {
  const milliseconds = parseDelay(given.by);
  return moveExams(context, given, {
    kind: 'exams delay',
    verb: 'Delay the end of',
    did: 'delayed',
    amount: amountInWords({ milliseconds }),
    later: milliseconds,
    move: (exam) => ({ end_time: timeOf(exam, 'end_time') + milliseconds }),
  });
}

function moveExams(context: Context, { selection, again }: MoveOptions, moving: ExamMove): Promise<Result> {
  const exams = chosenExams(context, selection);
  const { verb, move, amount, kind, did, later } = moving;
  let now = context.host.now();
  return changeTimes(context, {
    kind,
    did,
    whyOf: (step) => opensAgain(step, now),
    amount,
    consents: { again },
    identity: { exams: typedSelection(selection), by: amount },
    locks: async () => (await exams.ids()).map((id) => `exam ${id}` as const),
    async plan(engine): Promise<TimesPlan> {
      const { client, zone } = engine;
      const { timeFormat } = client.dialect;
      const all = await exams.read();
      const read = await client.pacer.map(all, ({ id }) => studentsOf(engine, id));
      now = serviceNow(engine);
      const steps = new StepList();
      for (const [at, reading] of read.entries()) {
        const exam = all[at] as SelectedExam;
        const times = Object.entries(move(exam, reading, now));
        const wanted = Object.fromEntries(times.map(([field, time]) => [field, formatTime(time, timeFormat)]));
        const { id, shown } = exam;
        examChange({ id, shown, reading, wanted, kept: [], put: false, zone, timeFormat, now }, steps);
      }
      const [only, ...others] = all;
      const isOne = only !== undefined && others.length === 0;
      const several = sentence`${count(all.length, 'exam')} (${firstInLine(all, ({ id, name }) => name ?? id, namedAtMost)})`;
      const which = isOne ? examInWords(only.id, only.shown, client, zone) : several;
      const readings = new Map(read.map((reading) => [reading.exam, reading]));
      const says = stillOver(read, steps.all, later ?? 0, now);
      const start = later !== undefined && all.some((exam) => exam.start !== undefined && exam.start > now) ? ' (the start stays)' : '';
      const question = sentence`${verb} ${which} by ${amount}${start}${withWindows(steps.all)}`;
      return { steps: steps.all, readings, says, question };
    },
  });
}

type ExamUpdate = Body & { id: string; put: boolean };

export function updateExam(context: Context, update: ExamUpdate): Promise<Result> {
  const { id, body, typedTimes, put } = update;
  return changeTimes(context, {
    kind: setsTimes(body) ? 'exams times' : 'exams update',
    identity: { exam: id, put, body: { ...body, ...typedTimes } },
    locks: () => [`exam ${id}`],
    plan: (engine) => updatePlan(engine, update),
    // Times that were typed need not be told.
    tell(plan) {
      if (plan.question !== undefined) tellTimes(context, plan);
      else for (const text of plan.says ?? []) context.warn(text);
    },
    show: (ended) => updateResult(context, ended),
  });
}

/** A window that is over, and will not be. */
function opensAgain(step: Step, now: number): string | undefined {
  const close = resourceOf(step) === 'session' ? instantOf(previousOf(step).close_time) : undefined;
  return close !== undefined && close <= now ? 'open again' : undefined;
}

async function updatePlan(engine: Engine, update: ExamUpdate): Promise<TimesPlan> {
  const { context, client, zone } = engine;
  const { id, body: wanted, put } = update;
  const shown = await readRecord(client, 'exam', id);
  const reading = movedTimes(wanted, shown).length > 0 ? await studentsOf(engine, id) : undefined;
  const now = serviceNow(engine);
  const steps = examChange({ id, shown, reading, wanted, kept: [], put, zone, timeFormat: client.dialect.timeFormat, now });
  if (!reading) return { steps };
  const readings = new Map([[id, reading]]);
  const windows = withWindows(steps);
  const says = [...stayingEnd(id, wanted, shown), ...stillOver([reading], steps, laterEnd(wanted, shown), now)];
  if (windows === '') return { steps, readings, says };
  if (countsDays(wanted, shown)) warnWithoutZone(context);
  return { steps, readings, says, question: sentence`Change the times of ${examInWords(id, shown, client, zone)}${windows}` };
}

/** The length changes with a start that moves alone. */
function stayingEnd(id: string, wanted: JsonObject, shown: JsonObject): Sentence[] {
  const [start, from, end] = [wanted.start_time, shown.start_time, shown.end_time].map(instantOf);
  if (start === undefined || start === from || wanted.end_time !== undefined || end === undefined) return [];
  const was = from === undefined ? '' : `, not ${durationInWords(end - from)}`;
  return [sentence`The end of exam ${id} stays: it now takes ${durationInWords(end - start)}${was}. To move it, too: --end TIME`];
}

async function updateResult(context: Context, ended: Ended): Promise<Result> {
  const byResource = Object.groupBy(ended.items, ({ step }) => resourceOf(step));
  const { exam: exams = [], session: windows = [] } = byResource;
  tellOutcomes(context, windows);
  const along = windows.filter(({ state }) => state === 'done').length;
  if (windows.length > 0) context.say(sentence`Windows of students moved along: ${along} of ${windows.length}.`);
  const item = exams.findLast(({ shown }) => shown) ?? exams[0];
  return oneResult(context, ended, item);
}

function withWindows(steps: readonly Step[]): Sentence {
  const own = steps.filter((step) => resourceOf(step) === 'session').length;
  return own === 0 ? sentence`` : sentence`, along with the windows of ${students(own)},`;
}

function warnWithoutZone({ settings, zone, warn }: Context): void {
  if (settings().timeZone !== undefined) return;
  const clocks = sentence`days are counted by the clocks of this machine (${zone()})`;
  warn(sentence`warning: no time zone is set; ${clocks}. Set the zone of the exams with --timezone.`);
}

/** Throws `invalid_input` for a time that is missing, or cannot be read. */
function timeOf({ id, shown }: SelectedExam, field: ExamTime): number {
  const instant = instantOf(shown[field]);
  if (instant !== undefined) return instant;
  const set = typedCommand('exams update', [id], field === 'start_time' ? '--start TIME' : '--end TIME');
  const what = sentence`Exam ${id} shows no ${field} that can be read (${textOfJson(shown[field] ?? null)}), so it cannot be moved.`;
  throw notSent(what, sentence`Set it: proctor-cli ${set}`);
}
