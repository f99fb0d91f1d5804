/** `exams update`: one restriction is sent with the other three as the exam has them, and only while it has them. */
import { operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { carryOut, readRecord } from '../../runs/index.ts';
import { oneResult } from './results.ts';
import { type ExamUpdate, replacedBy, restrictionChange, setsTimes, withRestrictions } from './sent-values.ts';

export async function updateExam(context: Context, update: ExamUpdate): Promise<Result> {
  const { id, body, put, columns } = update;
  if (setsTimes(body)) return (await import('./exam-times-before.ts')).updateTimesOfExam(context, update);
  return carryOut(context, {
    kind: 'exams update',
    identity: { exam: id, put, body },
    places: () => [`exam ${id}`],
    async plan() {
      const shown = await readRecord(context, 'exam', id);
      const { sent, expects } = withRestrictions(id, shown, body);
      const step = { operation: put ? operations.putExam : operations.patchExam, params: { id }, body: sent, exam: id, expects };
      return { steps: [{ ...step, before: replacedBy(body, shown), always: put || undefined }] };
    },
    async result(ended) {
      const result = await oneResult(context, ended, 'updated', columns);
      const [{ step, shown } = {}] = ended.items;
      if (shown && restrictionKeys.some((key) => Object.hasOwn(body, key)))
        context.say(restrictionChange(id, { ...step?.expects, ...step?.before }, shown));
      return result;
    },
  });
}
