/**
 * `exams update`: one restriction is sent with the other three as the exam has them, and only while it has them; with new times, the windows
 * of its students move along.
 */
import { readRecord } from '../../api/reading.ts';
import type { Body, Context, Result } from '../../command.ts';
import { count } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { setsTimes } from '../../model/fields.ts';
import type { Ended, Item } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { studentsOf } from '../exam-students.ts';
import { carryTimes, type TimesPlan, tellTimes } from '../times/carry-times.ts';
import { countsDays, examChange, movedTimes } from '../times/exam-change.ts';
import { warnWithoutZone, withWindows } from '../times/move-exams.ts';
import { oneResult } from './results.ts';

type ExamUpdate = Body & { id: string; put: boolean };

export function updateExam(context: Context, update: ExamUpdate): Promise<Result> {
  const { id, body, typedTimes, put } = update;
  return carryTimes(context, {
    kind: setsTimes(body) ? 'exams times' : 'exams update',
    identity: { exam: id, put, body: { ...body, ...typedTimes } },
    places: () => [`exam ${id}`],
    plan: () => planOf(context, update),
    // What was typed need not be told.
    tell: (plan) => (plan.question === undefined ? undefined : tellTimes(context, plan)),
    show: (ended) => resultOf(context, ended),
  });
}

async function planOf(context: Context, { id, body: wanted, put }: ExamUpdate): Promise<TimesPlan> {
  const client = await context.client();
  const zone = context.zone();
  const shown = await readRecord(client, 'exam', id);
  const reading = movedTimes(wanted, shown).length > 0 ? await studentsOf(client, id) : undefined;
  const steps = examChange({ id, shown, reading, wanted, put, zone, timeFormat: client.dialect.timeFormat });
  if (!reading) return { steps };
  const plan = { steps, readings: new Map([[id, reading]]) };
  const windows = withWindows(steps);
  if (windows === '') return plan;
  if (countsDays(wanted, shown)) warnWithoutZone(context);
  return { ...plan, question: sentence`Change the times of ${examInWords(id, shown, client, zone)}${windows}` };
}

/** The exam as it is afterwards; what became of the windows is said. */
async function resultOf(context: Context, ended: Ended): Promise<Result> {
  const isOfExam = ({ step }: Item) => step.operation.resource === 'exam';
  const [exams, windows] = [ended.items.filter(isOfExam), ended.items.filter((item) => !isOfExam(item))];
  for (const { id: session, step, error } of windows)
    if (error) context.warn(sentence`session ${session ?? ''} ${step.email ?? ''}: ${error.message}`);
  const moved = windows.filter(({ state }) => state === 'done').length;
  if (windows.length > 0) context.say(sentence`${moved} of ${count(windows.length, 'window')} of students moved along.`);
  const item = exams.findLast(({ shown }) => shown) ?? exams[0];
  return oneResult(context, ended, { did: 'updated', item });
}
