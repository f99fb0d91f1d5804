/**
 * `exams update`: one restriction is sent with the other three as the exam has them, and only while it has them; with new times, the windows
 * of its students move along.
 */

import type { Body, Column, Context, Result } from '../../command.ts';
import { count } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { restrictionKeys, restrictionsOf } from '../../model/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import { carryOut, type Ended, type Item, oldValues, readRecord } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { studentsOf } from '../exam-students.ts';
import { isRunning, orReset, type TimesPlan, tellMailed, tellTimes } from '../times/carry-times.ts';
import { countsDays, examChange, movedTimes } from '../times/exam-change.ts';
import { warnWithoutZone, withWindows } from '../times/move-exams.ts';
import { oneResult } from './results.ts';
import { setsTimes } from './sent-values.ts';

type ExamUpdate = Body & { id: string; put: boolean; columns: readonly Column[] };

export function updateExam(context: Context, update: ExamUpdate): Promise<Result> {
  const { id, body, typedTimes, put } = update;
  const isOfTimes = setsTimes(body);
  let planned: TimesPlan = { steps: [] };
  return carryOut(context, {
    kind: isOfTimes ? 'exams times' : 'exams update',
    identity: { exam: id, put, body: { ...body, ...typedTimes } },
    places: () => [`exam ${id}`],
    async plan() {
      planned = await planOf(context, update);
      return planned;
    },
    // What was typed need not be told.
    tell: () => (planned.question === undefined ? undefined : tellTimes(context, planned)),
    question: () => planned.question,
    async result(ended) {
      const result = await resultOf(context, update, { ...ended, items: ended.items.map(orReset) });
      if (!result.failure) tellMailed(context, planned);
      return result;
    },
  });
}

async function planOf(context: Context, { id, body: wanted, put }: ExamUpdate): Promise<TimesPlan> {
  const client = await context.client();
  const zone = context.zone();
  const shown = await readRecord(context, 'exam', id);
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
async function resultOf(context: Context, { id, body, columns }: ExamUpdate, ended: Ended): Promise<Result> {
  const isOfExam = ({ step }: Item) => step.operation.resource === 'exam';
  const [exams, windows] = [ended.items.filter(isOfExam), ended.items.filter((item) => !isOfExam(item))];
  for (const { id: session, step, error } of windows)
    if (error) context.warn(sentence`session ${session ?? ''} ${step.email ?? ''}: ${error.message}`);
  const moved = windows.filter(({ state }) => state === 'done').length;
  if (windows.length > 0) context.say(sentence`${moved} of ${count(windows.length, 'window')} of students moved along.`);
  const item = exams.findLast(({ shown }) => shown) ?? exams[0];
  const result = await oneResult(context, ended, { did: 'updated', columns, item, isRunning: isRunning(ended, context.host.now()) });
  const restricted = exams.find(({ step, shown }) => shown && restrictionKeys.some((key) => Object.hasOwn(step.body ?? {}, key)));
  if (restricted?.shown && restrictionKeys.some((key) => Object.hasOwn(body, key)))
    context.say(restrictionChange(id, oldValues(restricted.step), restricted.shown));
  return result;
}

/** The restrictions before and after, changed ones first. */
function restrictionChange(id: string, before: JsonObject, after: JsonObject): Sentence {
  const [was, is] = [restrictionsOf(before), restrictionsOf(after)];
  const word = (value: boolean | undefined) => (value === undefined ? 'not shown' : value ? 'yes' : 'no');
  const changed = restrictionKeys.filter((key) => was[key] !== is[key]).map((key) => `${key} ${word(was[key])} → ${word(is[key])}`);
  const kept = restrictionKeys.filter((key) => was[key] === is[key]).map((key) => `${key} ${word(is[key])}`);
  const others = kept.length > 0 ? `; kept: ${kept.join(', ')}` : '';
  return sentence`Exam ${id}: ${changed.length > 0 ? changed.join(', ') : 'no restriction changed'}${others}.`;
}
